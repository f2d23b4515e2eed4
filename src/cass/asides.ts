import { type Deferred, deferred } from "../core/deferred.ts";
import {
  type AgentwireError,
  copyError,
  isAgentwireError,
  RequestError,
  RequestTimeoutError,
} from "../core/errors.ts";
import { requestNotSent, unreadableAnswer } from "../core/link/connection-errors.ts";
import type { CassCore } from "./events.ts";
import { encode, type StatusFrame } from "./messages.ts";
import type { CassSettings } from "./options.ts";
import type { Asked, Session } from "./session.ts";

export interface AsidesSetup {
  readonly settings: CassSettings;
  readonly core: CassCore;
  /** The session, while frames reach the server. */
  readonly session: () => Session | undefined;
  /** Whether the server works on a turn. */
  readonly busy: () => boolean;
}

/** `status` requests without an answer on one connection. The client keeps a place for each, so that a late answer is not taken for another's. */
const MAX_UNANSWERED_STATUSES = 64;

/**
 * What the client asks besides turns: pings, and the server's status. While a turn runs, the real server reads nothing: behind
 * one unread frame it reads no pongs either, and closes the connection 20 to 40 s later (1011, "keepalive ping timeout"). So
 * what is asked waits for the end of the turn.
 */
export class Asides {
  readonly #setup: AsidesSetup;
  /** Whether this server answers pings: a strict one never does, and is not to be judged by it. */
  #answersPings = false;
  /** The next `status` request, while it waits for the line. All callers that wait share it. */
  #question: Deferred<StatusFrame> | undefined;

  constructor(setup: AsidesSetup) {
    this.#setup = setup;
  }

  /** A turn was sent or answered on this session. */
  busyChanged(session: Session): void {
    const { core } = this.#setup;
    const busy = this.#setup.busy();
    // Only a server that reads while it works gets a `status` during a turn. It answers the turn first.
    if (this.#readsWhileWorking) session.statuses.hold(busy);
    if (!busy && this.#answersPings && session.pings.due > 0) core.connection.answerDue();
  }

  /** Writes what has waited for the end of a turn. */
  writeWaiting(): void {
    const { core } = this.#setup;
    const session = this.#setup.session();
    const busy = this.#setup.busy();
    if (!session) return;
    if (this.#question && (this.#readsWhileWorking || !busy)) this.#ask(session, this.#question);
    if (!session.pingIsDue || busy) return;
    session.pingIsDue = false;
    if (session.pings.due === 0) core.connection.pingNow();
  }

  /** Asks for the server's status, once no turn runs. */
  async getStatus(): Promise<StatusFrame> {
    if (!this.#setup.session()) throw requestNotSent();
    this.#question ??= deferred();
    const { promise } = this.#question;
    this.writeWaiting();
    try {
      return await promise;
    } catch (error) {
      throw isAgentwireError(error) ? copyError(error) : error; // several may wait for it
    }
  }

  /** What was not sent is given back. */
  dropQuestion(reason: AgentwireError): void {
    this.#question?.reject(reason);
    this.#question = undefined;
  }

  /** One ping of the keepalive; returns whether its answer can be waited for. */
  ping(): boolean {
    const { core } = this.#setup;
    const session = this.#setup.session();
    if (!session) return !core.connection.writable; // a link that takes nothing is judged like one that answers nothing
    if (this.#setup.busy()) {
      session.pingIsDue = true;
      return false;
    }
    if (session.pings.due > 0) return this.#answersPings;
    session.pings.add({
      timeout: 0, // the keepalive's own limit counts
      late: () => new RequestTimeoutError("no pong", { timeout: 0 }),
      reply: () => {
        this.#answersPings = true;
        core.connection.alive();
      },
      failed: () => {}, // the link is gone, which is told elsewhere
    });
    this.#send(session, encode.ping, "ping");
    return true;
  }

  /** Whether the silence of the server proves nothing. */
  excused(): boolean {
    return !this.#answersPings || this.#setup.busy();
  }

  /** Something was answered; says so where something that was asked before it was not. */
  answeredInOrder(session: Session | undefined, asked: Asked): void {
    const overtaken = session?.took(asked);
    if (overtaken === undefined || (overtaken === "ping" && !this.#answersPings)) return;
    const problem = `the answer to a ${asked} came before that to an older ${overtaken}`;
    this.#setup.core.warn("out-of-order", problem);
  }

  /** A `pong` has come; returns whether one was due. */
  pong(session: Session): boolean {
    this.answeredInOrder(session, "ping");
    return session.pings.take();
  }

  /** A `status` has come; returns whether one was due. */
  status(session: Session, message: StatusFrame): boolean {
    this.answeredInOrder(session, "status");
    return session.statuses.take(message);
  }

  /** Only a relay says of a request that it does not know it; everything else that is wrong is about a turn. Returns whether it was that. */
  refused(session: Session, said: string): boolean {
    const unknown = /^Unknown message type: (\w+)$/.exec(said)?.[1];
    if (unknown === "status" && session.statuses.due > 0) {
      this.answeredInOrder(session, "status");
      const text = `the server does not know \`status\`: ${said}`;
      return session.statuses.spoil(new RequestError(text, { serverMessage: said }));
    }
    if (unknown !== "ping" || session.pings.due === 0) return false;
    this.answeredInOrder(session, "ping");
    return session.pings.spoil(unreadableAnswer(said));
  }

  /** Whether the server is said to read frames while it works on a turn. */
  get #readsWhileWorking(): boolean {
    return this.#setup.settings.maxTurnsInFlight > 1;
  }

  #ask(session: Session, question: Deferred<StatusFrame>): void {
    const { statuses } = session;
    const { requestTimeout: timeout } = this.#setup.settings;
    this.#question = undefined;
    if (statuses.due >= MAX_UNANSWERED_STATUSES) {
      const message = `\`status\` was not sent: the server has left ${statuses.due} unanswered`;
      question.reject(new RequestTimeoutError(message, { timeout }));
      return;
    }
    const late = (): AgentwireError =>
      new RequestTimeoutError(`the server did not answer \`status\` within ${timeout} ms; some do not`, {
        timeout,
      });
    statuses.add({ timeout, late, reply: question.resolve, failed: question.reject });
    this.#send(session, encode.status, "status");
  }

  #send(session: Session, frame: string, asked: Asked): void {
    session.sent(asked);
    this.#setup.core.connection.send(frame);
  }
}
