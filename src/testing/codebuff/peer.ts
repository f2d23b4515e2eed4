// One connection of the mock, without its socket.
import type { CancelTimer } from "../../core/clock.ts";
import { byteLength, describeFrame, type InboundFrame } from "../server/inbound.ts";
import type { PeerLink } from "../server/link.ts";
import { type End, MockPeer, type PeerHost } from "../server/peer.ts";
import { checkFrame, type Inbound, type Refused, type Verdict } from "./check-frame.ts";
import { type HandlerHost, Handlers } from "./handlers.ts";
import type { Beating, Heartbeat } from "./heartbeat.ts";
import { ClientRecord, mistakesIn } from "./mistakes.ts";
import { noiseAfterAck } from "./oddities.ts";
import type { CodebuffJournal, Mistake, MockConnection } from "./record.ts";
import type { Registration, Sessions } from "./sessions.ts";

interface CodebuffPeerHost extends PeerHost, HandlerHost {
  readonly journal: CodebuffJournal;
  readonly sessions: Sessions;
  readonly heartbeat: Heartbeat | undefined;
}

/**
 * One connection of the mock server, without its socket.
 *
 * ```
 *            a valid identify
 *   fresh ----------------------> ready ---+
 *     |                                    |  either side closes
 *     |  the same, identify: "silent"      |  or drops
 *     +-------------------------> deaf ----+--------> over
 *     |                                               ^
 *     |  any other first frame                        |
 *     +-----------------------------------------------+
 * ```
 * With `identify: "nack"` a connection is ready from the start.
 *
 * With `scheduling: "fifo"` a prompt's frame is handled only when its whole answer is sent.
 */
export class CodebuffPeer extends MockPeer implements MockConnection, Beating {
  readonly #host: CodebuffPeerHost;
  readonly #handlers: Handlers;
  readonly #record = new ClientRecord((mistake) => this.blame(mistake));
  #phase: "fresh" | "deaf" | "ready" | "over";
  #registration: Registration | undefined;
  /** The state of the first frame. Frames between its arrival and its answer are too early. */
  #first: "expected" | "arrived" | "answered" = "expected";
  #closing: CancelTimer | undefined;

  constructor(id: number, link: PeerLink, host: CodebuffPeerHost) {
    super(id, link, host);
    this.#host = host;
    this.#phase = host.settings.identify === "nack" ? "ready" : "fresh";
    this.#handlers = new Handlers(host, {
      connection: this,
      record: this.#record,
      send: (text) => this.send(text),
      close: (code, reason) => this.close(code, reason),
      drop: () => this.drop(),
      dropMidFrame: (text) => this.dropMidFrame(text),
      blame: (mistake) => this.blame(mistake),
      beat: () => this.#beat(),
    });
    if (host.settings.heartbeat && host.settings.heartbeat.from === "connection") this.#beat();
  }

  get sessionId(): string | undefined {
    return this.#registration?.sessionId;
  }

  get state(): "open" | "identified" | "closed" {
    if (this.#phase === "over") return "closed";
    return this.#registration ? "identified" : "open";
  }

  get topics(): ReadonlySet<string> {
    return this.#handlers.topics;
  }

  get repliesToClose(): boolean {
    return this.#host.settings.closeReply;
  }

  get staysWhenMalformed(): boolean {
    return false;
  }

  /** The link received a frame from the client. */
  receive(frame: InboundFrame): void {
    const { clock, journal, settings } = this.#host;
    if (typeof frame === "string")
      journal.add(journal.frames, { at: clock.now(), connection: this, direction: "c2s", raw: frame });
    if (this.#phase === "over") return;
    this.#blameForUnread(frame);
    if (this.#first === "arrived")
      this.blame({ kind: "frame-before-identify-ack", detail: describeFrame(frame) });
    // If identify is optional, only an identify must wait for its answer.
    if (this.#first === "expected")
      this.#first =
        settings.identify !== "nack" || this.#messageIn(frame)?.type === "identify" ? "arrived" : "answered";

    // The transport closes for an oversize frame at once; the frame is not queued.
    const closeAbove = settings.sizeLimits ? settings.sizeLimits.closeAbove : Number.POSITIVE_INFINITY;
    if (byteLength(frame, closeAbove) > closeAbove) {
      this.blame({ kind: "oversize-frame", detail: describeFrame(frame) });
      this.close(1009, `frame exceeds limit of ${closeAbove} bytes`);
    } else {
      this.inbox.push(frame);
      this.#readOrNot();
    }
  }

  override leave(code: number, reason: string): void {
    // A concurrent server has already handled the frames that arrived together with the Close.
    if (this.#host.settings.scheduling === "concurrent")
      for (const frame of this.inbox.takeWaiting()) void this.handle(frame);
    super.leave(code, reason);
  }

  expire(): void {
    const { heartbeat } = this.#host.settings;
    if (heartbeat && heartbeat.end === "terminate") this.drop();
    else this.close(1000, "Heartbeat timeout");
  }

  shutDown(): void {
    if (this.#phase === "over") return;
    const { clock, frames, settings } = this.#host;
    if (settings.shutdown === "close") {
      this.close(1012);
      return;
    }
    this.send(frames.action({ type: "request-reconnect" }));
    const { closeAfter } = settings.shutdown;
    this.#closing ??= clock.setTimeout(() => this.close(1001), closeAfter, { unref: true });
  }

  blame({ kind, detail }: Mistake): void {
    const { journal } = this.#host;
    journal.add(journal.violations, { connection: this, kind, detail });
  }

  protected async handle(frame: InboundFrame): Promise<void> {
    const verdict = checkFrame(frame, this.#host.settings);
    if (this.#phase === "deaf" || this.#phase === "over") return;
    if (typeof verdict.txid === "number") this.#record.sawTxid(verdict.txid);
    if (verdict.ok) for (const mistake of mistakesIn(verdict)) this.blame(mistake);
    if (this.#phase === "fresh") this.#handleFirst(verdict);
    else await this.#handleNext(verdict);
  }

  protected sent(frame: string | Uint8Array): void {
    if (typeof frame !== "string") return;
    const { clock, journal } = this.#host;
    journal.add(journal.frames, { at: clock.now(), connection: this, direction: "s2c", raw: frame });
  }

  protected release(end: End): void {
    const { heartbeat, sessions } = this.#host;
    if (end.by === "client") this.#blameForLeaving();
    this.#phase = "over";
    this.#closing?.();
    if (this.#registration) sessions.release(this.#registration, this.#handlers.busy);
    heartbeat?.forget(this);
    this.#handlers.stop();
  }

  protected override keepaliveTimedOut(): void {
    this.#blameForLeaving();
    super.keepaliveTimedOut();
  }

  #handleFirst(verdict: Verdict): void {
    const { settings } = this.#host;
    const identify = verdict.ok && verdict.message.type === "identify" ? verdict.message : undefined;
    if (identify && settings.identify === "silent") {
      this.#phase = "deaf";
      return;
    }
    this.#first = "answered";
    if (verdict.ok && identify) {
      this.#ack(verdict.txid);
      this.#register(identify.clientSessionId, verdict.txid);
      return;
    }
    const detail = verdict.ok ? verdict.message.type : verdict.error;
    this.blame({ kind: "first-frame-not-identify", detail });
    if (!verdict.ok && verdict.answer === "broken") {
      this.close(1000, "Connection cleanup");
      return;
    }
    if (verdict.ok) this.#ack(verdict.txid);
    else this.#nack(verdict);
    this.close(1008, "Expected identify message");
  }

  #register(sessionId: string, txid: number): void {
    const { frames, journal, sessions } = this.#host;
    const registration = sessions.register(sessionId);
    if (typeof registration === "string") {
      this.send(frames.nack(undefined, registration));
      this.close(1000, "Connection cleanup");
      return;
    }
    this.#registration = registration;
    this.#phase = "ready";
    this.#record.sawIdentify(sessionId, txid, this.#host.historyOf(sessionId));
    this.#beat();
    journal.changed();
  }

  async #handleNext(verdict: Verdict): Promise<void> {
    const { frames, settings } = this.#host;
    this.#first = "answered";
    if (!verdict.ok) {
      this.blame({ kind: verdict.violation, detail: verdict.error });
      this.#nack(verdict);
      return;
    }
    const { txid, message } = verdict;
    if (message.type === "identify" && settings.identify === "nack") {
      // The server has no sessions, but the id identifies the client.
      const { clientSessionId } = message;
      this.#record.sawIdentify(clientSessionId, txid, this.#host.historyOf(clientSessionId));
      this.send(frames.nack(txid, "Unknown message type; shouldn't be possible here."));
      return;
    }
    let acked = false;
    const ack = () => {
      if (acked) return;
      acked = true;
      this.#ack(verdict.txid);
    };
    const isPrompt = message.type === "action" && message.data.type === "prompt";
    if (settings.ackOrder === "before" && !(isPrompt && settings.oddities.chunkBeforeAck)) ack();
    const done = this.#handlers.handle(verdict, ack).then(ack);
    if (settings.scheduling === "concurrent") return;
    this.#readOrNot();
    await done;
    this.#readOrNot();
  }

  #beat(): void {
    const { heartbeat, settings } = this.#host;
    if (!settings.heartbeat || this.#phase === "over") return;
    if (settings.heartbeat.from === "connection" || this.#registration) heartbeat?.beat(this);
  }

  #ack(txid: number): void {
    const { frames, settings } = this.#host;
    this.send(frames.ack(txid));
    for (const raw of noiseAfterAck(settings, frames, txid)) this.send(raw);
  }

  #nack({ txid, error, answer }: Refused): void {
    if (answer !== "none") this.send(this.#host.frames.nack(txid, error));
  }

  /** During a prompt, the server stops reading once a frame waits. */
  #readOrNot(): void {
    if (this.#staysUnread) this.read(!(this.#handlers.busy && this.inbox.hasWaiting));
  }

  get #staysUnread(): boolean {
    const { scheduling, unreadFrame } = this.#host.settings;
    return scheduling === "fifo" && unreadFrame === "1011";
  }

  /** The prompts that run or wait, without a terminal message yet. */
  get #unanswered(): readonly string[] {
    const waiting = this.#phase === "ready" ? this.inbox.waiting() : [];
    const prompts = waiting.flatMap((frame) => {
      const message = this.#messageIn(frame);
      return message?.type === "action" && message.data.type === "prompt" ? [message.data.promptId] : [];
    });
    return [...this.#handlers.unanswered, ...prompts];
  }

  #messageIn(frame: InboundFrame): Inbound | undefined {
    const verdict = checkFrame(frame, this.#host.settings);
    return verdict.ok ? verdict.message : undefined;
  }

  #blameForUnread(frame: InboundFrame): void {
    if (this.#staysUnread && this.#unanswered.length > 0)
      this.blame({ kind: "frame-mid-prompt", detail: describeFrame(frame) });
  }

  #blameForLeaving(): void {
    for (const promptId of this.#unanswered) this.blame({ kind: "left-mid-prompt", detail: promptId });
  }
}
