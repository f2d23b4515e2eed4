import type { ClientCore, ClientProtocol } from "../core/client/client-core.ts";
import {
  type AgentwireError,
  ConnectTimeoutError,
  copyError,
  HandshakeError,
  RequestTimeoutError,
} from "../core/errors.ts";
import { linkLost, neverReady, requestNotSent, unreadableAnswer } from "../core/link/connection-errors.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import type { Replies } from "../core/replies.ts";
import type { CodeyClientEvents } from "./events.ts";
import {
  decode,
  encode,
  type Invalid,
  type ServerError,
  type ServerMessage,
  type TurnMessage,
  type UnreadableQuestion,
  unhandled,
} from "./messages.ts";
import type { CodeySettings } from "./options.ts";
import { Session } from "./session.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";

/** The published server, on a machine of few cores: its session loop never yields to what answers clients. */
export const TIMEOUT_HINT =
  "codey-server as published (with tokio 1.49) answers nobody on a machine of few cores, and each session left behind uses up a core: " +
  "restart the server, build it with tokio 1.51 or later, or give it more cores";

/** What the wire tells the rest of the client. */
export interface WireUser {
  /** The server has greeted: another session begins. */
  sessionStarted(sessionId: string): void;
  /** The connection is ready: send what waits. */
  pump(): void;
  /** A message of a turn, and how long its frame was. */
  receive(message: TurnMessage, size: number): void;
  /** The server says that something failed. */
  receiveError(error: ServerError): void;
  /** A call needs a decision, and more of it cannot be read. */
  receiveUnreadable(question: UnreadableQuestion): void;
  /** The end of a turn cannot be read; `agentId` says whose end it is; an error is everybody's. */
  receiveUnreadableEnd(problem: string, agentId: number | undefined): void;
  /** The handling of a message threw, perhaps half-way through what it meant for a turn. */
  handlingFailed(problem: string): void;
  /** The session is gone, and with it everything the server knew. */
  sessionLost(error: AgentwireError): void;
  /** The client is closing: what runs is told to stop. */
  closing(): void;
  /** No more will be sent, for now or ever. */
  unavailable(reason: AgentwireError): void;
}

export interface WireSetup {
  readonly settings: CodeySettings;
  readonly core: ClientCore<CodeyEvent, CodeyResult, CodeyClientEvents>;
}

/** The protocol below the turns: the greeting, requests answered in order, and loss. */
export class Wire implements ClientProtocol {
  readonly #setup: WireSetup;
  #user: WireUser | undefined;
  #session: Session | undefined;

  constructor(setup: WireSetup) {
    this.#setup = setup;
  }

  /** Made before what uses it. */
  serve(user: WireUser): void {
    this.#user = user;
  }

  /** The session, once the server has greeted and while frames reach it. */
  get session(): Session | undefined {
    const session = this.#session;
    return session?.id !== undefined && this.#setup.core.connection.writable ? session : undefined;
  }

  send(frame: string, unwritten?: () => void): void {
    this.#setup.core.connection.send(frame, unwritten);
  }

  /** Sends a `Ping`, and tells when its own `Pong` has come: by then everything before it has. */
  pingThen(timeout: number, ponged: () => void, failed: (error: AgentwireError) => void): void {
    const late = (): AgentwireError => noReply("Ping", timeout);
    this.#session?.pings.add({ timeout, late, reply: ponged, failed });
    this.send(encode.ping);
  }

  /** Asks for something that is answered in order. */
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

  /** A `Ping` whose `Pong` nobody waits for. */
  #pingOnly(): void {
    this.pingThen(
      0,
      () => {},
      () => {},
    );
  }

  // --- the connection's side ---

  opened(): void {
    this.#session = new Session(this.#setup.settings.socket.clock);
  }

  message(value: unknown, text: string): void {
    const session = this.#session;
    if (!session) return;
    this.#setup.core.message(value);
    const message = decode(value);
    if (session.id === undefined) this.#onGreeting(session, message);
    else this.#onMessage(session, message, text);
  }

  spoiled(value: unknown, problem: string, raw: string): void {
    const session = this.#session;
    if (session?.id === undefined) return; // the handshake has a limit of its own
    this.#settle(session, unhandled(value, problem), raw);
    this.#user?.handlingFailed(problem);
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
    session.end(() => copyError(error));
    this.#user?.sessionLost(error);
    return error;
  }

  unavailable(reason: AgentwireError): void {
    const session = this.#session;
    this.#session = undefined;
    session?.end(() => copyError(reason));
    this.#user?.unavailable(reason);
  }

  /** A link that takes nothing is judged like one that answers nothing. */
  ping(): boolean {
    if (!this.session) return !this.#setup.core.connection.writable;
    this.#pingOnly();
    return true;
  }

  carriesCredentials(): boolean {
    return false;
  }

  /** The Close comes next. An idle server does not react to it, but drops the link when it then answers this `Ping`. */
  closing(): void {
    this.#user?.closing();
    if (this.session) this.#pingOnly();
  }

  // --- messages ---

  #onGreeting(session: Session, message: ServerMessage): void {
    const { connection, redactor } = this.#setup.core;
    if (message.type === "Connected") {
      session.id = message.session_id;
      this.#user?.sessionStarted(message.session_id);
      connection.accept();
      return;
    }
    const said = message.type === "Error" ? `: ${redactor.redact(message.message)}` : "";
    const problem = `the server began with ${nameOf(message)} instead of \`Connected\`${said}`;
    connection.refuse(new HandshakeError("rejected", problem));
  }

  #onMessage(session: Session, message: ServerMessage, text: string): void {
    const { core } = this.#setup;
    switch (message.type) {
      case "Pong":
        if (session.pings.take()) core.connection.alive();
        else this.#unasked("Pong"); // proves nothing
        return;
      case "State":
        if (!session.states.take(message)) this.#unasked("State");
        return;
      case "History":
        if (!session.histories.take(message)) this.#unasked("History");
        return;
      case "Connected":
        this.#unasked("Connected");
        return;
      case "Error":
        this.#user?.receiveError({ ...message, message: core.redactor.redact(message.message) });
        return;
      case "unknown":
        core.warn("unknown-message", "a message of a type that is not known here");
        core.events.emit("unknownMessage", message.message);
        return;
      case "invalid":
        this.#onInvalid(session, message, text);
        return;
      default:
        this.#user?.receive(message, text.length);
    }
  }

  #onInvalid(session: Session, message: Invalid, raw: string): void {
    this.#setup.core.warn("invalid-message", message.problem, { raw });
    this.#settle(session, message, raw);
  }

  /** What waits for a message that cannot be read does not wait for another one. */
  #settle(session: Session, { problem, claims, undecided, agentId }: Invalid, raw: string): void {
    const error = unreadableAnswer(problem);
    if (claims === "State") session.states.spoil(error);
    if (claims === "History") session.histories.spoil(error);
    // Without an agent nobody can say whose end it is.
    if (claims === "Error" || (claims === "Finished" && agentId !== undefined))
      this.#user?.receiveUnreadableEnd(problem, agentId);
    if (undecided !== undefined)
      this.#user?.receiveUnreadable({ callId: undecided, agentId: agentId ?? 0, raw });
  }

  #unasked(what: string): void {
    this.#setup.core.warn("stray-message", `a \`${what}\` that nobody asked for`);
  }
}

function noReply(what: string, timeout: number): AgentwireError {
  return new RequestTimeoutError(`the server did not answer \`${what}\` within ${timeout} ms`, { timeout });
}

function nameOf(message: ServerMessage): string {
  if (message.type === "invalid") return message.problem;
  return message.type === "unknown" ? "a message of an unknown type" : `\`${message.type}\``;
}
