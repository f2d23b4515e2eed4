import { isObject } from "../core/checks.ts";
import type { ClientCore } from "../core/client/client-core.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import {
  type AgentwireError,
  ClosedError,
  ConnectTimeoutError,
  copyError,
  isAgentwireError,
  RequestError,
  RequestTimeoutError,
} from "../core/errors.ts";
import { linkLost, neverReady, requestNotSent, unreadableAnswer } from "../core/link/connection-errors.ts";
import type { Protocol } from "../core/link/connection-state.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import type { Credentials } from "./credentials.ts";
import type { CassClientEvents, CassTitle } from "./events.ts";
import { Handshake } from "./handshake.ts";
import {
  type AudioFrame,
  type Debug,
  decode,
  type ErrorFrame,
  encode,
  type ServerMessage,
  type StatusFrame,
  type Thinking,
} from "./messages.ts";
import type { CassSettings } from "./options.ts";
import type { ResponseFrame } from "./response.ts";
import { type Asked, Session } from "./session.ts";
import { type CassEvent, type CassResult, given } from "./turn.ts";

/** What may be of a turn. */
export type TurnMessage = Thinking | Debug | ResponseFrame | ErrorFrame | AudioFrame;

/** What the wire tells the rest of the client. */
export interface WireUser {
  /** The connection is ready, and the user's: send what waits. */
  ready(): void;
  /** Anything has come from the server. */
  alive(): void;
  /** A message of a turn, and how long its frame was. */
  message(message: TurnMessage, size: number): void;
  /** The response to a turn has come, and cannot be read. */
  unreadable(problem: string): void;
  /** A conversation got a title, or another one. */
  title(title: CassTitle): void;
  /** Whether the server works on a turn, which it does before it reads anything else. */
  busy(): boolean;
  /** Whether somebody waits for a turn that is on the wire. */
  working(): boolean;
  /** The connection is gone, after it was ready. */
  lost(error: AgentwireError): void;
  /** No more will be sent, for now or ever. */
  unavailable(reason: AgentwireError): void;
}

export interface WireSetup {
  readonly settings: CassSettings;
  readonly credentials: Credentials;
  readonly user: WireUser;
  readonly core: () => ClientCore<CassEvent, CassResult, CassClientEvents>;
}

/** `status` requests without an answer on one connection. The client keeps a place for each, so that a late answer is not taken for another's. */
const MAX_UNANSWERED_STATUSES = 64;

/** The protocol below the turns: the handshake, requests answered in order, and loss. */
export class Wire implements Protocol {
  readonly handshake: Handshake;
  readonly #setup: WireSetup;
  #session: Session | undefined;
  /** Whether this server answers pings: a strict one never does, and is not to be judged by it. */
  #answersPings = false;
  #latest: string | undefined;
  /** The next `status` request, while it waits for the line. All callers that wait share it. */
  #question: Deferred<StatusFrame> | undefined;

  constructor(setup: WireSetup) {
    const { settings, credentials, core } = setup;
    this.#setup = setup;
    this.handshake = new Handshake({
      settings,
      credentials,
      core,
      isCurrent: (session) => session === this.#session,
    });
  }

  /** The session, once it is ready and while frames reach the server. */
  get session(): Session | undefined {
    const session = this.#session;
    const { writable, status } = this.#setup.core().connection;
    const stands = session?.phase.name === "ready" && writable && status !== "handshaking";
    return stands ? session : undefined;
  }

  /** The latest time that the server has told, in its own words: they compare as text, and with nothing else. */
  get latest(): string | undefined {
    return this.#latest;
  }

  /** The server has told a time. */
  note(timestamp: string | null | undefined): void {
    if (typeof timestamp === "string" && timestamp > (this.#latest ?? "")) this.#latest = timestamp;
  }

  send(frame: string, asked?: Asked): void {
    if (asked) this.#session?.sent(asked);
    this.#setup.core().connection.send(frame);
  }

  /** A turn was sent or answered. */
  busyChanged(): void {
    const session = this.#session;
    if (!session) return;
    const busy = this.#setup.user.busy();
    // Only a server that reads while it works gets a `status` during a turn. It answers the turn first.
    if (this.#readsWhileWorking) session.statuses.hold(busy);
    if (!busy && this.#answersPings && session.pings.due > 0) this.#setup.core().connection.answerDue();
  }

  /**
   * Writes what has waited for the end of a turn. While a turn runs, the real server reads nothing: behind one unread frame it
   * reads no pongs either, and closes the connection 20 to 40 s later (1011, "keepalive ping timeout").
   */
  writeWaiting(): void {
    const { session } = this;
    const { core, user } = this.#setup;
    if (!session) return;
    if (this.#question && (this.#readsWhileWorking || !user.busy())) this.#ask(session, this.#question);
    if (!session.pingIsDue || user.busy()) return;
    session.pingIsDue = false;
    if (session.pings.due === 0) core().connection.pingNow();
  }

  /** A turn was answered; says so where something that was asked before it was not. */
  turnAnswered(): void {
    this.#answeredInOrder("turn");
  }

  /** Asks for the server's status, once no turn runs. */
  async getStatus(): Promise<StatusFrame> {
    if (!this.session) throw requestNotSent();
    this.#question ??= deferred();
    const { promise } = this.#question;
    this.writeWaiting();
    try {
      return await promise;
    } catch (error) {
      throw isAgentwireError(error) ? copyError(error) : error; // several may wait for it
    }
  }

  /** The client is closing: what was not sent is given back. */
  closing(): void {
    this.#dropQuestion(new ClosedError("the client was closed before `status` was sent"));
  }

  /** One ping of the keepalive; returns whether its answer can be waited for. */
  keepAlive(): boolean {
    const { session } = this;
    if (!session) return !this.#setup.core().connection.writable; // a link that takes nothing is judged like one that answers nothing
    if (this.#setup.user.busy()) {
      session.pingIsDue = true;
      return false;
    }
    if (session.pings.due > 0) return this.#answersPings;
    session.pings.add({
      timeout: 0, // the keepalive's own limit counts
      late: () => new RequestTimeoutError("no pong", { timeout: 0 }),
      reply: () => {
        this.#answersPings = true;
        this.#setup.core().connection.alive();
      },
      failed: () => {}, // the link is gone, which is told elsewhere
    });
    this.send(encode.ping, "ping");
    return true;
  }

  /** Whether the silence of the server proves nothing. */
  excused(): boolean {
    return !this.#answersPings || this.#setup.user.busy();
  }

  // --- the connection's side ---

  opened(): void {
    const session = new Session(this.#setup.settings.socket.clock);
    this.#session = session;
    this.handshake.opened(session);
  }

  message(value: unknown, text: string): void {
    const session = this.#session;
    if (!session) return;
    this.#setup.user.alive();
    this.#setup.core().message(value);
    if (session !== this.#session) return; // a listener has just ended it
    const message = decode(value);
    if ("timestamp" in message) this.note(message.timestamp);
    if (!this.handshake.receive(session, message)) this.#onMessage(session, message, text);
  }

  spoiled(value: unknown, problem: string): void {
    this.#setup.user.alive();
    const session = this.#session;
    const claims = isObject(value) ? value["type"] : undefined;
    if (typeof claims === "string" && session?.phase.name === "ready") this.#settle(session, claims, problem);
  }

  ready(): void {
    this.#setup.user.ready();
  }

  handshakeTimeout(): AgentwireError {
    return new ConnectTimeoutError(this.#setup.settings.greetingTimeout, "greet");
  }

  lost(end: SocketEnd | AgentwireError): AgentwireError {
    const session = this.#session;
    this.#session = undefined;
    if (session?.phase.name !== "ready") {
      const error = neverReady(end, "the server had accepted it");
      session?.end(() => copyError(error));
      return error;
    }
    const error = linkLost(end);
    session.end(() => copyError(error));
    this.#setup.user.lost(error);
    return error;
  }

  /** Only who waits for an answer makes a drain worth waiting for. */
  busy(): boolean {
    return this.#setup.user.working();
  }

  unavailable(reason: AgentwireError): void {
    const session = this.#session;
    this.#session = undefined;
    session?.end(() => copyError(reason));
    this.#dropQuestion(reason);
    this.#setup.user.unavailable(reason);
  }

  // --- status ---

  /** Whether the server is said to read frames while it works on a turn. */
  get #readsWhileWorking(): boolean {
    return this.#setup.settings.maxTurnsInFlight > 1;
  }

  #ask({ statuses }: Session, question: Deferred<StatusFrame>): void {
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
    this.send(encode.status, "status");
  }

  #dropQuestion(reason: AgentwireError): void {
    this.#question?.reject(reason);
    this.#question = undefined;
  }

  // --- messages ---

  #onMessage(session: Session, message: ServerMessage, raw: string): void {
    const { user, core } = this.#setup;
    const { events, redactor } = core();
    switch (message.type) {
      case "thinking":
      case "debug":
      case "response":
      case "audio":
        user.message(message, raw.length);
        return;
      case "error":
        this.#onError(session, { ...message, message: redactor.redact(message.message) }, raw.length);
        return;
      case "title_updated":
      case "title_update": {
        const { conversation_id: conversationId, title, timestamp } = message;
        user.title({ conversationId, title, ...given("timestamp", timestamp) });
        return;
      }
      case "system": {
        const { status, timestamp } = message;
        const rest = { ...given("status", status), ...given("timestamp", timestamp) };
        events.emit("system", { message: message.message, ...rest });
        return;
      }
      case "pong":
        this.#answeredInOrder("ping");
        if (!session.pings.take()) this.#unasked("pong");
        return;
      case "status":
        this.#answeredInOrder("status");
        if (!session.statuses.take(message)) this.#unasked("status");
        return;
      case "connected":
      case "auth_success":
      case "auth_error":
        this.#unasked(message.type);
        return;
      case "unknown":
        core().warn("unknown-message", "a message of a type that is not known here");
        events.emit("unknownMessage", message.message);
        return;
      case "invalid":
        core().warn("invalid-message", message.problem, { raw });
        if (message.claims !== undefined) this.#settle(session, message.claims, message.problem);
        return;
      default:
        message satisfies never;
    }
  }

  /** What waits for a message that cannot be read does not wait for another one. */
  #settle(session: Session, claims: string, problem: string): void {
    if (claims === "response" || claims === "error") this.#setup.user.unreadable(problem);
    if (claims === "status") session.statuses.spoil(unreadableAnswer(problem));
  }

  /** Only a relay says of a request that it does not know it; everything else is about a turn. */
  #onError(session: Session, message: ErrorFrame, size: number): void {
    const unknown = /^Unknown message type: (\w+)$/.exec(message.message)?.[1];
    if (unknown === "status" && session.statuses.due > 0) {
      this.#answeredInOrder("status");
      const text = `the server does not know \`status\`: ${message.message}`;
      session.statuses.spoil(new RequestError(text, { serverMessage: message.message }));
    } else if (unknown === "ping" && session.pings.due > 0) {
      this.#answeredInOrder("ping");
      session.pings.spoil(unreadableAnswer(message.message));
    } else {
      this.#setup.user.message(message, size);
    }
  }

  #answeredInOrder(asked: Asked): void {
    const overtaken = this.#session?.took(asked);
    if (overtaken === undefined || (overtaken === "ping" && !this.#answersPings)) return;
    this.#setup
      .core()
      .warn("out-of-order", `the answer to a ${asked} came before that to an older ${overtaken}`);
  }

  #unasked(what: string): void {
    this.#setup.core().warn("stray-message", `a \`${what}\` that nobody asked for`);
  }
}
