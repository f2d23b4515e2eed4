import type { ClientCore } from "../core/client/client-core.ts";
import { Deadline } from "../core/deadline.ts";
import {
  type AgentwireError,
  ClosedError,
  ConnectionLostError,
  copyError,
  InvalidInputError,
  isAgentwireError,
  TurnTimeoutError,
} from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import { utf8Length } from "../core/text.ts";
import { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { TurnQueue } from "../core/turn/turn-queue.ts";
import { type CassConversationState, stateOf } from "./conversation.ts";
import type { CassClientEvents, CassIdentity } from "./events.ts";
import {
  closedInTurn,
  isTooLarge,
  lostTurn,
  MAX_DEATHS,
  serverDies,
  tooLargeTurn,
  turnError,
  unreadableResponse,
} from "./failures.ts";
import { type ConversationRef, isAlike, type Job } from "./job.ts";
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
  readonly recovery: () => Recovery;
  readonly speech: Speech;
  readonly core: () => ClientCore<CassEvent, CassResult, CassClientEvents>;
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
 * The turns of one client. The server has no ids: it reads one request, answers it, and reads the next, so what it says is of
 * the oldest turn on the line.
 *
 *     queue ──send──▶ line ──response──▶ completed
 *                      │ ──error─────▶ failed
 *                      │ ──cancelled, or too late──▶ stays in its place until it is answered: nobody gets that
 *                      └ connection lost ──▶ failed, or its reply is searched for
 */
export class Turns {
  readonly #setup: TurnsSetup;
  readonly #queue: TurnQueue<Job>;
  /** What the server has been asked and has not answered, oldest first; also turns that nobody waits for any more. */
  readonly #line = new Set<Job>();
  readonly #lostReplies: LostReplies;
  /** The one that was answered last: an `audio` may follow. */
  #answered: Job | undefined;
  /** Whose model answers, as far as is known. */
  #provider: string | undefined;
  /** Whether this server says something of each turn before its response. Unknown until it has answered one. */
  #announces: boolean | undefined;
  /** Whether the present connection has answered a turn, and how many in a row have ended without. */
  #hasAnswered = false;
  #deaths = 0;
  /** The turn in which the server was silent for too long. */
  #silent: Job | undefined;
  /** Whether the present connection is left because of turns that nobody waits for. */
  #isLeaving = false;
  #isClosing = false;

  constructor(setup: TurnsSetup) {
    this.#setup = setup;
    const { maxQueuedTurns: maxTurns, maxQueuedBytes: maxBytes } = setup.settings.socket;
    this.#queue = new TurnQueue({ maxTurns, maxBytes });
    this.#lostReplies = new LostReplies(setup);
  }

  /** Whether the server works on a turn. */
  get busy(): boolean {
    return this.#line.size > 0;
  }

  /** Whether somebody waits for a turn that was sent. */
  get working(): boolean {
    return this.#lostReplies.jobs.length > 0 || [...this.#line].some(({ turn }) => turn.open);
  }

  /**
   * Makes a turn without sending it.
   * @throws QueueFullError when too much waits already.
   */
  create(order: TurnOrder): Job {
    const { settings, core } = this.#setup;
    const { input, request, conversation, recover, allowForeignUser, options = {} } = order;
    this.#queue.assertRoom(request.bytes);
    const { signal, timeout = 0, idleTimeout = settings.idleTimeout, read = true } = options;
    const { clock, maxBufferedBytes, maxTextBytes } = settings.socket;
    const turn: Job["turn"] = new LiveTurn<CassEvent, CassResult>({
      id: randomId("turn"),
      input,
      clock,
      maxBufferedBytes,
      maxTextBytes,
      timeout,
      idleTimeout: 0, // the silence that counts is the connection's, and it ends the connection
      signal,
      read,
      textOf,
      soFar: () => ({ state: this.#stateOf(job) }),
      stop: () => this.#interrupted(job),
      settled: () => {},
      insist: () => {},
      repeatable: true,
      flow: undefined,
      onEvent: (event) => core().events.emit("event", event, turn),
      onListenerThrow: core().listenerThrew,
    });
    const job: Job = {
      turn,
      request,
      conversation,
      recover,
      allowForeignUser,
      idleTimeout,
      silence: new Deadline(clock, idleTimeout, () => this.#tooSilent(job, idleTimeout), { unref: true }),
      image: undefined,
      isReading: false,
      bytes: request.bytes,
      sentAfter: undefined,
      since: undefined,
      hasBegun: false,
      early: undefined,
    };
    core().connection.hurry();
    return job;
  }

  /** Sends the turn now, or when those before it are done. */
  start(job: Job): void {
    job.turn.begin();
    if (!job.turn.open) return;
    this.#queue.add(job, job.request.bytes);
    const { image } = job.request;
    if (typeof image === "function") void this.#read(job, image);
    else job.image = image;
    this.pump();
  }

  /** The turn of this id, while it is under way. */
  turnOf(id: string): Job["turn"] | undefined {
    return [...this.#line, ...this.#lostReplies.jobs].find(({ turn }) => turn.id === id)?.turn;
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
    // A server of which nothing is known may have answers come early, which can be told apart for one turn only.
    const most = (): number => (this.#announces === undefined ? 1 : settings.maxTurnsInFlight);
    for (let job = this.#queue.first(); job; job = this.#queue.first()) {
      if (!wire.session || this.#line.size >= most()) return;
      if (job.isReading || this.#lostReplies.standInFor(job)) return;
      this.#queue.delete(job);
      if (job.turn.open) this.#send(job); // or it is just being cancelled, and its listeners are told before this queue is
    }
  }

  /** The server lives. */
  alive(): void {
    for (const { silence } of this.#line) silence.touch();
  }

  /** A message of a turn, and how long its frame was. */
  receive(message: TurnMessage, size: number): void {
    if (message.type === "audio") {
      void this.#onAudio(message);
      return;
    }
    const job = this.#addressed;
    if (!job) {
      this.#onStray(message);
      return;
    }
    switch (message.type) {
      case "thinking":
      case "debug":
        this.#begun(job);
        job.turn.push(progressEvent(message), size);
        return;
      case "response":
        this.#believe(job, message, () => this.#complete(job, message, size));
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
    const job = this.#addressed;
    if (!job) return;
    this.#believe(job, undefined, () => {
      this.#leaveLine(job);
      this.#lostReplies.leave(job); // when it was stored cannot be read either
      job.turn.fail(unreadableResponse(problem));
      this.#next();
    });
  }

  /** The connection is gone. What was on it may be done all the same, so nothing is sent again. */
  lost(error: AgentwireError): void {
    const jobs = [...this.#line];
    const silent = this.#silent;
    const isDeath = jobs.length > 0 && !this.#isLeaving;
    const blamed = isTooLarge(error) ? largestOf(jobs) : undefined;
    const findable = this.#isClosing ? [] : this.#lostReplies.findable(jobs);
    const searched = findable.filter((job) => job !== blamed);
    this.#clearLine();
    if (isDeath) this.#deaths = this.#hasAnswered ? 0 : this.#deaths + 1;
    for (const job of jobs) if (!searched.includes(job)) this.#lostReplies.leave(job);
    for (const job of jobs) {
      const failure =
        job === silent
          ? new TurnTimeoutError("idle", job.idleTimeout)
          : job === blamed
            ? tooLargeTurn(job.bytes)
            : lostTurn(error, searched.includes(job));
      if (searched.includes(job)) void this.#recover(job, failure);
      else job.turn.fail(failure);
    }
    if (this.#deaths < MAX_DEATHS) return;
    this.#deaths = 0;
    for (const { turn } of this.#queue.clear()) turn.fail(serverDies(error));
  }

  /** The client is closing: what was not sent is given back. */
  closing(): void {
    this.#isClosing = true;
    for (const { turn } of this.#queue.clear()) turn.abandon(notSent());
  }

  /** Ends all that is left, by the caller's will. */
  close(): void {
    const jobs = [...this.#line, ...this.#lostReplies.jobs];
    this.#clearLine();
    this.#lostReplies.close();
    for (const { turn } of jobs) turn.abandon(closedInTurn());
    this.closing();
  }

  /** The connection is not to be had. What is searched for may be found all the same. */
  unavailable(reason: AgentwireError): void {
    const jobs = [...this.#line];
    this.#clearLine();
    const waiting = this.#queue.clear(); // before anybody is told: who prompts again begins a new run
    for (const { turn } of jobs) turn.fail(lostTurn(reason, false));
    for (const { turn } of waiting) turn.fail(copyError(reason));
  }

  // --- sending ---

  /** A turn with a picture that has to be read keeps its place meanwhile. */
  async #read(job: Job, image: () => Promise<WireImage>): Promise<void> {
    job.isReading = true;
    try {
      job.image = await image();
    } catch (cause) {
      const hint = "Pass its bytes, or a Blob that can be read.";
      this.#queue.delete(job);
      job.turn.fail(
        isAgentwireError(cause) ? cause : new InvalidInputError("the image cannot be read.", hint, { cause }),
      );
    }
    job.isReading = false;
    this.pump();
  }

  #send(job: Job): void {
    const { wire, core, settings } = this.#setup;
    const { turn, request, conversation } = job;
    const id = request.kind === "chat" ? (conversation.id ?? undefined) : request.conversationId;
    const frame = request.frame(id, job.image);
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
    job.sentAfter = core().connection.frames;
    this.#line.add(job);
    wire.busyChanged();
    turn.sent(() => wire.send(frame, "turn"));
    if (this.#line.has(job) && this.#head === job) job.silence.start();
    if (job.image && this.#provider !== undefined && this.#provider !== "anthropic")
      core().warn("image-ignored", `models of ${this.#provider} do not get to see the image`);
  }

  // --- what comes ---

  get #head(): Job | undefined {
    for (const job of this.#line) return job;
    return undefined;
  }

  /** The turn that a message is of: not one that somebody who saw the frame come has begun just now. */
  get #addressed(): Job | undefined {
    const job = this.#head;
    return job?.sentAfter !== undefined && job.sentAfter < this.#setup.core().connection.frames
      ? job
      : undefined;
  }

  #begun(job: Job): void {
    const wasUnknown = this.#announces === undefined;
    this.#announces = true;
    job.hasBegun = true;
    const message = takeEarly(job);
    if (message) this.#onStray(message); // the server has only now begun with this turn, so it was of another
    if (wasUnknown) this.pump();
  }

  /**
   * A response to a turn that the server has said nothing of yet. Real ones always do, and one that is over may have been
   * answered twice; so it is believed only if nothing else comes.
   */
  #believe(job: Job, message: ResponseFrame | undefined, act: () => void): void {
    if (job.hasBegun || this.#announces === false) {
      act();
    } else if (this.#announces || job.early) {
      if (message) this.#onStray(message); // of one that cannot be read there is a warning already
    } else {
      const isOurs = (): void => {
        this.#announces = false;
        act();
      };
      const { clock } = this.#setup.settings.socket;
      job.early = { message, cancelTimer: clock.setTimeout(isOurs, EARLY_GRACE) };
    }
  }

  #complete(job: Job, message: ResponseFrame, size: number): void {
    const { wire, core } = this.#setup;
    const { request, conversation } = job;
    const { conversation_id: id, timestamp } = message;
    this.#leaveLine(job);
    // Without a time, or with others sent before it, what is stored of it is not known to be older than those.
    if (typeof timestamp !== "string" || [...this.#line].some((other) => isAlike(other, job)))
      this.#lostReplies.leave(job);
    core().connection.healthy();
    if (message.provider) this.#provider = message.provider;
    if (request.userId !== undefined) wire.handshake.rebind(request.userId);
    const expected = request.kind === "chat" ? conversation.id : request.conversationId;
    if (typeof id === "string" && typeof expected === "string" && id !== expected)
      core().warn("conversation-mismatch", "a response names another conversation than its prompt did");
    if (id !== undefined && conversation.id === undefined) conversation.id = id;
    const reply = replyOf(message);
    if (reply.warning !== undefined) core().warn("unreadable-audio", reply.warning);
    this.#answer(job, reply, size);
    this.#next();
  }

  #answer({ turn }: Job, { event, details }: Reply, size: number): void {
    turn.push(event, size);
    const { type: _, ...shown } = event;
    turn.complete({ ...details, ...shown, text: turn.text, ...(turn.truncated ? { truncated: true } : {}) });
  }

  #fail(job: Job, { message }: ErrorFrame): void {
    const early = takeEarly(job);
    this.#leaveLine(job);
    if (early) this.#onStray(early);
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
    if (audio) core().events.emit("audio", audio, job.turn);
  }

  #onStray(message: TurnMessage): void {
    const core = this.#setup.core();
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
    job.silence.stop();
    takeEarly(job);
    this.#line.delete(job);
    this.#answered = job;
    this.#hasAnswered = true;
    this.#deaths = 0;
    this.#setup.wire.turnAnswered();
  }

  /** The server is free for what comes next. */
  #next(): void {
    const { wire, core } = this.#setup;
    this.#head?.silence.start();
    wire.busyChanged();
    this.#leaveIfIdle();
    this.pump();
    if (!this.working) core().connection.drained();
  }

  /** With `cancel: "reconnect"`, nothing is put behind turns that nobody waits for. */
  #leaveIfIdle(): void {
    const { settings, core } = this.#setup;
    if (settings.cancel === "wait" || !this.busy || [...this.#line].some(({ turn }) => turn.open)) return;
    this.#isLeaving = true;
    core().connection.renew();
  }

  // --- ends ---

  /** The turn wants to end, by the caller's will or a limit of its own. The server cannot be told. */
  #interrupted(job: Job): void {
    const { core } = this.#setup;
    this.#queue.delete(job);
    this.#lostReplies.giveUp(job);
    job.turn.stopped();
    this.#leaveIfIdle();
    this.pump(); // those behind it may have waited for its image, or for its reply
    if (!this.working) core().connection.drained();
  }

  /** A server that is open and mute looks like one that thinks. */
  #tooSilent(job: Job, limit: number): void {
    this.#silent = job;
    const message = `the server was silent for ${limit} ms in the middle of a turn`;
    this.#setup.core().connection.drop(new ConnectionLostError(message));
  }

  #clearLine(): void {
    for (const job of this.#line) {
      job.silence.stop();
      takeEarly(job);
    }
    this.#line.clear();
    this.#answered = undefined;
    this.#silent = undefined;
    this.#isLeaving = false;
  }

  async #recover(job: Job, failure: AgentwireError): Promise<void> {
    const { core } = this.#setup;
    const finding = this.#lostReplies.find(job);
    core().events.emit("recovering", job.turn);
    const found = await finding;
    if (found)
      this.#answer(job, recoveredReply(found.reply, found.conversationId), found.reply.content.length);
    else job.turn.fail(failure);
    this.pump();
    if (!this.working) core().connection.drained();
  }

  #stateOf({ conversation, request }: Job): CassConversationState | undefined {
    const id = request.kind === "chat" ? conversation.id : request.conversationId;
    return typeof id === "string" ? stateOf(id) : undefined;
  }
}

/**
 * Onboarding makes the connection somebody's without asking for a token.
 * @throws InvalidInputError when that is somebody else than who is signed in, and it is not allowed
 */
export function checkUser(
  { request, allowForeignUser }: Pick<Job, "request" | "allowForeignUser">,
  identity: CassIdentity | undefined,
): void {
  if (request.userId === undefined || allowForeignUser || request.userId === identity?.userId) return;
  throw new InvalidInputError(
    "the `userId` is not that of who is signed in.",
    "The server would make the connection theirs without a token: set `allowForeignUser` if that is meant.",
  );
}

/** ms that a response waits which came before anything else of its turn. */
const EARLY_GRACE = 1_000;

/** A server that closes over the size of a frame does not say of which. */
function largestOf(jobs: readonly Job[]): Job | undefined {
  return jobs.reduce<Job | undefined>(
    (most, job) => (job.bytes > (most?.bytes ?? -1) ? job : most),
    undefined,
  );
}

/** Takes back a response that waits to be believed. */
function takeEarly(job: Job): ResponseFrame | undefined {
  const { early } = job;
  job.early = undefined;
  early?.cancelTimer();
  return early?.message;
}

function notSent(): ClosedError {
  return new ClosedError("the client was closed before the prompt was sent");
}
