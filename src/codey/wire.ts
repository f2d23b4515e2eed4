// The protocol below the turns: the greeting, requests answered in order, and loss of the link.
import type { ClientProtocol } from "../core/client/client-core.ts";
import type { Clock } from "../core/clock.ts";
import {
  type AgentwireError,
  ConnectTimeoutError,
  copyError,
  HandshakeError,
  RequestTimeoutError,
} from "../core/errors.ts";
import { linkLost, neverReady, requestNotSent, unreadableAnswer } from "../core/link/connection-errors.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import { Recent } from "../core/recent.ts";
import { Replies } from "../core/replies.ts";
import { TIMEOUT_HINT } from "./errors.ts";
import type { CodeyCore } from "./events.ts";
import {
  type CodeyServerMessage,
  decode,
  encode,
  type FinishedUsage,
  type History,
  type Invalid,
  invalid,
  type ServerError,
  type State,
  type TurnMessage,
} from "./messages.ts";
import type { CodeySettings } from "./options.ts";
import { type CodeyUsage, UsageCount } from "./usage.ts";

/** The user of the wire: the turns. */
export interface CodeyWireUser {
  /** The connection is ready: send the waiting prompt. */
  pump(): void;
  /** A message of a turn, or a message that cannot be read or handled. `text` is the frame. */
  receive(message: TurnMessage | ServerError | Invalid, text: string): void;
  /** The connection has ended, and its session with it. */
  lost(error: AgentwireError): void;
  /** The client ends the link. Returns the frames that stop the running turn. */
  farewell(): readonly string[];
  /** There is no connection, for now or ever: fail the waiting turns. */
  unavailable(reason: AgentwireError): void;
}

interface WireSetup {
  readonly settings: CodeySettings;
  readonly core: CodeyCore;
}

/** The number of remembered calls of ended turns. A late message about a remembered call begins no new call. */
const REMEMBERED = 256;

/** The outstanding replies and the usage of one connection. Ends with its socket. */
class Session {
  /** Set once the server has greeted. */
  id: string | undefined;
  readonly pings: Replies<void>;
  readonly states: Replies<State>;
  readonly histories: Replies<History>;
  readonly usage = new UsageCount();
  /** The calls of ended turns, by `keyOf`. */
  readonly past = new Recent<string, true>(REMEMBERED);

  constructor(clock: Clock) {
    this.pings = new Replies(clock);
    this.states = new Replies(clock);
    this.histories = new Replies(clock);
  }

  end(error: AgentwireError): void {
    for (const replies of [this.pings, this.states, this.histories]) replies.clear(() => copyError(error));
  }
}

/** The protocol below the turns: the greeting, requests answered in order, and loss. */
export class CodeyWire implements ClientProtocol {
  readonly #setup: WireSetup;
  #user: CodeyWireUser | undefined;
  #session: Session | undefined;
  #sessionId: string | undefined;

  constructor(setup: WireSetup) {
    this.#setup = setup;
  }

  /** Sets the user: the wire is made before its user. */
  serve(user: CodeyWireUser): void {
    this.#user = user;
  }

  /** The session, from the server's greeting until no more frames can be sent. */
  get session(): Session | undefined {
    const session = this.#session;
    return session?.id !== undefined && this.#setup.core.connection.writable ? session : undefined;
  }

  /** The session id of the current or last connection. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  send(frame: string, unwritten?: () => void): void {
    this.#setup.core.connection.send(frame, unwritten);
  }

  /** Sends a `Ping`. At its `Pong`, `ponged` is called: messages that the server sent earlier have arrived. */
  pingThen(timeout = 0, ponged = (): void => {}, failed: (error: AgentwireError) => void = () => {}): void {
    const late = (): AgentwireError => noReply("Ping", timeout);
    this.#session?.pings.add({ timeout, late, reply: ponged, failed });
    this.send(encode.ping);
  }

  /** Sends a request, and waits for its reply. */
  request<Reply>(of: (session: Session) => Replies<Reply>, frame: string, what: string): Promise<Reply> {
    const { session } = this;
    const { requestTimeout: timeout, socket } = this.#setup.settings;
    if (!session) return Promise.reject(requestNotSent());
    return socket.outbox.run(() => {
      const reply = of(session).ask(timeout, () => noReply(what, timeout));
      this.send(frame);
      return reply;
    });
  }

  /** The usage of a turn, from the server's count for the session. `told` is undefined for a turn without a count. */
  count(told: FinishedUsage | undefined): CodeyUsage | undefined {
    const count = this.session?.usage;
    if (!told) count?.missed();
    if (!told || !count) return undefined;
    const { usage, odd } = count.take(told);
    if (odd) this.#setup.core.warn("odd-usage", "the server's count of output tokens went backwards");
    return usage;
  }

  opened(): void {
    this.#session = new Session(this.#setup.settings.socket.clock);
  }

  message(value: unknown, text: string): void {
    const session = this.#session;
    if (!session) return;
    this.#setup.core.message(value);
    const message = decode(value);
    if (session.id !== undefined) this.#onMessage(session, message, text);
    else
      this.#setup.core.connection.whenLoaded(() => {
        if (session.id === undefined) this.#onGreeting(session, message);
        else this.#onMessage(session, message, text);
      });
  }

  spoiled(value: unknown, problem: string, text: string): void {
    const session = this.#session;
    if (session?.id === undefined) return; // the handshake has its own time limit
    this.#onInvalid(session, invalid(value, problem), text);
  }

  ready(): void {
    this.#user?.pump();
  }

  handshakeTimedOut(): void {
    const { settings, core } = this.#setup;
    core.connection.drop(new ConnectTimeoutError(settings.socket.connectTimeout, "greet", TIMEOUT_HINT));
  }

  lost(end: SocketEnd | AgentwireError): AgentwireError {
    const session = this.#session;
    this.#session = undefined;
    if (session?.id === undefined) return neverReady(end, "the server greeted");
    const error = linkLost(end);
    session.end(error);
    this.#user?.lost(error);
    return error;
  }

  unavailable(reason: AgentwireError): void {
    this.#session?.end(reason);
    this.#session = undefined;
    this.#user?.unavailable(reason);
  }

  /** Sends a keepalive ping. A connection that takes no frame counts like one without a pong. */
  ping(): boolean {
    if (!this.session) return !this.#setup.core.connection.writable;
    this.pingThen();
    return true;
  }

  carriesCredentials(): boolean {
    return false;
  }

  /**
   * The server does not react to a Close. A session ends at its second failed send, so three `Ping`s go out with the Close. Read
   * together with the Close, their answers fail. That holds before the greeting too.
   */
  farewell(): readonly string[] {
    if (!this.#session || !this.#user) return [];
    return [...this.#user.farewell(), encode.ping, encode.ping, encode.ping];
  }

  #onGreeting(session: Session, message: CodeyServerMessage): void {
    const { connection, redactor, events } = this.#setup.core;
    if (message.type === "Connected") {
      const { session_id: sessionId } = message;
      const previous = this.#sessionId;
      const contextLost = previous !== undefined;
      session.id = sessionId;
      this.#sessionId = sessionId;
      const since = contextLost ? { previousSessionId: previous } : {};
      events.emit("sessionStarted", { sessionId, contextLost, ...since });
      connection.accept();
      return;
    }
    const said = message.type === "Error" ? `: ${redactor.redact(message.message)}` : "";
    const problem = `the server began with ${nameOf(message)} instead of \`Connected\`${said}`;
    connection.refuse(new HandshakeError("rejected", problem));
  }

  #onMessage(session: Session, message: CodeyServerMessage, text: string): void {
    const { core } = this.#setup;
    switch (message.type) {
      case "Pong":
        if (!session.pings.take()) break; // an unexpected pong proves no life
        core.connection.alive();
        return;
      case "State":
        if (session.states.take(message)) return;
        break;
      case "History":
        if (session.histories.take(message)) return;
        break;
      case "Connected":
        break;
      case "unknown":
        core.warn("unknown-message", "a message of a type that is not known here");
        core.events.emit("unknownMessage", message.message);
        return;
      case "invalid":
        core.warn("invalid-message", message.problem, { raw: text });
        this.#onInvalid(session, message, text);
        return;
      case "Error":
        this.#user?.receive({ ...message, message: core.redactor.redact(message.message) }, text);
        return;
      default:
        this.#user?.receive(message, text);
        return;
    }
    core.warn("stray-message", `a \`${message.type}\` that nobody asked for`);
  }

  /** Handles an unreadable message. If it is a reply, its request fails: no other reply will come. */
  #onInvalid(session: Session, message: Invalid, text: string): void {
    if (message.claims === "State") session.states.spoil(unreadableAnswer(message.problem));
    if (message.claims === "History") session.histories.spoil(unreadableAnswer(message.problem));
    this.#user?.receive(message, text);
  }
}

function noReply(what: string, timeout: number): AgentwireError {
  return new RequestTimeoutError(`the server did not answer \`${what}\` within ${timeout} ms`, { timeout });
}

function nameOf(message: CodeyServerMessage): string {
  if (message.type === "invalid") return message.problem;
  return message.type === "unknown" ? "a message of an unknown type" : `\`${message.type}\``;
}
