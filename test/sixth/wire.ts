import type { ClientProtocol } from "../../src/core/client/client-core.ts";
import { type AgentwireError, ConnectTimeoutError, HandshakeError } from "../../src/core/errors.ts";
import { linkLost, neverReady } from "../../src/core/link/connection-errors.ts";
import type { SocketEnd } from "../../src/core/link/socket.ts";
import type { EchoCore } from "./events.ts";
import { decode, encode, type TurnMessage, turnIdOf } from "./messages.ts";
import type { EchoSettings } from "./options.ts";

/** The rooms above the wire. */
export interface WireUser {
  /** The connection is ready: send what waits. */
  pump(): void;
  /** A message of a turn, and the length of its frame. */
  receive(message: TurnMessage, size: number): void;
  /** A message that names a turn cannot be read or handled. */
  unreadable(id: string, problem: string): void;
  /** A connection that was ready has ended. */
  lost(error: AgentwireError): void;
  /** The client is closing: what runs is told to stop. */
  closing(): void;
  /** Nothing more is sent, for now or ever. */
  unavailable(reason: AgentwireError): void;
}

/** The protocol below the turns: the handshake, pings, loss. The connection's own state says how far it is. */
export class Wire implements ClientProtocol {
  readonly #settings: EchoSettings;
  readonly #core: EchoCore;
  #user: WireUser | undefined;

  constructor(settings: EchoSettings, core: EchoCore) {
    this.#settings = settings;
    this.#core = core;
  }

  /** The wire is made before the rooms that use it. */
  serve(user: WireUser): void {
    this.#user = user;
  }

  /** Whether a prompt can be sent now. */
  get isReady(): boolean {
    const { status, connection } = this.#core;
    return status === "ready" && connection.writable;
  }

  send(frame: string, unwritten?: () => void): void {
    this.#core.connection.send(frame, unwritten);
  }

  // --- the connection's side ---

  carriesCredentials(): boolean {
    return this.#settings.token !== undefined;
  }

  opened(): void {
    this.send(encode.hello(this.#settings.token));
  }

  message(value: unknown, text: string): void {
    const core = this.#core;
    core.message(value);
    const message = decode(value);
    switch (message.type) {
      case "welcome":
        core.connection.accept();
        return;
      case "refused": {
        const reason = core.redactor.redact(message.reason);
        core.connection.refuse(new HandshakeError("rejected", `the server refused the client: ${reason}`));
        return;
      }
      case "pong":
        return; // any frame proves life
      case "unknown":
        core.warn("unknown-message", "a message of a type that is not known here", { raw: text });
        core.events.emit("unknownMessage", message.message);
        return;
      case "invalid":
        core.warn("invalid-message", message.problem, { raw: text });
        this.spoiled(value, message.problem);
        return;
      default:
        this.#user?.receive(message, text.length);
    }
  }

  /** The turn that waits for this frame would wait for ever. */
  spoiled(value: unknown, problem: string): void {
    const id = turnIdOf(value);
    if (id !== undefined) this.#user?.unreadable(id, problem);
  }

  ready(): void {
    this.#user?.pump();
  }

  handshakeTimedOut(): void {
    this.#core.connection.drop(new ConnectTimeoutError(this.#settings.socket.connectTimeout, "greet"));
  }

  lost(end: SocketEnd | AgentwireError): AgentwireError {
    if (this.#core.status === "handshaking") return neverReady(end, "the server welcomed the client");
    const error = linkLost(end);
    this.#user?.lost(error);
    return error;
  }

  closing(): void {
    this.#user?.closing();
  }

  unavailable(reason: AgentwireError): void {
    this.#user?.unavailable(reason);
  }

  ping(): boolean {
    this.send(encode.ping);
    return true;
  }
}
