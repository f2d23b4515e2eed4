import { isObject } from "../core/checks.ts";
import type { ClientProtocol } from "../core/client/client-core.ts";
import { type AgentwireError, ClosedError, copyError } from "../core/errors.ts";
import { linkLost, neverReady, unreadableAnswer } from "../core/link/connection-errors.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import { Asides } from "./asides.ts";
import type { Credentials } from "./credentials.ts";
import type { CassCore, CassTitle } from "./events.ts";
import { Handshake } from "./handshake.ts";
import {
  type AudioFrame,
  type Debug,
  decode,
  type ErrorFrame,
  type ServerMessage,
  type Thinking,
} from "./messages.ts";
import type { CassSettings } from "./options.ts";
import type { ResponseFrame } from "./response.ts";
import { Session } from "./session.ts";
import { given } from "./turn.ts";

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
  /** The caller closes the client. */
  closing(): void;
  /** No more will be sent, for now or ever. */
  unavailable(reason: AgentwireError): void;
}

export interface WireSetup {
  readonly settings: CassSettings;
  readonly credentials: Credentials;
  readonly user: WireUser;
  readonly core: CassCore;
}

/** The protocol below the turns: the handshake, requests answered in order, and loss. */
export class Wire implements ClientProtocol {
  readonly handshake: Handshake;
  readonly asides: Asides;
  readonly #setup: WireSetup;
  #session: Session | undefined;
  #latest: string | undefined;

  constructor(setup: WireSetup) {
    this.#setup = setup;
    this.handshake = new Handshake(setup);
    this.asides = new Asides({ ...setup, session: () => this.session, busy: () => setup.user.busy() });
  }

  /** The session, once it is ready and while frames reach the server. */
  get session(): Session | undefined {
    const session = this.#session;
    return session?.phase === "ready" && this.#setup.core.connection.writable ? session : undefined;
  }

  /** The latest time that the server has told, in its own words: they compare as text, and with nothing else. */
  get latest(): string | undefined {
    return this.#latest;
  }

  /** The server has told a time. */
  note(timestamp: string | null | undefined): void {
    if (typeof timestamp === "string" && timestamp > (this.#latest ?? "")) this.#latest = timestamp;
  }

  /** Sends a turn; `unwritten` is called when it does not leave. */
  sendTurn(frame: string, unwritten: () => void): void {
    this.#session?.sent("turn");
    this.#setup.core.connection.send(frame, unwritten);
  }

  /** A turn was sent or answered. */
  busyChanged(): void {
    if (this.#session) this.asides.busyChanged(this.#session);
  }

  /** A turn was answered; says so where something that was asked before it was not. */
  turnAnswered(): void {
    this.asides.answeredInOrder(this.#session, "turn");
  }

  // --- the connection's side ---

  carriesCredentials(): boolean {
    return this.#setup.credentials.exists;
  }

  address(url: string): Promise<string> {
    return this.handshake.address(url);
  }

  /** What was not sent is given back. */
  closing(): void {
    this.asides.dropQuestion(new ClosedError("the client was closed before `status` was sent"));
    this.#setup.user.closing();
  }

  ping(): boolean {
    return this.asides.ping();
  }

  excused(): boolean {
    return this.asides.excused();
  }

  opened(): void {
    const session = new Session(this.#setup.settings.socket.clock);
    this.#session = session;
    this.handshake.opened(session);
  }

  message(value: unknown, text: string): void {
    const session = this.#session;
    if (!session) return;
    this.#setup.user.alive();
    this.#setup.core.message(value);
    const message = decode(value);
    if ("timestamp" in message) this.note(message.timestamp);
    if (!this.handshake.receive(session, message)) this.#onMessage(session, message, text);
  }

  spoiled(value: unknown, problem: string): void {
    this.#setup.user.alive();
    const session = this.#session;
    const claims = isObject(value) ? value["type"] : undefined;
    if (typeof claims === "string" && session?.phase === "ready") this.#settle(session, claims, problem);
  }

  ready(): void {
    this.#setup.user.ready();
  }

  handshakeTimedOut(): void {
    if (this.#session) this.handshake.timedOut(this.#session);
  }

  lost(end: SocketEnd | AgentwireError): AgentwireError {
    const session = this.#session;
    this.#session = undefined;
    if (session?.phase !== "ready") {
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
    this.asides.dropQuestion(reason);
    this.#setup.user.unavailable(reason);
  }

  // --- messages ---

  #onMessage(session: Session, message: ServerMessage, raw: string): void {
    const { user, core } = this.#setup;
    const { events, redactor } = core;
    switch (message.type) {
      case "thinking":
      case "debug":
      case "response":
      case "audio":
        user.message(message, raw.length);
        return;
      case "error": {
        const said = redactor.redact(message.message);
        if (!this.asides.refused(session, said)) user.message({ ...message, message: said }, raw.length);
        return;
      }
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
        if (!this.asides.pong(session)) this.#unasked("pong");
        return;
      case "status":
        if (!this.asides.status(session, message)) this.#unasked("status");
        return;
      case "connected":
      case "auth_success":
      case "auth_error":
        this.#unasked(message.type);
        return;
      case "unknown":
        core.warn("unknown-message", "a message of a type that is not known here");
        events.emit("unknownMessage", message.message);
        return;
      case "invalid":
        core.warn("invalid-message", message.problem, { raw });
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

  #unasked(what: string): void {
    this.#setup.core.warn("stray-message", `a \`${what}\` that nobody asked for`);
  }
}
