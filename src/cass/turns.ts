import { type AgentwireError, isAgentwireError, TurnTimeoutError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import { utf8Length } from "../core/text.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import { Answers } from "./answers.ts";
import { stateOf } from "./conversation.ts";
import type { CassCore } from "./events.ts";
import {
  closedInTurn,
  isTooLarge,
  lostTurn,
  MAX_DEATHS,
  serverDies,
  tooLargeTurn,
  unreadableImage,
} from "./failures.ts";
import { type CassOrder, checkUser, conversationOf, type Job } from "./job.ts";
import { Line } from "./line.ts";
import { LostReplies } from "./lost-replies.ts";
import type { WireImage } from "./messages.ts";
import type { CassSettings } from "./options.ts";
import { checkSize } from "./prompt.ts";
import type { Recovery } from "./recovery.ts";
import type { Speech } from "./speech.ts";
import { type CassEvent, type CassResult, textOf } from "./turn.ts";
import type { Wire } from "./wire.ts";

export interface TurnsSetup {
  readonly settings: CassSettings;
  readonly wire: Wire;
  readonly recovery: Recovery;
  readonly speech: Speech;
  readonly core: CassCore;
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
  readonly answers: Answers;
  readonly #setup: TurnsSetup;
  readonly #line: Line;
  readonly #lostReplies: LostReplies;
  /** Connections in a row that have ended in their first turn. */
  #deaths = 0;
  /** Whether the present connection is left because of turns that nobody waits for. */
  #isLeaving = false;

  constructor(setup: TurnsSetup) {
    const { core } = setup;
    const line = new Line(core);
    const lostReplies = new LostReplies(setup);
    this.#setup = setup;
    this.#line = line;
    this.#lostReplies = lostReplies;
    this.runner = new Runner(core, this);
    this.answers = new Answers({ ...setup, line, lostReplies, next: () => this.#next() });
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
  create({ input, request, options, ...order }: CassOrder): Job {
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

  /** Sends what waits, as far as the server may be asked. */
  pump(): void {
    const { wire, settings } = this.#setup;
    wire.asides.writeWaiting(); // before the next turn, behind which it might wait for ever
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

  /** The server lives. */
  alive(): void {
    this.#line.alive();
  }

  /** The connection is gone. What was on it may be done all the same, so nothing is sent again. */
  lost(error: AgentwireError): void {
    const { jobs, silent, hasAnswered } = this.#line.clear();
    if (hasAnswered) this.#deaths = 0;
    else if (jobs.length > 0 && !this.#isLeaving) this.#deaths++;
    this.#isLeaving = false;
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
      if (isSearched) this.#lostReplies.search(job, failure, () => this.#goOn());
      else job.turn.fail(failure);
    }
    if (this.#deaths < MAX_DEATHS) return;
    this.#deaths = 0;
    for (const { turn } of this.runner.takeWaiting()) turn.fail(serverDies(error));
  }

  /** Ends all that is left, by the caller's will. */
  close(): void {
    this.#line.clear();
    this.#lostReplies.close();
    for (const { turn } of this.runner.jobs) turn.abandon(closedInTurn());
  }

  /** The connection is not to be had. What is searched for may be found all the same. */
  unavailable(reason: AgentwireError): void {
    for (const { turn } of this.#line.clear().jobs) turn.fail(lostTurn(reason, false));
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
    wire.sendTurn(frame, () => turn.unsent());
    turn.sent();
    const { provider = "anthropic" } = this.answers;
    if (job.image && provider !== "anthropic")
      core.warn("image-ignored", `models of ${provider} do not get to see the image`);
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
}

/** A server that closes over the size of a frame does not say of which. */
function largestOf(jobs: readonly Job[]): Job | undefined {
  return jobs.reduce<Job | undefined>(
    (most, job) => (job.bytes > (most?.bytes ?? -1) ? job : most),
    undefined,
  );
}
