// Runs, cancels, loses and recovers the turns of one client.
import {
  type AgentwireError,
  ClosedError,
  ConnectionLostError,
  InvalidInputError,
  isAgentwireError,
  PayloadTooLargeError,
  TurnTimeoutError,
} from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import { utf8Length } from "../core/text.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import { audioOf } from "./audio.ts";
import { cassStateOf } from "./conversation.ts";
import { cassTurnError, lostTurn, unreadableResponse } from "./errors.ts";
import type { CassCore } from "./events.ts";
import { checkSize } from "./input.ts";
import {
  type CassJob,
  type CassOrder,
  checkUser,
  complete,
  conversationOf,
  isAlike,
  type SentTurn,
} from "./job.ts";
import { LostReplies } from "./lost-replies.ts";
import type { AudioFrame, CassTurnMessage, WireImage } from "./messages.ts";
import type { CassSettings } from "./options.ts";
import type { ResponseFrame } from "./response.ts";
import type { RestHost } from "./rest/host.ts";
import { serverStamp } from "./server-time.ts";
import { type CassEvent, type CassResult, progressEvent, replyIn, textOfEvent } from "./turn.ts";
import type { CassWire, CassWireUser } from "./wire.ts";

/** Connections in a row that may end in their first turn; then the waiting turns fail. A restart ends one, a deleted user ends all. */
const MAX_DEATHS = 3;

/** The close code for a frame that is too large. */
const TOO_LARGE = 1009;

interface TurnsSetup {
  readonly settings: CassSettings;
  readonly wire: CassWire;
  readonly rest: RestHost;
  readonly core: CassCore;
}

/** The turns of one client. For the stages of a turn see `Stage` (job.ts). */
export class CassTurns implements Course<CassJob>, CassWireUser {
  readonly runner: Runner<CassEvent, CassResult, CassJob>;
  readonly #setup: TurnsSetup;
  /** Made at the first loss. */
  #lostReplies: LostReplies | undefined;
  /** Connections in a row that have ended in their first turn. */
  #deaths = 0;
  /** The provider of the last answer's model. */
  #provider = "anthropic";

  constructor(setup: TurnsSetup) {
    this.#setup = setup;
    this.runner = new Runner(setup.core, this);
  }

  get #lost(): LostReplies {
    this.#lostReplies ??= new LostReplies(this.#setup, () => this.#goOn());
    return this.#lostReplies;
  }

  /** Whether a turn is under way. Read while the client closes: unsent turns have been handed back. */
  get working(): boolean {
    return !this.runner.isIdle;
  }

  /**
   * Makes a turn without sending it.
   * @throws QueueFullError if the queue is full.
   */
  create({ input, options, ...order }: CassOrder): CassJob {
    const { image, bytes } = order.request;
    const idleTimeout = options?.idleTimeout ?? this.#setup.settings.idleTimeout;
    return this.runner.make(
      {
        id: randomId("turn"),
        input,
        bytes,
        options: { ...options, idleTimeout: 0 }, // the line limits the silence, and ends the connection
        idleTimeout: 0,
        textOf: textOfEvent,
        soFar: (job) => {
          const id = conversationOf(job);
          return { state: typeof id === "string" ? cassStateOf(id) : undefined };
        },
      },
      (turn) => ({
        ...order,
        turn,
        idleTimeout,
        stage: typeof image === "function" ? { name: "reading" } : { name: "waiting", image },
      }),
    );
  }

  /** Sends the turn now, or after the earlier turns. */
  start(job: CassJob): void {
    const { image, bytes } = job.request;
    this.runner.start(job, bytes);
    if (typeof image === "function" && job.turn.open) this.#read(job, image);
  }

  /** Sends waiting turns, as many as the server takes now. */
  pump(): void {
    const { wire, settings } = this.#setup;
    wire.writeWaiting(); // first: these frames might wait for ever after the next turn
    for (let job = this.runner.first; job; job = this.runner.first) {
      if (!wire.isReady || !wire.line.hasSpace(settings.maxTurnsInFlight)) return;
      if (job.stage.name !== "waiting" || this.#lostReplies?.standInFor(job)) return;
      this.runner.take(job);
      this.#send(job, job.stage.image);
    }
  }

  /** Stops a turn that has left the queue: the caller cancelled it, or it exceeded a limit. The server cannot be told. */
  stop(job: CassJob): void {
    this.#lostReplies?.giveUp(job);
    job.turn.stopped();
    this.#goOn(); // later turns may have waited for this turn's reply
  }

  // --- sending ---

  #read(job: CassJob, read: () => Promise<WireImage>): void {
    const { outbox } = this.#setup.core;
    const done = (image: WireImage): void => {
      job.stage = { name: "waiting", image };
      this.pump();
    };
    const failed = (cause: unknown): void => {
      const hint = "Pass its bytes, or a Blob that can be read.";
      const error = isAgentwireError(cause)
        ? cause
        : new InvalidInputError("the image cannot be read.", hint, { cause });
      job.turn.fail(error);
      this.pump(); // later turns may have waited for this image
    };
    // Reading the image calls the caller's code.
    outbox.tell(() => {
      read().then(
        (image) => outbox.run(() => done(image)),
        (cause: unknown) => outbox.run(() => failed(cause)),
      );
    });
  }

  #send(job: CassJob, image: WireImage | undefined): void {
    const { wire, core, settings } = this.#setup;
    const { turn, request } = job;
    const frame = request.frame(conversationOf(job) ?? undefined, image);
    const bytes = utf8Length(frame);
    try {
      checkSize(bytes, settings.maxSendBytes);
      checkUser(job, wire.handshake.identity);
    } catch (error) {
      if (!isAgentwireError(error)) throw error;
      turn.fail(error);
      return;
    }
    wire.sendTurn(job, frame, bytes);
    turn.sent();
    if (image && this.#provider !== "anthropic")
      core.warn("image-ignored", `models of ${this.#provider} do not get to see the image`);
  }

  /** A turn is over, or the search for its reply has ended. */
  #goOn(): void {
    const { wire, core } = this.#setup;
    if (this.#isLeft(wire.line.jobs)) core.connection.renew();
    this.pump();
    if (!this.working) core.connection.drained();
  }

  /** With `cancel: "reconnect"`, the client leaves a connection when no turn on its line is open any more. */
  #isLeft(jobs: readonly CassJob[]): boolean {
    const { cancel } = this.#setup.settings;
    return cancel === "reconnect" && jobs.length > 0 && !jobs.some(({ turn }) => turn.open);
  }

  // --- messages ---

  /**
   * Handles a message of a turn. The server sends no ids: a message belongs to the oldest turn on the line. Only speech belongs to the
   * last answered turn.
   */
  receive(message: CassTurnMessage, size: number): void {
    const { line } = this.#setup.wire;
    const { head: job } = line;
    if (message.type === "audio") {
      void this.#onAudio(message);
      return;
    }
    if (message.type === "unreadable") {
      this.#onUnreadable(job, message.problem);
      return;
    }
    if (!job) {
      this.#strays(message);
      return;
    }
    switch (message.type) {
      case "thinking":
      case "debug":
        this.#strays(line.begun(job));
        this.#goOn(); // a server that announces its turns may get more turns
        job.turn.push(progressEvent(message), size);
        return;
      case "response":
        this.#strays(line.answered(job, message, () => this.#complete(job, message, size)));
        return;
      case "error":
        this.#leaveLine(job);
        job.turn.fail(cassTurnError(message.message));
        this.#goOn();
        return;
      default:
        message satisfies never;
    }
  }

  #onUnreadable(job: CassJob | undefined, problem: string): void {
    const { line } = this.#setup.wire;
    if (line.last?.turn.open) {
      line.last.turn.fail(unreadableResponse(problem)); // the handler of its answer threw
      this.#goOn();
      return;
    }
    if (!job) return;
    line.answered(job, undefined, () => {
      this.#leaveLine(job);
      this.#lost.leave(job); // the time of storage is unreadable too
      job.turn.fail(unreadableResponse(problem));
      this.#goOn();
    });
  }

  #complete(job: CassJob, message: ResponseFrame, size: number): void {
    const { wire, core } = this.#setup;
    const { request, conversation } = job;
    const { conversation_id: id, timestamp, provider } = message;
    this.#leaveLine(job);
    // Without a readable time, or with later turns of the same text, a search for a later lost turn could find this turn's reply.
    if (serverStamp(timestamp) === undefined || wire.line.jobs.some((other) => isAlike(other, job)))
      this.#lost.leave(job);
    core.connection.healthy();
    if (provider) this.#provider = provider;
    if (request.userId !== undefined) wire.handshake.rebind(request.userId);
    const expected = conversationOf(job);
    if (typeof id === "string" && typeof expected === "string" && id !== expected)
      core.warn("conversation-mismatch", "a response names another conversation than its prompt did");
    if (id !== undefined && conversation.id === undefined) conversation.id = id;
    const reply = replyIn(message);
    if (reply.warning !== undefined) core.warn("unreadable-audio", reply.warning);
    complete(job, reply, size);
    this.#goOn();
  }

  async #onAudio(frame: AudioFrame): Promise<void> {
    const { core, wire, rest } = this.#setup;
    const job = wire.line.last;
    if (!job) return this.#strays(frame);
    if (job.turn.status !== "completed") return; // the turn was cancelled
    const audio = await audioOf(frame, rest, (problem) => core.warn("unreadable-audio", problem));
    if (audio) core.events.emit("audio", audio, job.turn);
  }

  /** Reports a message that belongs to no turn. */
  #strays(message: Exclude<CassTurnMessage, { type: "unreadable" }> | undefined): void {
    if (!message) return;
    const { core } = this.#setup;
    if (message.type === "error") {
      core.events.emit("serverError", { message: message.message });
      return;
    }
    const kind = message.type === "response" ? "unexpected-response" : "stray-message";
    core.warn(kind, `a \`${message.type}\` that is of no turn`);
    core.events.emit("stray", message);
  }

  /** The server has finished a turn. */
  #leaveLine(job: CassJob): void {
    const { wire } = this.#setup;
    this.#strays(wire.line.delete(job));
    wire.turnAnswered();
  }

  // --- ends ---

  /** The connection has ended. The server may finish the turns on the line, so no turn is sent again. */
  lost(error: AgentwireError): void {
    const { wire, core } = this.#setup;
    const { last } = wire.line;
    const sent = wire.line.clear();
    const jobs = sent.map(([job]) => job);
    if (last) this.#deaths = 0;
    else if (jobs.length > 0 && !this.#isLeft(jobs)) this.#deaths++;
    const blamed =
      isAgentwireError(error, "connection-lost") && error.closeCode === TOO_LARGE && largest(sent);
    const findable = core.isClosing ? [] : this.#lost.findable(sent);
    const searched = findable.filter((job) => job !== blamed);
    for (const job of jobs) if (!searched.includes(job)) this.#lost.leave(job);
    for (const [job, stage] of sent) {
      const isSearched = searched.includes(job);
      const failure =
        stage.sign.name === "silent"
          ? new TurnTimeoutError("idle", job.idleTimeout)
          : job === blamed
            ? tooLarge(stage.bytes)
            : lostTurn(error, isSearched);
      if (isSearched && stage.since) this.#lost.search(job, stage.since, failure);
      else job.turn.fail(failure);
    }
    if (this.#deaths < MAX_DEATHS) return;
    this.#deaths = 0;
    const message = `${MAX_DEATHS} connections in a row ended in their first turn, so the others are not sent`;
    for (const { turn } of this.runner.takeWaiting())
      turn.fail(new ConnectionLostError(message, { delivery: "not-sent", cause: error }));
  }

  /** The caller closes the client. If the connection was given up earlier, `unavailable` is not called again. */
  closing(): void {
    if (this.#setup.core.connection.closedBy) this.#end();
  }

  /** The connection has failed. Searches go on: they may still find replies. */
  unavailable(reason: AgentwireError): void {
    const { wire, core } = this.#setup;
    if (!isAgentwireError(reason, "closed")) {
      for (const [{ turn }] of wire.line.clear()) turn.fail(lostTurn(reason, false));
      this.runner.unavailable(reason);
    }
    if (isAgentwireError(core.connection.closedBy ?? reason, "closed")) this.#end();
  }

  /** Ends all remaining work, because the caller closes the client. */
  #end(): void {
    const { wire, rest } = this.#setup;
    const message = "the client was closed while the server worked on the turn, which it will finish";
    wire.line.clear();
    this.#lostReplies?.close();
    for (const { turn } of this.runner.jobs) turn.abandon(new ClosedError(message, { delivery: "unknown" }));
    rest.close();
  }
}

/** The turn with the largest frame: a server that closes over a frame's size does not name the frame. */
function largest(sent: readonly (readonly [CassJob, SentTurn])[]): CassJob | undefined {
  const most = Math.max(...sent.map(([, { bytes }]) => bytes));
  return sent.find(([, { bytes }]) => bytes === most)?.[0];
}

function tooLarge(bytes: number): PayloadTooLargeError {
  const message = `the server closed the connection over a prompt of ${bytes} bytes; send less`;
  return new PayloadTooLargeError(message, { bytes });
}
