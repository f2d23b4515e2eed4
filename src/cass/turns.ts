import {
  type AgentwireError,
  ConnectionLostError,
  isAgentwireError,
  TurnTimeoutError,
} from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import { utf8Length } from "../core/text.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { stateOf } from "./conversation.ts";
import type { CassCore } from "./events.ts";
import {
  closedInTurn,
  isTooLarge,
  lostTurn,
  MAX_DEATHS,
  serverDies,
  tooLargeTurn,
  turnError,
  unreadableImage,
  unreadableResponse,
} from "./failures.ts";
import { type ConversationRef, checkUser, isAlike, type Job } from "./job.ts";
import { Line } from "./line.ts";
import { LostReplies } from "./lost-replies.ts";
import type { AudioFrame, ErrorFrame, WireImage } from "./messages.ts";
import type { CassSettings } from "./options.ts";
import { type CassRequest, checkSize } from "./prompt.ts";
import type { Recovery } from "./recovery.ts";
import type { ResponseFrame } from "./response.ts";
import type { Speech } from "./speech.ts";
import {
  type CassEvent,
  type CassResult,
  progressEvent,
  type Reply,
  recoveredReply,
  replyOf,
  textOf,
} from "./turn.ts";
import type { TurnMessage, Wire } from "./wire.ts";

export interface TurnsSetup {
  readonly settings: CassSettings;
  readonly wire: Wire;
  readonly recovery: Recovery;
  readonly speech: Speech;
  readonly core: CassCore;
}

/** What a turn is made of besides its request. */
export interface TurnOrder {
  readonly input: unknown;
  readonly request: CassRequest;
  readonly conversation: ConversationRef;
  readonly recover: boolean;
  readonly allowForeignUser: boolean;
  readonly options: TurnOptions | undefined;
}

/**
 * The turns of one client.
 *
 *     queue ──send──▶ line ──response──▶ completed
 *                      │ ──error─────▶ failed
 *                      │ ──cancelled, or too late──▶ stays in its place until it is answered: nobody gets that
 *                      └ connection lost ──▶ failed, or its reply is searched for
 */
export class Turns implements Course<Job> {
  readonly runner: Runner<CassEvent, CassResult, Job>;
  readonly #setup: TurnsSetup;
  readonly #line: Line;
  readonly #lostReplies: LostReplies;
  /** The one that was answered last: an `audio` may follow. */
  #answered: Job | undefined;
  /** Whose model answers, as far as is known. */
  #provider: string | undefined;
  /** Whether the present connection has answered a turn, and how many in a row have ended without. */
  #hasAnswered = false;
  #deaths = 0;
  /** The turn in which the server was silent for too long. */
  #silent: Job | undefined;
  /** Whether the present connection is left because of turns that nobody waits for. */
  #isLeaving = false;

  constructor(setup: TurnsSetup) {
    const { settings, core } = setup;
    this.#setup = setup;
    this.runner = new Runner(core, this);
    this.#lostReplies = new LostReplies(setup);
    this.#line = new Line({
      clock: settings.socket.clock,
      tooSilent: (job) => this.#tooSilent(job),
      stray: (message) => this.#onStray(message),
    });
  }

  /** Whether the server works on a turn. */
  get busy(): boolean {
    return this.#line.size > 0;
  }

  /** Whether a turn is under way. Asked while the client closes: what was not sent has been handed back. */
  get working(): boolean {
    return this.runner.jobs.length > 0;
  }

  /**
   * Makes a turn without sending it.
   * @throws QueueFullError when too much waits already.
   */
  create({ input, request, options, ...order }: TurnOrder): Job {
    const { image, bytes } = request;
    const idleTimeout = options?.idleTimeout ?? this.#setup.settings.idleTimeout;
    const isReading = typeof image === "function";
    return this.runner.make(
      {
        id: randomId("turn"),
        input,
        bytes,
        options: { ...options, idleTimeout: 0 }, // the silence that counts is the connection's, and it ends the connection
        idleTimeout: 0,
        textOf,
        soFar: (job) => {
          const id = conversationOf(job);
          return { state: typeof id === "string" ? stateOf(id) : undefined };
        },
      },
      (turn) => ({
        ...order,
        turn,
        request,
        idleTimeout,
        isReading,
        image: isReading ? undefined : image,
        bytes,
        since: undefined,
      }),
    );
  }

  /** Sends the turn now, or when those before it are done. */
  start(job: Job): void {
    const { image, bytes } = job.request;
    this.runner.start(job, bytes);
    if (typeof image === "function" && job.turn.open) this.#read(job, image);
  }

  /** The connection is ready. */
  ready(): void {
    this.#hasAnswered = false;
    this.pump();
  }

  /** Sends what waits, as far as the server may be asked. */
  pump(): void {
    const { wire, settings } = this.#setup;
    wire.writeWaiting(); // before the next turn: what waits behind that one too would wait for ever
    for (let job = this.runner.first; job; job = this.runner.first) {
      if (!wire.session || !this.#line.hasRoom(settings.maxTurnsInFlight)) return;
      if (job.isReading || this.#lostReplies.standInFor(job)) return;
      this.runner.take(job);
      this.#send(job);
    }
  }

  /** The turn has left the queue, and wants to end: by the caller's will, or a limit of its own. The server cannot be told. */
  stop(job: Job): void {
    this.#lostReplies.giveUp(job);
    job.turn.stopped();
    this.#goOn(); // those behind it may have waited for its reply
  }

  settled(): void {}

  /** The server lives. */
  alive(): void {
    this.#line.alive();
  }

  /** A message of a turn, and how long its frame was. */
  receive(message: TurnMessage, size: number): void {
    if (message.type === "audio") {
      void this.#onAudio(message);
      return;
    }
    const job = this.#line.head;
    if (!job) {
      this.#onStray(message);
      return;
    }
    switch (message.type) {
      case "thinking":
      case "debug":
        this.#line.begun(job);
        this.pump(); // a server that is known to announce its turns may be sent more
        job.turn.push(progressEvent(message), size);
        return;
      case "response":
        this.#line.answered(job, message, () => this.#complete(job, message, size));
        return;
      case "error":
        this.#fail(job, message);
        return;
      default:
        message satisfies never;
    }
  }

  /** The response to a turn has come, and cannot be read. */
  unreadable(problem: string): void {
    const half = this.#answered;
    if (half?.turn.open) {
      half.turn.fail(unreadableResponse(problem)); // handling its answer threw
      this.#next();
      return;
    }
    const job = this.#line.head;
    if (!job) return;
    this.#line.answered(job, undefined, () => {
      this.#leaveLine(job);
      this.#lostReplies.leave(job); // when it was stored cannot be read either
      job.turn.fail(unreadableResponse(problem));
      this.#next();
    });
  }

  /** The connection is gone. What was on it may be done all the same, so nothing is sent again. */
  lost(error: AgentwireError): void {
    const silent = this.#silent;
    const wasLeft = this.#isLeaving;
    const jobs = this.#clearLine();
    if (jobs.length > 0 && !wasLeft && !this.#hasAnswered) this.#deaths++;
    const blamed = isTooLarge(error) ? largestOf(jobs) : undefined;
    const findable = this.#setup.core.isClosing ? [] : this.#lostReplies.findable(jobs);
    const searched = new Set(findable.filter((job) => job !== blamed));
    for (const job of jobs) if (!searched.has(job)) this.#lostReplies.leave(job);
    for (const job of jobs) {
      const isSearched = searched.has(job);
      const failure =
        job === silent
          ? new TurnTimeoutError("idle", job.idleTimeout)
          : job === blamed
            ? tooLargeTurn(job.bytes)
            : lostTurn(error, isSearched);
      if (isSearched) this.#recover(job, failure);
      else job.turn.fail(failure);
    }
    if (this.#deaths < MAX_DEATHS) return;
    this.#deaths = 0;
    for (const { turn } of this.runner.takeWaiting()) turn.fail(serverDies(error));
  }

  /** Ends all that is left, by the caller's will. */
  close(): void {
    this.#clearLine();
    this.#lostReplies.close();
    for (const { turn } of this.runner.jobs) turn.abandon(closedInTurn());
  }

  /** The connection is not to be had. What is searched for may be found all the same. */
  unavailable(reason: AgentwireError): void {
    for (const { turn } of this.#clearLine()) turn.fail(lostTurn(reason, false));
    this.runner.unavailable(reason);
  }

  // --- sending ---

  /** A turn with a picture that has to be read keeps its place meanwhile. */
  #read(job: Job, read: () => Promise<WireImage>): void {
    const { outbox } = this.#setup.core;
    const done = (image: WireImage): void => {
      job.image = image;
      job.isReading = false;
      this.pump();
    };
    const failed = (cause: unknown): void => {
      job.turn.fail(unreadableImage(cause));
      this.pump(); // those behind it may have waited for its picture
    };
    // The picture is the caller's, who may read it as they like.
    outbox.tell(() => {
      read().then(
        (image) => outbox.run(() => done(image)),
        (cause: unknown) => outbox.run(() => failed(cause)),
      );
    });
  }

  #send(job: Job): void {
    const { wire, core, settings } = this.#setup;
    const { turn, request } = job;
    const frame = request.frame(conversationOf(job) ?? undefined, job.image);
    try {
      job.bytes = utf8Length(frame);
      checkSize(job.bytes, settings.maxSendBytes);
      checkUser(job, wire.handshake.identity);
    } catch (error) {
      if (!isAgentwireError(error)) throw error;
      turn.fail(error);
      return;
    }
    job.since = wire.latest;
    this.#line.add(job);
    wire.busyChanged();
    wire.send(frame, "turn");
    turn.sent();
    if (job.image && this.#provider !== undefined && this.#provider !== "anthropic")
      core.warn("image-ignored", `models of ${this.#provider} do not get to see the image`);
  }

  // --- what comes ---

  #complete(job: Job, message: ResponseFrame, size: number): void {
    const { wire, core } = this.#setup;
    const { request, conversation } = job;
    const { conversation_id: id, timestamp } = message;
    this.#leaveLine(job);
    // Without a time, or with others sent before it, what is stored of it is not known to be older than those.
    if (typeof timestamp !== "string" || this.#line.jobs.some((other) => isAlike(other, job)))
      this.#lostReplies.leave(job);
    core.connection.healthy();
    if (message.provider) this.#provider = message.provider;
    if (request.userId !== undefined) wire.handshake.rebind(request.userId);
    const expected = conversationOf(job);
    if (typeof id === "string" && typeof expected === "string" && id !== expected)
      core.warn("conversation-mismatch", "a response names another conversation than its prompt did");
    if (id !== undefined && conversation.id === undefined) conversation.id = id;
    const reply = replyOf(message);
    if (reply.warning !== undefined) core.warn("unreadable-audio", reply.warning);
    this.#answer(job, reply, size);
    this.#next();
  }

  #answer({ turn }: Job, { event, details }: Reply, size: number): void {
    turn.push(event, size);
    const { type: _, ...shown } = event;
    turn.complete({ ...details, ...shown, text: turn.text, ...(turn.truncated ? { truncated: true } : {}) });
  }

  #fail(job: Job, { message }: ErrorFrame): void {
    this.#leaveLine(job);
    job.turn.fail(turnError(message));
    this.#next();
  }

  async #onAudio(frame: AudioFrame): Promise<void> {
    const { core, speech } = this.#setup;
    const job = this.#answered;
    if (!job) {
      this.#onStray(frame);
      return;
    }
    if (job.turn.status !== "completed") return; // nobody waits for it any more
    const audio = await speech.of(frame);
    if (audio) core.events.emit("audio", audio, job.turn);
  }

  #onStray(message: TurnMessage): void {
    const { core } = this.#setup;
    if (message.type === "error") {
      core.events.emit("serverError", { message: message.message });
      return;
    }
    const kind = message.type === "response" ? "unexpected-response" : "stray-message";
    core.warn(kind, `a \`${message.type}\` that is of no turn`);
    core.events.emit("stray", message);
  }

  /** The server is done with a turn. */
  #leaveLine(job: Job): void {
    this.#line.delete(job);
    this.#answered = job;
    this.#hasAnswered = true;
    this.#deaths = 0;
    this.#setup.wire.turnAnswered();
  }

  /** The server is free for what comes next. */
  #next(): void {
    this.#setup.wire.busyChanged();
    this.#goOn();
  }

  /** A turn is over, or its reply is no longer searched for. */
  #goOn(): void {
    this.#leaveIfIdle();
    this.pump();
    if (!this.working) this.#setup.core.connection.drained();
  }

  /** With `cancel: "reconnect"`, nothing is put behind turns that nobody waits for. */
  #leaveIfIdle(): void {
    const { settings, core } = this.#setup;
    if (settings.cancel === "wait" || !this.busy || this.#line.jobs.some(({ turn }) => turn.open)) return;
    this.#isLeaving = true;
    core.connection.renew();
  }

  // --- ends ---

  /** A server that is open and mute looks like one that thinks. */
  #tooSilent(job: Job): void {
    this.#silent = job;
    const message = `the server was silent for ${job.idleTimeout} ms in the middle of a turn`;
    this.#setup.core.connection.drop(new ConnectionLostError(message));
  }

  /** There is no connection any more; returns what was asked on it. */
  #clearLine(): readonly Job[] {
    this.#answered = undefined;
    this.#silent = undefined;
    this.#isLeaving = false;
    return this.#line.clear();
  }

  #recover(job: Job, failure: AgentwireError): void {
    const { turn } = job;
    this.#lostReplies.search(job, (found) => {
      if (found) {
        const { reply, conversationId } = found;
        this.#answer(job, recoveredReply(reply, conversationId), reply.content.length);
      } else {
        turn.fail(failure);
      }
      this.#goOn();
    });
    this.#setup.core.events.emit("recovering", turn);
  }
}

/** The conversation that a turn is in, as far as it is known; null where the server keeps nothing. */
function conversationOf({ request, conversation }: Job): string | null | undefined {
  return request.kind === "chat" ? conversation.id : request.conversationId;
}

/** A server that closes over the size of a frame does not say of which. */
function largestOf(jobs: readonly Job[]): Job | undefined {
  return jobs.reduce<Job | undefined>(
    (most, job) => (job.bytes > (most?.bytes ?? -1) ? job : most),
    undefined,
  );
}
