// Pings and status requests, held back while a turn runs, because the server then reads nothing.
import { type Deferred, deferred } from "../core/deferred.ts";
import {
  type AgentwireError,
  copyError,
  isAgentwireError,
  RequestError,
  RequestTimeoutError,
} from "../core/errors.ts";
import { unreadableAnswer } from "../core/link/connection-errors.ts";
import { Replies } from "../core/replies.ts";
import type { CassCore } from "./events.ts";
import type { Line } from "./line.ts";
import { encode, type StatusFrame } from "./messages.ts";
import type { CassSettings } from "./options.ts";

/** The requests that the server answers in order. */
type Asked = "turn" | "ping" | "status";

/**
 * The limit of `status` requests without an answer on one connection. Each keeps its place: a late answer must not be taken for another
 * request's.
 */
const MAX_UNANSWERED_STATUSES = 64;

/**
 * The client's requests besides turns: pings, and the server's status. The real server reads nothing while a turn runs. After one unread
 * frame it does not read pongs either, and closes the connection 20 to 40 s later (1011, "keepalive ping timeout"). So these requests
 * wait for the end of the turn.
 */
export class Asides {
  readonly #core: CassCore;
  readonly #line: Line;
  readonly #settings: CassSettings;
  readonly #pings: Replies<void>;
  readonly #statuses: Replies<StatusFrame>;
  /** The requests on this connection, oldest first. */
  #order: readonly Asked[] = [];
  /** Whether this server answers pings. A strict server does not, so its silence proves nothing. */
  #answersPings = false;
  /** Whether a keepalive ping waits for the line. */
  #pingWaits = false;
  /** The next `status` request while it waits for the line. All its callers share the request. */
  #question: Deferred<StatusFrame> | undefined;

  constructor(core: CassCore, line: Line, settings: CassSettings) {
    this.#core = core;
    this.#line = line;
    this.#settings = settings;
    this.#pings = new Replies(core.clock);
    this.#statuses = new Replies(core.clock);
  }

  /** Whether the server is known to read frames while it works on a turn. */
  get #readsWhileWorking(): boolean {
    return this.#settings.maxTurnsInFlight > 1;
  }

  /** A turn is being sent. */
  turnSent(): void {
    this.#order = [...this.#order, "turn"];
    this.#lineChanged();
  }

  turnAnswered(): void {
    this.#answeredInOrder("turn");
    this.#lineChanged();
  }

  #lineChanged(): void {
    const { busy } = this.#line;
    if (this.#readsWhileWorking) this.#statuses.hold(busy); // the server answers the turn first
    if (!busy && this.#answersPings && this.#pings.due > 0) this.#core.connection.keepalive?.due();
  }

  /** Writes the requests that waited for the line. */
  writeWaiting(): void {
    const { busy } = this.#line;
    if (this.#question && (this.#readsWhileWorking || !busy)) this.#ask(this.#question);
    if (!this.#pingWaits || busy) return;
    this.#pingWaits = false;
    if (this.#pings.due === 0) this.#core.connection.keepalive?.pingNow();
  }

  /** Requests the server's status once no turn runs. */
  async getStatus(): Promise<StatusFrame> {
    this.#question ??= deferred();
    const { promise } = this.#question;
    this.writeWaiting();
    try {
      return await promise;
    } catch (error) {
      throw isAgentwireError(error) ? copyError(error) : error; // several callers may share the error
    }
  }

  /** Rejects the unwritten `status` request. */
  dropQuestion(reason: AgentwireError): void {
    this.#question?.reject(reason);
    this.#question = undefined;
  }

  /** Sends a keepalive ping. Returns whether an answer can be expected. */
  ping(): boolean {
    if (this.#line.busy) {
      this.#pingWaits = true;
      return false;
    }
    if (this.#pings.due > 0) return this.#answersPings;
    this.#pings.add({
      timeout: 0, // the keepalive has its own time limit
      late: () => new RequestTimeoutError("no pong", { timeout: 0 }),
      reply: () => {
        this.#answersPings = true;
        this.#core.connection.alive();
      },
      failed: () => {}, // the connection is lost
    });
    this.#send(encode.ping, "ping");
    return true;
  }

  /** Whether the server's silence proves nothing. */
  excused(): boolean {
    return !this.#answersPings || this.#line.busy;
  }

  /** A `pong` arrived. Returns whether one was due. */
  pong(): boolean {
    this.#answeredInOrder("ping");
    return this.#pings.take();
  }

  /** A `status` arrived. Returns whether one was due. */
  status(message: StatusFrame): boolean {
    this.#answeredInOrder("status");
    return this.#statuses.take(message);
  }

  /** An unreadable `status` arrived. */
  unreadableStatus(problem: string): void {
    this.#statuses.spoil(unreadableAnswer(problem));
  }

  /** Whether an `error` is about a ping or a `status`. Only a relay reports them as unknown. Other errors are about a turn. */
  refused(said: string): boolean {
    const unknown = /^Unknown message type: (\w+)$/.exec(said)?.[1];
    if (unknown === "status" && this.#statuses.due > 0) {
      this.#answeredInOrder("status");
      const text = `the server does not know \`status\`: ${said}`;
      return this.#statuses.spoil(new RequestError(text, { serverMessage: said }));
    }
    if (unknown !== "ping" || this.#pings.due === 0) return false;
    this.#answeredInOrder("ping");
    return this.#pings.spoil(unreadableAnswer(said));
  }

  /** The connection has ended. */
  end(error: AgentwireError): void {
    const copy = (): AgentwireError => copyError(error);
    this.#pings.clear(copy);
    this.#statuses.clear(copy);
    this.#statuses.hold(false);
    this.#order = [];
    this.#pingWaits = false;
  }

  /**
   * Warns if an older request is still unanswered. Warns once: a server that does not know a request still answers later ones.
   */
  #answeredInOrder(asked: Asked): void {
    const at = this.#order.indexOf(asked);
    if (at < 0) return;
    const [first] = this.#order;
    this.#order = this.#order.slice(at + 1);
    if (at === 0 || (first === "ping" && !this.#answersPings)) return;
    const problem = `the answer to a ${asked} came before that to an older ${first}`;
    this.#core.warn("out-of-order", problem);
  }

  #ask(question: Deferred<StatusFrame>): void {
    const { requestTimeout: timeout } = this.#settings;
    this.#question = undefined;
    const { due } = this.#statuses;
    if (due >= MAX_UNANSWERED_STATUSES) {
      const message = `\`status\` was not sent: the server has left ${due} unanswered`;
      question.reject(new RequestTimeoutError(message, { timeout }));
      return;
    }
    const message = `the server did not answer \`status\` within ${timeout} ms; some do not`;
    const late = (): AgentwireError => new RequestTimeoutError(message, { timeout });
    this.#statuses.add({ timeout, late, reply: question.resolve, failed: question.reject });
    this.#send(encode.status, "status");
  }

  #send(frame: string, asked: Asked): void {
    this.#order = [...this.#order, asked];
    this.#core.connection.send(frame);
  }
}
