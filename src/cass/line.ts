// The turns that the server has not answered, in order: messages have no ids and belong to the oldest.
import { Deadline } from "../core/clock.ts";
import { ConnectionLostError } from "../core/errors.ts";
import { Table } from "../core/table.ts";
import type { CassCore } from "./events.ts";
import type { CassJob, SentTurn } from "./job.ts";
import type { ResponseFrame } from "./response.ts";
import type { ReceivedTime } from "./server-time.ts";

/** ms that a response waits if it came before any other sign of its turn. */
const EARLY_GRACE = 1_000;

/**
 * The turns on the server, oldest first, including cancelled ones. The server has no ids: it reads one request, answers it, and reads
 * the next. So its messages belong to the oldest turn.
 */
export class Line {
  readonly #core: CassCore;
  readonly #sent = new Table<CassJob, SentTurn>();
  /** Whether this server sends a `thinking` or a `debug` before each response. Unknown until the server has answered a turn. */
  #server: "unknown" | "announces" | "answers-at-once" = "unknown";
  #last: CassJob | undefined;

  constructor(core: CassCore) {
    this.#core = core;
  }

  get jobs(): readonly CassJob[] {
    return [...this.#sent.keys()];
  }

  /** Whether the server works on a turn. */
  get busy(): boolean {
    return this.#sent.size > 0;
  }

  /** The turn that the server is working on. */
  get head(): CassJob | undefined {
    for (const job of this.#sent.keys()) return job;
    return undefined;
  }

  /** The turn that was answered last on this connection. */
  get last(): CassJob | undefined {
    return this.#last;
  }

  /**
   * Whether another turn may be sent. An unknown server gets only one turn: the client can detect an early response for one turn only.
   */
  hasSpace(most: number): boolean {
    return this.#sent.size < (this.#server === "unknown" ? 1 : most);
  }

  /** Adds a turn that is being sent. */
  add(job: CassJob, bytes: number, since: ReceivedTime | undefined): void {
    const onSilence = (): void => this.#cut(job, stage);
    const silence = new Deadline(this.#core.clock, job.idleTimeout, onSilence, { unref: true });
    const stage: SentTurn = { name: "sent", bytes, since, silence, sign: { name: "none" } };
    job.stage = stage;
    this.#sent.set(job, stage);
    if (this.head === job) silence.start();
  }

  /** A frame arrived: restarts the limits on silence. */
  alive(): void {
    for (const { silence } of this.#sent.values()) silence.touch();
  }

  /** The server works on the turn. Returns an early response: it belonged to another turn. */
  begun(job: CassJob): ResponseFrame | undefined {
    this.#server = "announces";
    const stage = this.#sent.get(job);
    if (!stage) return undefined;
    const early = takeEarly(stage);
    stage.sign = { name: "begun" };
    return early;
  }

  /**
   * Handles a response to the turn; `undefined` for an unreadable response. `take` ends the turn with the response. A server may answer
   * an older turn twice. So an early response, before any sign of its turn, counts only if no sign of the turn follows within
   * `EARLY_GRACE`. Returns a response that belongs to no turn.
   */
  answered(job: CassJob, message: ResponseFrame | undefined, take: () => void): ResponseFrame | undefined {
    const stage = this.#sent.get(job);
    if (!stage) return message;
    const { name } = stage.sign;
    if (name === "begun" || this.#server === "answers-at-once") {
      take();
      return undefined;
    }
    if (this.#server === "announces" || name === "early") return message;
    const onTime = (): void => {
      this.#server = "answers-at-once";
      stage.sign = { name: "none" };
      take();
    };
    const cancelTimer = this.#core.clock.setTimeout(onTime, EARLY_GRACE);
    stage.sign = { name: "early", message, cancelTimer };
    return undefined;
  }

  /** Removes an answered turn: the server works on the next one. Returns an early response that belongs to no turn. */
  delete(job: CassJob): ResponseFrame | undefined {
    const stage = this.#sent.get(job);
    if (!stage) return undefined;
    stage.silence.stop();
    this.#sent.delete(job);
    job.stage = { name: "over" };
    this.#last = job;
    for (const next of this.#sent.values()) {
      next.silence.start();
      break;
    }
    return takeEarly(stage);
  }

  /** The connection has ended. Returns the turns that were on the line. */
  clear(): readonly (readonly [CassJob, SentTurn])[] {
    const sent = [...this.#sent.entries()];
    for (const [job, stage] of sent) {
      stage.silence.stop();
      takeEarly(stage);
      job.stage = { name: "over" };
    }
    this.#sent.clear();
    this.#last = undefined;
    return sent;
  }

  /** Cuts the connection: the client cannot tell a hanging server from a thinking one. */
  #cut(job: CassJob, stage: SentTurn): void {
    takeEarly(stage);
    stage.sign = { name: "silent" };
    const message = `the server was silent for ${job.idleTimeout} ms in the middle of a turn`;
    this.#core.connection.drop(new ConnectionLostError(message));
  }
}

/** Takes an early response off its turn. */
function takeEarly({ sign }: SentTurn): ResponseFrame | undefined {
  if (sign.name !== "early") return undefined;
  sign.cancelTimer();
  return sign.message;
}
