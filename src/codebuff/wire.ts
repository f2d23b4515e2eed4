// The protocol below the prompts: handshake, sent frames, pings, and loss of the link.
import type { ClientProtocol } from "../core/client/client-core.ts";
import {
  type AgentwireError,
  ConnectionLostError,
  copyError,
  HandshakeError,
  isAgentwireError,
  RequestTimeoutError,
} from "../core/errors.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import { utf8Length } from "../core/text.ts";
import { hintFor, lossError, requestLost, requestTooLarge } from "./errors.ts";
import type { CodebuffCore } from "./events.ts";
import type { ServerRequest } from "./extensions.ts";
import {
  type Ack,
  type ActionError,
  type CodebuffServer,
  type CodebuffServerMessage,
  decode,
  encode,
  type InvalidFrame,
  unhandled,
} from "./messages.ts";
import type { CodebuffSettings } from "./options.ts";
import { Acks, type AcksHost } from "./session/acks.ts";
import { Identification } from "./session/handshake.ts";
import type { SentNotice } from "./session/notices.ts";
import { type Begun, type Sent, SocketSession, type SocketSessionHost } from "./session/session.ts";
import type { TokenSource } from "./session/token.ts";
import type { PromptFrame } from "./turn.ts";

/** The messages that the wire passes on. */
export type WireMessage = PromptFrame | ServerRequest | ActionError | InvalidFrame;

/** The user of the wire: the prompts and requests. */
export interface CodebuffWireUser {
  /** Whether this machine is carrying out a request of the server. */
  readonly worksForServer: boolean;
  /** A session was identified: first send the repeated requests, then the prompts. */
  resume(): void;
  /** Waiting frames may be writable now. */
  pump(): void;
  /** `size` is the length of the frame. */
  receive(message: WireMessage, size: number): void;
  /** The session has ended, and with it all requests of the server. */
  sessionEnded(): void;
  /** Nothing more will be sent, for now or ever. */
  unavailable(reason: AgentwireError): void;
}

/**
 * ms of silence while the proxy works on a prompt. Then one ping checks whether the prompt still runs. Equal to the default
 * `idleTimeout`.
 */
const PROBE_AFTER = 120_000;

export interface WireSetup {
  readonly settings: CodebuffSettings;
  readonly core: CodebuffCore;
  readonly token: TokenSource;
}

/** The protocol below the prompts: sessions, sent frames, pings, and loss of the link. */
export class CodebuffWire implements ClientProtocol, AcksHost, SocketSessionHost {
  readonly #setup: WireSetup;
  #user: CodebuffWireUser | undefined;
  readonly identification: Identification;
  readonly #acks: Acks;
  #session: SocketSession | undefined;
  #lastServer: CodebuffServer | undefined;
  #txid = 0;

  constructor(setup: WireSetup) {
    const { settings, core } = setup;
    this.#setup = setup;
    this.identification = new Identification(settings, core);
    this.#acks = new Acks({ settings, core, identification: this.identification, host: this });
  }

  /** Sets the user: the wire is made before its user. */
  serve(user: CodebuffWireUser): void {
    this.#user = user;
  }

  /** The session for new requests. */
  get identified(): SocketSession | undefined {
    return this.live?.retiring ? undefined : this.live;
  }

  /** The session for messages about work under way. A retiring session takes no new requests. */
  get live(): SocketSession | undefined {
    return this.#session?.identified && this.isCurrent(this.#session) ? this.#session : undefined;
  }

  /** Whether a frame for `session` goes out on the session's own socket. */
  isCurrent(session: SocketSession): boolean {
    return this.#session === session && this.#setup.core.connection.writable;
  }

  /** The kind of the server: of the current connection, of the last one, or by the settings. */
  get server(): CodebuffServer | undefined {
    const { profile } = this.#setup.settings;
    return this.#session?.server ?? this.#lastServer ?? (profile === "auto" ? undefined : profile);
  }

  /** A message for a prompt arrived, so its ack was lost or is late. */
  heardOf(promptId: string): void {
    const session = this.#session;
    const txid = session?.takePromptAck(promptId);
    if (session && txid !== undefined) this.#acks.provesOver(session, txid);
  }

  /** The server has ended a prompt whose turn has settled. */
  promptEnded(promptId: string): void {
    this.#session?.ended(promptId);
    this.#user?.pump();
  }

  /** The client has given up a prompt. A server that works in order still runs the prompt, and later prompts wait. */
  promptAbandoned(promptId: string): void {
    const session = this.#session;
    if (!session || (session.server === "proxy" && session.inOrder)) return;
    this.promptEnded(promptId);
    this.retireIfIdle();
  }

  /**
   * The server asked for a new connection. The client reconnects when no work is under way. Without `reconnect`, the server closes the
   * link.
   */
  #retire(session: SocketSession): void {
    if (session.identified && this.#setup.settings.socket.reconnect) session.retiring = true;
  }

  /** Leaves a retiring session, unless work is under way on either side. */
  retireIfIdle(): void {
    const { live } = this;
    if (live?.retiring && live.awaitsNothing && !this.#user?.worksForServer)
      this.#setup.core.connection.renew();
  }

  /** The txid of the next frame. */
  get nextTxid(): number {
    return this.#txid;
  }

  /** Sends one frame that awaits an ack. `session` must be the current one. `unwritten` is called if the frame is not written. */
  request(session: SocketSession, sent: Sent, frame: (txid: number) => string, unwritten?: () => void): void {
    const txid = this.#txid++;
    const text = frame(txid);
    session.sent(txid, sent, utf8Length(text));
    this.#setup.core.connection.send(text, unwritten);
    session.trim();
  }

  /** Sends a ping outside of the keepalive's schedule: an overdue ping, or a probe. */
  pingNow(): void {
    if (this.#ping()) this.#setup.core.connection.keepalive?.due();
  }

  #ping(): boolean {
    const { live } = this;
    if (live) {
      live.pingIsDue = false;
      this.request(live, { kind: "ping" }, encode.ping);
    }
    // If the link takes no frames, the missing pong counts against the link.
    return live !== undefined || !this.#setup.core.connection.writable;
  }

  /** The server has shown that it does not work in order. From now on, the order of acks proves nothing. */
  answersOutOfOrder(): void {
    this.#session?.answersOutOfOrder();
    this.#user?.pump();
  }

  // --- the connection's side ---

  /** Sends a ping. While the session holds everything back, the ping waits. */
  ping(): boolean {
    const { live } = this;
    if (!live?.holdsBack) return this.#ping();
    live.pingIsDue = true;
    return false;
  }

  /** A ping that was sent while a prompt runs is answered after the prompt. A session that holds pings back has sent none. */
  excused(): boolean {
    const session = this.#session;
    return session?.blocked === true && !session.holdsBack;
  }

  carriesCredentials(): boolean {
    return this.#setup.token.exists;
  }

  opened(): void {
    const { settings, core } = this.#setup;
    const probeAfter = settings.socket.keepalive.interval === 0 ? 0 : PROBE_AFTER;
    const session = new SocketSession({ clock: core.clock, limits: settings, probeAfter, host: this });
    this.#session = session;
    core.connection.whenLoaded(() => this.identification.begin(session, () => this.#txid++));
  }

  message(value: unknown, text: string): void {
    const session = this.#session;
    if (!session) return;
    this.#setup.core.message(value);
    session.touch();
    const wasIdentified = session.identified; // read now: the ack of the identification is not a later message
    const message = decode(value);
    if (message.type !== "ack") this.#onMessage(session, message, text);
    else if (wasIdentified) this.#acks.receive(session, message);
    else this.identification.onAck(session, message);
    if (!wasIdentified || session !== this.#session) return;
    if (session.untouched) {
      session.untouched = false;
      this.identification.proven();
    }
    if (session.retiring) this.retireIfIdle();
  }

  #onMessage(session: SocketSession, message: Exclude<CodebuffServerMessage, Ack>, frame: string): void {
    const { core } = this.#setup;
    switch (message.type) {
      case "init-response":
        session.takeInit()?.reply.resolve(message);
        core.events.emit("initResponse", message);
        return;
      case "usage-response":
        core.events.emit("usage", message);
        return;
      case "request-reconnect":
        this.#retire(session);
        core.events.emit("reconnectRequested");
        return;
      case "unknown-action":
        core.events.emit("unknownAction", message.data);
        return;
      case "unknown-message":
        core.events.emit("unknownMessage", message.message);
        return;
      case "invalid":
        core.warn("invalid-message", message.problem, { raw: frame });
        this.#user?.receive(message, frame.length);
        return;
      default:
        this.#user?.receive(message, frame.length);
    }
  }

  spoiled(value: unknown, problem: string, text: string): void {
    this.#session?.touch();
    this.#user?.receive(unhandled(value, problem), text.length);
    this.retireIfIdle(); // the frame may have ended the last work
  }

  ready(): void {
    const session = this.#session;
    if (!session) return;
    session.identifiedNow();
    this.#lastServer = session.server;
    this.#user?.resume();
  }

  handshakeTimedOut(): void {
    const { settings, core } = this.#setup;
    const { connectTimeout } = settings.socket;
    const message = `the server did not answer \`identify\` within ${connectTimeout} ms; is this the right address?`;
    core.connection.drop(new HandshakeError("timeout", message, { retryable: true }));
  }

  lost(end: SocketEnd | AgentwireError): AgentwireError {
    const session = this.#session;
    this.identification.end();
    this.#session = undefined;
    if (!session) return lossError(end, "unproven");
    const unproven = !session.identified || session.isFresh;
    const error = lossError(end, unproven ? "unproven" : session.retiring ? "retiring" : "proven");
    const { settings, core } = this.#setup;
    const tooLarge = !isAgentwireError(end) && end.code === 1009 ? session.largestUnacked() : undefined;
    const hint = hintFor(end, session);
    const why = (isBlamed: boolean): AgentwireError =>
      tooLarge && isBlamed ? requestTooLarge(tooLarge.sent.kind, tooLarge.bytes, settings) : requestLost(end);
    const { prompts, requests } = session.end();
    this.#user?.sessionEnded();
    for (const prompt of prompts) {
      const { sent } = tooLarge ?? {};
      const isBlamed = sent?.kind === "prompt" && sent.prompt === prompt;
      prompt.fail(isBlamed ? why(true) : requestLost(end, hint));
    }
    for (const sent of requests) {
      const isBlamed = sent === tooLarge?.sent;
      if ("reply" in sent) sent.reply.reject(why(isBlamed));
      else if (isBlamed) core.warn(`${sent.kind}-failed`, why(true).message);
    }
    return error;
  }

  busy(): boolean {
    return this.#session?.hasRunning ?? false;
  }

  unavailable(reason: AgentwireError): void {
    const session = this.#session;
    this.identification.end();
    this.#session = undefined;
    for (const sent of session?.end().requests ?? [])
      if ("reply" in sent) sent.reply.reject(copyError(reason));
    this.#user?.sessionEnded();
    this.#user?.unavailable(reason);
  }

  closing(): void {
    if (!this.#setup.core.connection.writable) this.#user?.sessionEnded(); // report unanswerable requests before the client closes
  }

  // --- the session's side ---

  ackMissing(session: SocketSession, txid: number, sent: Begun): void {
    this.#acks.expired(session, txid, sent);
  }

  noticeLost({ kind }: SentNotice): void {
    this.#setup.core.warn(`${kind}-failed`, `the server did not acknowledge the ${kind}`);
    this.retireIfIdle();
  }

  initResponseMissing(txid: number, { reply }: Begun & { readonly kind: "init" }): void {
    const { initTimeout: timeout } = this.#setup.settings;
    reply.reject(new RequestTimeoutError(`no init-response came within ${timeout} ms`, { timeout, txid }));
    this.retireIfIdle();
  }

  stalled(): void {
    const { settings, core } = this.#setup;
    const message = `nothing arrived for ${settings.stallTimeout} ms while a prompt ran`;
    core.connection.drop(new ConnectionLostError(message));
  }

  /** Sends a ping: its answer proves that the silent prompt is over. */
  silent(): void {
    this.pingNow();
  }

  idle(): void {
    this.#setup.core.connection.drained();
  }
}
