import { Deadline } from "../core/deadline.ts";
import { ConnectionLostError } from "../core/errors.ts";
import type { CassCore } from "./events.ts";
import type { Job, Sent } from "./job.ts";
import type { ResponseFrame } from "./response.ts";

/** ms that a response waits which came before any other sign of its turn. */
const EARLY_GRACE = 1_000;

/**
 * The turns on the server, oldest first; also cancelled ones. The server has no ids: it reads one request, answers it, and
 * reads the next. So its messages belong to the oldest turn.
 */
export class Line {
  readonly #core: CassCore;
  readonly #sent = new Map<Job, Sent>();
  /** Whether this server sends a `thinking` or a `debug` before each response. Unknown until it has answered a turn. */
  #server: "unknown" | "announces" | "answers-at-once" = "unknown";
  #last: Job | undefined;

  constructor(core: CassCore) {
    this.#core = core;
  }

  get jobs(): readonly Job[] {
    return [...this.#sent.keys()];
  }

  /** Whether the server works on a turn. */
  get busy(): boolean {
    return this.#sent.size > 0;
  }

  /** The turn that the server works on. */
  get head(): Job | undefined {
    for (const job of this.#sent.keys()) return job;
    return undefined;
  }

  /** The turn that this connection has answered last. */
  get last(): Job | undefined {
    return this.#last;
  }

  /** Whether the server may be sent another turn. An unknown server gets one: an early response is told apart for one turn only. */
  hasRoom(most: number): boolean {
    return this.#sent.size < (this.#server === "unknown" ? 1 : most);
  }

  /** The turn is being sent. */
  add(job: Job, bytes: number, since: string | undefined): void {
    const onSilence = (): void => this.#cut(job, stage);
    const silence = new Deadline(this.#core.clock, job.idleTimeout, onSilence, { unref: true });
    const stage: Sent = { name: "sent", bytes, since, silence, sign: { name: "none" } };
    job.stage = stage;
    this.#sent.set(job, stage);
    if (this.head === job) silence.start();
  }

  /** A frame has come. */
  alive(): void {
    for (const { silence } of this.#sent.values()) silence.touch();
  }

  /** The server works on the turn. Returns a response that came before: it was of another turn. */
  begun(job: Job): ResponseFrame | undefined {
    this.#server = "announces";
    const stage = this.#sent.get(job);
    if (!stage) return undefined;
    const early = takeEarly(stage);
    stage.sign = { name: "begun" };
    return early;
  }

  /**
   * A response to the turn came; `undefined` if the response cannot be read. `take` ends the turn with the response. A server may
   * answer an older turn twice. So an early response, before any sign of its turn, is taken only if no sign of the turn follows
   * within `EARLY_GRACE`. Returns a response that belongs to no turn.
   */
  answered(job: Job, message: ResponseFrame | undefined, take: () => void): ResponseFrame | undefined {
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

  /** The server is done with the turn, and works on the next. Returns a response that waited and is of no turn. */
  delete(job: Job): ResponseFrame | undefined {
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

  /** The connection is gone. Returns the turns that were on the line. */
  clear(): readonly (readonly [Job, Sent])[] {
    const sent = [...this.#sent];
    for (const [job, stage] of sent) {
      stage.silence.stop();
      takeEarly(stage);
      job.stage = { name: "over" };
    }
    this.#sent.clear();
    this.#last = undefined;
    return sent;
  }

  /** Cuts the connection: a server that hangs looks like a server that thinks. */
  #cut(job: Job, stage: Sent): void {
    takeEarly(stage);
    stage.sign = { name: "silent" };
    const message = `the server was silent for ${job.idleTimeout} ms in the middle of a turn`;
    this.#core.connection.drop(new ConnectionLostError(message));
  }
}

/** Takes back an early response. */
function takeEarly({ sign }: Sent): ResponseFrame | undefined {
  if (sign.name !== "early") return undefined;
  sign.cancelTimer();
  return sign.message;
}
