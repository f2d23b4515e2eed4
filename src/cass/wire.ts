// The protocol below the turns: handshake, renewed tokens, requests answered in order, and loss.
import { isObject } from "../core/checks.ts";
import type { ClientProtocol } from "../core/client/client-core.ts";
import { type AgentwireError, ClosedError } from "../core/errors.ts";
import { linkLost, neverReady, requestNotSent } from "../core/link/connection-errors.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import { Recent } from "../core/recent.ts";
import { Asides } from "./asides.ts";
import type { Credentials } from "./auth/credentials.ts";
import { Handshake } from "./auth/handshake.ts";
import type { CassCore } from "./events.ts";
import type { CassJob } from "./job.ts";
import { Line } from "./line.ts";
import {
  type CassServerMessage,
  type CassTurnMessage,
  decode,
  givenField,
  type StatusFrame,
  type TitleFrame,
} from "./messages.ts";
import type { CassSettings } from "./options.ts";
import { ServerTimes } from "./server-time.ts";

/** The user of the wire: the turns. */
export interface CassWireUser {
  /** The server may take more: send the waiting turns. */
  pump(): void;
  /** A message of a turn, and the length of its frame. */
  receive(message: CassTurnMessage, size: number): void;
  /** Whether a caller waits for a sent turn. */
  readonly working: boolean;
  /** A ready connection has ended. */
  lost(error: AgentwireError): void;
  /** The caller closes the client. */
  closing(): void;
  /** Nothing more will be sent, for now or ever. */
  unavailable(reason: AgentwireError): void;
}

/** The number of stored titles. A conversation may become known after its title. */
const KEPT_TITLES = 256;

/** The longest stored title, in characters with its id. Servers make titles of at most 60 characters. */
const KEPT_TITLE_LENGTH = 1_024;

/** The protocol below the turns: the handshake, requests answered in order, and loss. */
export class CassWire implements ClientProtocol {
  readonly handshake: Handshake;
  readonly line: Line;
  readonly #asides: Asides;
  readonly #core: CassCore;
  readonly #credentials: Credentials;
  readonly #titles = new Recent<string, string>(KEPT_TITLES);
  #user: CassWireUser | undefined;
  readonly #times = new ServerTimes();

  constructor(core: CassCore, settings: CassSettings, credentials: Credentials) {
    this.#core = core;
    this.#credentials = credentials;
    this.handshake = new Handshake(core, settings, credentials);
    this.line = new Line(core);
    this.#asides = new Asides(core, this.line, settings);
  }

  /** Sets the user: the wire is made before the turns. */
  serve(user: CassWireUser): void {
    this.#user = user;
  }

  /** Whether the handshake has succeeded and frames reach the server. */
  get isReady(): boolean {
    return this.handshake.isReady && this.#core.connection.writable;
  }

  /** An answer that was stored at this time was found. Answers to later turns are newer. */
  found(timestamp: unknown): void {
    this.#times.note(timestamp, this.#core.clock.now(), true);
  }

  titleOf(conversationId: string): string | undefined {
    return this.#titles.get(conversationId);
  }

  async getStatus(): Promise<StatusFrame> {
    if (!this.isReady) throw requestNotSent();
    return this.#asides.getStatus();
  }

  /** Writes the pings and the `status` that waited for the line. */
  writeWaiting(): void {
    if (this.isReady) this.#asides.writeWaiting();
  }

  /** Sends a turn in a frame of `bytes` bytes. */
  sendTurn(job: CassJob, frame: string, bytes: number): void {
    this.line.add(job, bytes, this.#times.latest);
    this.#asides.turnSent();
    this.#core.connection.send(frame, () => job.turn.unsent());
  }

  turnAnswered(): void {
    this.#asides.turnAnswered();
  }

  // --- the connection's side ---

  carriesCredentials(): boolean {
    return this.#credentials.exists;
  }

  address(url: string): Promise<string> {
    return this.handshake.address(url);
  }

  closing(): void {
    this.#asides.dropQuestion(new ClosedError("the client was closed before `status` was sent"));
    this.#user?.closing();
  }

  ping(): boolean {
    // If the link takes no frames, the missing pong counts against the link.
    return this.isReady ? this.#asides.ping() : !this.#core.connection.writable;
  }

  excused(): boolean {
    return this.#asides.excused();
  }

  opened(): void {
    this.handshake.opened();
  }

  message(value: unknown, text: string): void {
    if (!this.handshake.isOpen) return;
    this.line.alive();
    this.#core.message(value);
    const message = decode(value);
    if ("timestamp" in message)
      this.#times.note(message.timestamp, this.#core.clock.now(), message.type === "response");
    if (!this.handshake.receive(message)) this.#onMessage(message, text);
  }

  spoiled(value: unknown, problem: string, text: string): void {
    this.line.alive();
    const claims = isObject(value) ? value["type"] : undefined;
    if (this.handshake.isReady) this.#settle(claims, problem, text);
  }

  ready(): void {
    this.#user?.pump();
  }

  handshakeTimedOut(): void {
    if (this.handshake.isOpen) this.handshake.timedOut();
  }

  lost(end: SocketEnd | AgentwireError): AgentwireError {
    const { isReady } = this.handshake;
    this.handshake.closed();
    const error = isReady ? linkLost(end) : neverReady(end, "the server had accepted it");
    this.#asides.end(error);
    if (isReady) this.#user?.lost(error);
    return error;
  }

  /** A drain waits for turns whose callers wait. */
  busy(): boolean {
    return this.#user?.working ?? false;
  }

  unavailable(reason: AgentwireError): void {
    this.handshake.closed();
    this.#asides.end(reason);
    this.#asides.dropQuestion(reason);
    this.#user?.unavailable(reason);
  }

  // --- messages ---

  #onMessage(message: CassServerMessage, raw: string): void {
    const { events, redactor } = this.#core;
    switch (message.type) {
      case "thinking":
      case "debug":
      case "response":
      case "audio":
        this.#user?.receive(message, raw.length);
        return;
      case "error": {
        const said = redactor.redact(message.message);
        if (!this.#asides.refused(said)) this.#user?.receive({ ...message, message: said }, raw.length);
        return;
      }
      case "title_updated":
      case "title_update":
        this.#onTitle(message);
        return;
      case "system": {
        const { status, timestamp } = message;
        const rest = { ...givenField("status", status), ...givenField("timestamp", timestamp) };
        events.emit("system", { message: message.message, ...rest });
        return;
      }
      case "pong":
        if (!this.#asides.pong()) this.#unasked("pong");
        return;
      case "status":
        if (!this.#asides.status(message)) this.#unasked("status");
        return;
      case "connected":
      case "auth_success":
      case "auth_error":
        this.#unasked(message.type);
        return;
      case "unknown":
        this.#core.warn("unknown-message", "a message of a type that is not known here");
        events.emit("unknownMessage", message.message);
        return;
      case "invalid":
        this.#core.warn("invalid-message", message.problem, { raw });
        this.#settle(message.claims, message.problem, raw);
        return;
      default:
        message satisfies never;
    }
  }

  #onTitle({ conversation_id: conversationId, title, timestamp }: TitleFrame): void {
    if (conversationId.length + title.length <= KEPT_TITLE_LENGTH) this.#titles.set(conversationId, title);
    this.#core.events.emit("title", { conversationId, title, ...givenField("timestamp", timestamp) });
  }

  /** A message is unreadable: its request does not wait for another one. */
  #settle(claims: unknown, problem: string, raw: string): void {
    if (claims === "response" || claims === "error")
      this.#user?.receive({ type: "unreadable", problem }, raw.length);
    if (claims === "status") this.#asides.unreadableStatus(problem);
  }

  #unasked(what: string): void {
    this.#core.warn("stray-message", `a \`${what}\` that nobody asked for`);
  }
}
