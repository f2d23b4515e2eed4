import type { ClientCore } from "../core/client/client-core.ts";
import type { CancelTimer } from "../core/clock.ts";
import {
  type AgentwireError,
  ConnectionLostError,
  copyError,
  HandshakeError,
  isAgentwireError,
  RequestError,
  RequestTimeoutError,
} from "../core/errors.ts";
import type { Protocol } from "../core/link/connection-state.ts";
import type { SocketEnd } from "../core/link/socket.ts";
import { randomId } from "../core/random-id.ts";
import { utf8Length } from "../core/text.ts";
import type { CodebuffClientEvents } from "./events.ts";
import { type CodebuffServer, readIdentifyAck, refusal, refusesSession } from "./handshake.ts";
import { hintFor, lossError, requestLost, requestTooLarge } from "./loss.ts";
import {
  type Ack,
  decode,
  encode,
  type InitResponse,
  type Invalid,
  type ServerMessage,
  unhandled,
} from "./messages.ts";
import type { Notice } from "./notices.ts";
import type { CodebuffSettings } from "./options.ts";
import { type Begun, type Sent, Session } from "./session.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";

/** What the wire tells the rest of the client. */
export interface WireUser {
  /** A session was identified: send what has to precede the prompts, then the prompts. */
  resume(): void;
  /** The server took the prompt in. */
  promptAcked(promptId: string): void;
  /** The prompt failed without a message of its own: refused, not acked in time, or lost with its socket. */
  promptFailed(promptId: string, error: AgentwireError): void;
  /** The server ended the prompt without saying so. */
  promptEndedSilently(promptId: string): void;
  /** Any message but an ack, and the frame it came in. */
  message(message: Exclude<ServerMessage, Ack>, frame: string): void;
  /** A message that could not be handled, which was told already. */
  unhandled(message: Invalid): void;
  /** Whether this machine is doing something that the server asked for. */
  worksForServer(): boolean;
  /** The session is gone, and with it everything that the server had asked for. */
  sessionEnded(): void;
  /** No more will be sent, for now or ever. */
  unavailable(reason: AgentwireError): void;
}

/** ms of silence on a proxy that works, after which one ping asks whether it still does: as long as a prompt may be silent. */
const PROBE_AFTER = 120_000;

export interface WireSetup {
  readonly settings: CodebuffSettings;
  readonly user: WireUser;
  readonly core: () => ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;
}

/** The protocol below the prompts: identification, acks by txid, refusals without one, and loss. */
export class Wire implements Protocol {
  readonly #setup: WireSetup;
  #session: Session | undefined;
  #lastServer: CodebuffServer | undefined;
  #txid = 0;
  #clientSessionId: string;
  #duplicates = 0;
  #cancelSettle: CancelTimer | undefined;

  constructor(setup: WireSetup) {
    this.#setup = setup;
    this.#clientSessionId = setup.settings.clientSessionId;
  }

  /** The session that takes what is new. */
  get identified(): Session | undefined {
    return this.live?.retiring ? undefined : this.live;
  }

  /** The session that takes what belongs to something under way, also when it takes nothing new. */
  get live(): Session | undefined {
    return this.#session?.identified && this.isCurrent(this.#session) ? this.#session : undefined;
  }

  /** Whether a frame sent for `session` goes out on its own socket. */
  isCurrent(session: Session): boolean {
    return this.#session === session && this.#setup.core().connection.writable;
  }

  /** An init-response came: it answers the oldest init that has none. */
  initAnswered(response: InitResponse): void {
    this.#session?.takeInit()?.reply.resolve(response);
  }

  /** Which server the current connection leads to, or the last one led to, or the settings say. */
  get server(): CodebuffServer | undefined {
    const { profile } = this.#setup.settings;
    return this.#session?.server ?? this.#lastServer ?? (profile === "auto" ? undefined : profile);
  }

  /** Something came for a prompt: its ack was lost, or is late. */
  heardOf(promptId: string): void {
    const session = this.#session;
    const txid = session?.takePromptAck(promptId);
    if (session && txid !== undefined) this.#provesOver(session, txid);
  }

  /** Nobody waits for a prompt any more. A server that works in order still does, and the others wait behind it. */
  promptAbandoned(promptId: string): void {
    const session = this.#session;
    if (!session || (session.server === "proxy" && session.inOrder)) return;
    session.ended(promptId);
    this.retireIfIdle();
  }

  /** The server asked for a new connection. It gets one when nothing is under way on this; without reconnecting, it closes it itself. */
  retire(): void {
    const session = this.#session;
    if (session?.identified && this.#setup.settings.socket.reconnect) session.retiring = true;
  }

  /** Leaves a retiring session, unless something is still under way, here or there. */
  retireIfIdle(): void {
    const { live } = this;
    if (live?.retiring && live.awaitsNothing && !this.#setup.user.worksForServer())
      this.#setup.core().connection.renew();
  }

  /** The server is done with a prompt. */
  promptEnded(promptId: string): void {
    this.#session?.ended(promptId);
  }

  /** The txid that the next frame will have. */
  get nextTxid(): number {
    return this.#txid;
  }

  /**
   * Sends one frame that awaits an ack, on its session's own socket. It is registered first: a peer in the same
   * process may answer at once. A session that has ended meanwhile fails it as lost.
   */
  request(session: Session, sent: Sent, frame: (txid: number) => string): void {
    const txid = this.#txid++;
    if (!this.isCurrent(session)) {
      this.#fail(
        sent,
        new ConnectionLostError("the connection ended before the frame was sent", { delivery: "not-sent" }),
      );
      return;
    }
    const text = frame(txid);
    session.sent(txid, sent, utf8Length(text));
    this.#setup.core().connection.send(text);
    session.trim();
  }

  ping(): boolean {
    const { live } = this;
    if (live) {
      live.pingIsDue = false;
      this.request(live, { kind: "ping" }, encode.ping);
    }
    // A link that takes no frames any more is to be judged like one that answers none.
    return live !== undefined || !this.#setup.core().connection.writable;
  }

  /** A prompt went on after it had seemed to be over: this server does not answer in order, and nothing can be inferred. */
  answersOutOfOrder(): void {
    this.#session?.answersOutOfOrder();
  }

  /** Where pings go out while a prompt runs, they wait for it there. A session that holds them back has none to judge. */
  excused(): boolean {
    const session = this.#session;
    return session?.blocked === true && !session.holdsBack;
  }

  // --- the connection's side ---

  opened(): void {
    this.#endSettling();
    const { settings, core } = this.#setup;
    const { clock } = settings.socket;
    const session = new Session({
      clock,
      ackTimeout: settings.ackTimeout,
      initTimeout: settings.initTimeout,
      stallTimeout: settings.stallTimeout,
      maxConcurrentPrompts: settings.maxConcurrentPrompts,
      probeAfter: settings.socket.keepalive.interval === 0 ? 0 : PROBE_AFTER,
      onAckTimeout: (txid, sent) => this.#onAckTimeout(session, txid, sent),
      onNoticeLost: ({ kind }) => {
        this.#setup.core().warn(`${kind}-failed`, `the server did not acknowledge the ${kind}`);
        this.retireIfIdle();
      },
      onSilence: () => this.#probe(),
      onInitTimeout: (txid, { reply }) => {
        const timeout = settings.initTimeout;
        reply.reject(
          new RequestTimeoutError(`no init-response came within ${timeout} ms`, { timeout, txid }),
        );
        this.retireIfIdle();
      },
      // In a moment: whoever waits for the prompt is told first how it ended, and not that the client was closed.
      onIdle: () => queueMicrotask(() => core().connection.drained()),
      onStall: () =>
        core().connection.drop(
          new ConnectionLostError(`nothing arrived for ${settings.stallTimeout} ms while a prompt ran`),
        ),
    });
    this.#session = session;
    if (settings.profile === "codebuff") {
      session.server = "codebuff"; // knows no identify
      core().connection.accept();
      return;
    }
    const txid = this.#txid++;
    session.identifyTxid = txid;
    core().connection.send(encode.identify(txid, this.#clientSessionId));
  }

  message(value: unknown, text: string): void {
    const session = this.#session;
    if (!session) return;
    this.#setup.core().message(value);
    if (session !== this.#session) return; // a listener has just ended it
    session.touch();
    const wasIdentified = session.identified; // the ack that ends the identification is no sign of what follows it
    const message = decode(value);
    if (message.type === "ack") this.#onAck(session, message);
    else this.#setup.user.message(message, text);
    if (!wasIdentified || session !== this.#session) return;
    session.untouched = false;
    this.#duplicates = 0;
    if (session.retiring) this.retireIfIdle();
  }

  spoiled(value: unknown, problem: string): void {
    this.#session?.touch();
    this.#setup.user.unhandled(unhandled(value, problem));
    this.retireIfIdle(); // it may have been the last thing under way
  }

  ready(): void {
    const session = this.#session;
    if (!session) return;
    session.identifiedNow();
    this.#lastServer = session.server;
    this.#setup.user.resume();
  }

  handshakeTimeout(): AgentwireError {
    const { identifyTimeout } = this.#setup.settings;
    const message = `the server did not answer \`identify\` within ${identifyTimeout} ms; is this the right address?`;
    return new HandshakeError("timeout", message, { retryable: true });
  }

  lost(end: SocketEnd | AgentwireError): AgentwireError {
    const session = this.#session;
    this.#endSettling();
    this.#session = undefined;
    if (!session) return lossError(end, "unproven");
    const unproven = !session.identified || session.isFresh;
    const error = lossError(end, unproven ? "unproven" : session.retiring ? "retiring" : "proven");
    const { user, settings, core } = this.#setup;
    const tooLarge = !isAgentwireError(end) && end.code === 1009 ? session.largestUnacked() : undefined;
    const hint = hintFor(end, session);
    const why = (isBlamed: boolean): AgentwireError =>
      tooLarge && isBlamed ? requestTooLarge(tooLarge.sent.kind, tooLarge.bytes, settings) : requestLost(end);
    const { prompts, requests } = session.end();
    user.sessionEnded();
    for (const promptId of prompts) {
      const { sent } = tooLarge ?? {};
      const isBlamed = sent?.kind === "prompt" && sent.promptId === promptId;
      user.promptFailed(promptId, isBlamed ? why(true) : requestLost(end, hint));
    }
    for (const sent of requests) {
      const isBlamed = sent === tooLarge?.sent;
      if ("reply" in sent) sent.reply.reject(why(isBlamed));
      else if (isBlamed) core().warn(`${sent.kind}-failed`, why(true).message);
    }
    return error;
  }

  busy(): boolean {
    return this.#session?.hasRunning ?? false;
  }

  unavailable(reason: AgentwireError): void {
    this.#endSettling();
    const session = this.#session;
    this.#session = undefined;
    for (const sent of session?.end().requests ?? [])
      if ("reply" in sent) sent.reply.reject(copyError(reason));
    if (session) this.#setup.user.sessionEnded(); // a client that is closed while it is made has had none
    this.#setup.user.unavailable(reason);
  }

  // --- acks ---

  #onAck(session: Session, ack: Ack): void {
    if (!session.identified) {
      this.#onIdentifyAck(session, ack);
      return;
    }
    const { txid } = ack;
    if (txid === undefined || txid === null) {
      if (!ack.success) this.#onAnonymousRefusal(session, this.#clean(ack.error));
      return;
    }
    const sent = session.takeAck(txid);
    if (!sent) return; // a duplicate, or an answer to nothing
    if (ack.success) this.#accepted(session, txid, sent);
    else this.#refused(session, txid, sent, this.#clean(ack.error));
    this.#provesOver(session, txid); // last: with the prompt that is over a closing client may be done
  }

  /** The server answered this frame, so every prompt before it is over. */
  #provesOver(session: Session, txid: number): void {
    for (const promptId of session.endedSilently(txid)) this.#setup.user.promptEndedSilently(promptId);
  }

  #onIdentifyAck(session: Session, ack: Ack): void {
    const { settings } = this.#setup;
    const { identifyTxid } = session;
    if (identifyTxid === undefined) return;
    const { redactor } = this.#setup.core();
    const error = typeof ack.error === "string" ? redactor.redact(ack.error) : ack.error;
    const read = readIdentifyAck({ ...ack, error }, identifyTxid, session.phase === "settling");
    switch (read.verdict) {
      case "ignore":
        return;
      case "refused":
        this.#refuseSession(read.error);
        return;
      case "legacy":
        session.server = settings.profile === "proxy" ? "proxy" : "codebuff";
        this.#accept();
        return;
      case "settle":
        session.server = "proxy";
        session.phase = "settling";
        this.#setup.core().connection.answered();
        if (settings.settleWindow === 0) this.#accept();
        else
          this.#cancelSettle = settings.socket.clock.setTimeout(() => this.#accept(), settings.settleWindow);
        return;
      default:
        read satisfies never;
    }
  }

  #accept(): void {
    this.#cancelSettle = undefined;
    this.#setup.core().connection.accept();
  }

  /** An id in use is tried again as it is: the server may not have noticed the end of its old connection. Then with a suffix. */
  #refuseSession(error: HandshakeError): void {
    const { settings, core } = this.#setup;
    if (
      error.reason === "duplicate" &&
      ++this.#duplicates > settings.duplicateRetries &&
      settings.suffixDuplicateId
    ) {
      this.#clientSessionId = randomId(settings.clientSessionId);
      this.#duplicates = 0;
    }
    this.#endSettling();
    core().connection.refuse(error);
  }

  #accepted(session: Session, txid: number, sent: Sent): void {
    switch (sent.kind) {
      case "ping":
      case "cancel-user-input":
      case "tool-call-response":
      case "read-files-response":
      case "mcp-tool-data":
        return;
      case "prompt":
        this.#setup.user.promptAcked(sent.promptId);
        return;
      case "init":
        session.initAcked(txid, sent);
        return;
      case "topics":
        sent.apply();
        sent.reply.resolve();
        return;
      default:
        sent satisfies never;
    }
  }

  #refused(session: Session, txid: number | undefined, sent: Sent, serverMessage: string): void {
    const error = new RequestError(`the server refused the ${sent.kind}: ${serverMessage}`, {
      txid,
      serverMessage,
    });
    if (sent.kind === "prompt") session.ended(sent.promptId); // it will get no prompt-error
    this.#fail(sent, error);
    if (!("instead" in sent) || sent.instead === undefined || session.server !== "codebuff") return;
    const { kind, instead } = sent;
    if (this.isCurrent(session)) this.request(session, { kind }, (id) => encode.action(id, instead)); // or an agent would go on waiting
    this.retireIfIdle();
  }

  /** A refusal that does not say what it refuses. A prompt that was acked is never failed by one. */
  #onAnonymousRefusal(session: Session, text: string): void {
    if (session.untouched && refusesSession(text)) {
      this.#refuseSession(refusal(text));
      return;
    }
    const sent = /Failed to initialize session/.test(text)
      ? session.takeInit()
      : /Failed to (un)?subscribe/.test(text)
        ? undefined
        : session.takeOnlyUnacked();
    if (sent && sent.kind !== "ping") this.#refused(session, undefined, sent, text);
    else {
      // The text may repeat what was sent, so it is no part of the line that is logged.
      const message = "the server refused something without saying what";
      this.#setup.core().warn("unattributed-refusal", message, { raw: text });
    }
  }

  #fail(sent: Sent, error: AgentwireError): void {
    if (sent.kind === "prompt") this.#setup.user.promptFailed(sent.promptId, error);
    else if ("reply" in sent) sent.reply.reject(error);
    else if (sent.kind !== "ping" || isAgentwireError(error, "request-refused"))
      this.#noticeFailed(sent.kind, error);
  }

  /** Nobody waits for these, so that one failed is all there is to tell. The server's words may repeat what was sent. */
  #noticeFailed(kind: Notice | "ping", error: AgentwireError): void {
    const refused = isAgentwireError(error, "request-refused");
    const raw = refused ? { raw: error.serverMessage } : {};
    const how = refused ? "refused" : "did not take in";
    this.#setup.core().warn(`${kind}-failed`, `the server ${how} the ${kind}`, raw);
  }

  /**
   * A server that works in order acks a prompt when it begins with it. One without an ack, and with nothing older before
   * it, was never read: nothing runs there that could be cut off, and the next prompt is not to wait for the stall limit.
   */
  #onAckTimeout(session: Session, txid: number, sent: Begun): void {
    const { ackTimeout: timeout } = this.#setup.settings;
    const message = `the server did not acknowledge the ${sent.kind} within ${timeout} ms; it may be stuck, or raise \`ackTimeout\``;
    const error = new RequestTimeoutError(message, { timeout, txid, delivery: "unknown" });
    const isUnread = sent.kind === "prompt" && session.blocked;
    if (sent.kind === "prompt") this.promptAbandoned(sent.promptId);
    this.#fail(sent, error);
    if (isUnread && this.#session === session)
      this.#setup
        .core()
        .connection.drop(new ConnectionLostError(`a prompt was not acknowledged within ${timeout} ms`));
    else this.retireIfIdle();
  }

  /** Nothing came for long while the session holds everything back: a ping that is answered proves its prompt over. */
  #probe(): void {
    if (this.ping()) this.#setup.core().connection.answerDue();
  }

  #endSettling(): void {
    this.#cancelSettle?.();
    this.#cancelSettle = undefined;
  }

  /** Refusals may quote what was sent, tokens included. */
  #clean(text: string | null | undefined): string {
    return this.#setup.core().redactor.redact(text ?? "no reason given");
  }
}
