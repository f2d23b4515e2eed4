import type { CancelTimer } from "../../core/clock.ts";
import type { CodebuffBackend } from "./backend.ts";
import { checkFrame } from "./check-frame.ts";
import { ClientRecord } from "./client-record.ts";
import { type ConnectionFaults, LinkFaults } from "./faults.ts";
import { Handlers } from "./handlers.ts";
import type { Beating } from "./heartbeat.ts";
import { byteLength, describe, type InboundFrame, isIdentify, promptIdsIn } from "./inbound.ts";
import { Inbox } from "./inbox.ts";
import { mayBeSent, type PeerLink } from "./link.ts";
import { type Mistake, mistakesIn } from "./mistakes.ts";
import { noiseAfterAck } from "./oddities.ts";
import type { ConnectionClosed, MockConnection } from "./record.ts";
import type { Registration } from "./sessions.ts";
import type { Verdict } from "./verdict.ts";

/** Who ended a connection, and how it was told. */
type End = Omit<ConnectionClosed, "wasClean">;

const CUT = { code: 1006, reason: "" };

/**
 * One connection of the mock server without its socket: frames in, frames out, a clock.
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
 * Frames are handled in order, each after the one before has been done with: with `scheduling: "fifo"`
 * that includes the whole answer to a prompt.
 */
export class CodebuffPeer implements MockConnection, Beating {
  readonly id: number;
  readonly faults: ConnectionFaults;
  readonly #link: PeerLink;
  readonly #backend: CodebuffBackend;
  readonly #inbox: Inbox<InboundFrame>;
  readonly #handlers: Handlers;
  readonly #record = new ClientRecord((mistake) => this.blame(mistake));
  #phase: "fresh" | "deaf" | "ready" | "over";
  #registration: Registration | undefined;
  /** How far the first frame is: what comes between arrival and answer comes too early. */
  #first: "expected" | "arrived" | "answered" = "expected";
  /** What was to be sent during a pause; undefined when there is none. */
  #held: string[] | undefined;
  #closing: CancelTimer | undefined;
  #end: End | undefined;
  #closed: ConnectionClosed | undefined;

  constructor(id: number, link: PeerLink, backend: CodebuffBackend) {
    this.id = id;
    this.faults = new LinkFaults(this, link);
    this.#link = link;
    this.#backend = backend;
    this.#phase = backend.settings.identify === "nack" ? "ready" : "fresh";
    this.#inbox = new Inbox((frame) => this.#handle(checkFrame(frame, backend.settings)));
    this.#handlers = new Handlers(backend, {
      connection: this,
      record: this.#record,
      send: (text) => this.send(text),
      close: (code, reason) => this.close(code, reason),
      drop: () => this.drop(),
      dropMidFrame: (text) => this.dropMidFrame(text),
      blame: (mistake) => this.blame(mistake),
      beat: () => this.#beat(),
    });
    if (backend.settings.heartbeat && backend.settings.heartbeat.from === "connection") this.#beat();
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

  get closed(): ConnectionClosed | undefined {
    return this.#closed;
  }

  send(raw: string): void {
    if (this.#phase === "over") return;
    if (this.#held) {
      this.#held.push(raw);
      return;
    }
    this.#link.send(raw);
    const at = this.#backend.clock.now();
    this.#backend.journal.addFrame({ at, connection: this, direction: "s2c", raw });
  }

  close(code = 1000, reason = ""): void {
    if (!mayBeSent(code)) throw new RangeError(`${code} is not a code that a Close frame can carry`);
    if (this.#finish({ by: "server", code, reason })) this.#link.close(code, reason);
  }

  drop(): void {
    if (this.#finish({ by: "server", ...CUT })) this.#link.drop();
  }

  dropMidFrame(text: string): void {
    if (text === "") throw new RangeError("An empty frame cannot be cut in two");
    if (this.#finish({ by: "server", ...CUT })) this.#link.dropMidFrame(text);
  }

  pause(): void {
    if (this.#phase === "over" || this.#held) return;
    this.#held = [];
    this.#inbox.pause();
    this.#link.pause?.();
  }

  resume(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    for (const raw of held) this.send(raw);
    this.#inbox.resume();
    this.#link.resume?.();
  }

  /** The link reports a frame of the client. */
  receive(frame: InboundFrame): void {
    const { clock, journal, settings } = this.#backend;
    if (typeof frame === "string")
      journal.addFrame({ at: clock.now(), connection: this, direction: "c2s", raw: frame });
    if (this.#phase === "over") return;
    if (this.#first === "arrived") this.blame({ kind: "frame-before-identify-ack", detail: describe(frame) });
    // Where an identify is not required, only an identify must be alone until its answer.
    if (this.#first === "expected")
      this.#first = settings.identify !== "nack" || isIdentify(frame, settings) ? "arrived" : "answered";

    // The transport closes this one, not a handler, so it does not wait in line.
    const closeAbove = settings.sizeLimits ? settings.sizeLimits.closeAbove : Number.POSITIVE_INFINITY;
    if (byteLength(frame, closeAbove) > closeAbove) {
      this.blame({ kind: "oversize-frame", detail: describe(frame) });
      this.close(1009, `frame exceeds limit of ${closeAbove} bytes`);
    } else this.#inbox.push(frame);
  }

  /** The link reports the client's Close frame. */
  leave(code: number, reason: string): void {
    // What came in one packet with the Close was handled by then on a server where no frame waits for another.
    if (this.#backend.settings.scheduling === "concurrent")
      for (const frame of this.#inbox.takeWaiting())
        void this.#handle(checkFrame(frame, this.#backend.settings));
    this.#finish({ by: "client", code, reason });
  }

  /** The link reports that it is down. */
  ended(wasClean: boolean): void {
    this.#finish({ by: "client", ...CUT });
    if (this.#closed || !this.#end) return;
    this.#closed = { ...this.#end, wasClean };
    this.#backend.journal.changed();
  }

  /** The heartbeat has found this connection silent. */
  expire(): void {
    const { heartbeat } = this.#backend.settings;
    if (heartbeat && heartbeat.end === "terminate") this.drop();
    else this.close(1000, "Heartbeat timeout");
  }

  /** The server is about to end. */
  shutDown(): void {
    if (this.#phase === "over") return;
    const { clock, frames, settings } = this.#backend;
    if (settings.shutdown === "close") {
      this.close(1012);
      return;
    }
    this.send(frames.action({ type: "request-reconnect" }));
    const { closeAfter } = settings.shutdown;
    this.#closing ??= clock.setTimeout(() => this.close(1001), closeAfter, { unref: true });
  }

  /** Notes a mistake of the client. */
  blame({ kind, detail }: Mistake): void {
    this.#backend.journal.addViolation({ connection: this, kind, detail });
  }

  async #handle(verdict: Verdict): Promise<void> {
    if (this.#phase === "deaf" || this.#phase === "over") return;
    if (typeof verdict.txid === "number") this.#record.sawTxid(verdict.txid);
    if (verdict.ok) for (const mistake of mistakesIn(verdict)) this.blame(mistake);
    if (this.#phase === "fresh") this.#handleFirst(verdict);
    else await this.#handleNext(verdict);
  }

  #handleFirst(verdict: Verdict): void {
    const { frames, settings } = this.#backend;
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
    else if (verdict.answer !== "none") this.send(frames.nack(verdict.txid, verdict.error));
    this.close(1008, "Expected identify message");
  }

  #register(sessionId: string, txid: number): void {
    const { frames, journal, sessions } = this.#backend;
    const registration = sessions.register(sessionId);
    if (typeof registration === "string") {
      this.send(frames.nack(undefined, registration));
      this.close(1000, "Connection cleanup");
      return;
    }
    this.#registration = registration;
    this.#phase = "ready";
    this.#record.sawIdentify(sessionId, txid, this.#backend.historyOf(sessionId));
    this.#beat();
    journal.changed();
  }

  async #handleNext(verdict: Verdict): Promise<void> {
    const { frames, settings } = this.#backend;
    this.#first = "answered";
    if (!verdict.ok) {
      this.blame({ kind: verdict.violation, detail: verdict.error });
      if (verdict.answer !== "none") this.send(frames.nack(verdict.txid, verdict.error));
      return;
    }
    const { txid, message } = verdict;
    if (message.type === "identify" && settings.identify === "nack") {
      // It knows no sessions; whose connection this is can be told from the id all the same.
      const { clientSessionId } = message;
      this.#record.sawIdentify(clientSessionId, txid, this.#backend.historyOf(clientSessionId));
      this.send(frames.nack(txid, "Unknown message type; shouldn't be possible here."));
      return;
    }
    let acked = false;
    const ack = () => {
      if (acked) return;
      acked = true;
      this.#ack(txid);
    };
    const isPrompt = message.type === "action" && message.data.type === "prompt";
    if (settings.ackOrder === "before" && !(isPrompt && settings.oddities.chunkBeforeAck)) ack();
    const done = this.#handlers.handle(verdict, ack).then(ack);
    if (settings.scheduling === "fifo") await done;
  }

  #beat(): void {
    const { heartbeat, settings } = this.#backend;
    if (!settings.heartbeat || this.#phase === "over") return;
    if (settings.heartbeat.from === "connection" || this.#registration) heartbeat?.beat(this);
  }

  #ack(txid: number): void {
    const { frames, settings } = this.#backend;
    this.send(frames.ack(txid));
    for (const raw of noiseAfterAck(settings.oddities, frames, txid)) this.send(raw);
  }

  /** The one way to `over`: lets go of everything the connection held. False if it was over already. */
  #finish(end: End): boolean {
    if (this.#phase === "over") return false;
    const { heartbeat, journal, sessions } = this.#backend;
    if (end.by === "client") this.#blameForLeaving();
    this.#phase = "over";
    this.#end = end;
    this.#held = undefined;
    this.#closing?.();
    if (this.#registration) sessions.release(this.#registration, this.#handlers.busy);
    heartbeat?.forget(this);
    this.#handlers.stop();
    this.#inbox.end();
    journal.changed();
    return true;
  }

  #blameForLeaving(): void {
    const waiting = this.#phase === "ready" ? this.#inbox.waiting() : [];
    const left = [...this.#handlers.unanswered, ...promptIdsIn(waiting, this.#backend.settings)];
    for (const promptId of left) this.blame({ kind: "left-mid-prompt", detail: promptId });
  }
}
