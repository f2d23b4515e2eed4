// One connection of the mock, without its socket.
import { ChunkedLink, type Chunking } from "../server/chunked-link.ts";
import { byteLength, describeFrame, type InboundFrame } from "../server/inbound.ts";
import type { PeerLink } from "../server/link.ts";
import { MockPeer } from "../server/peer.ts";
import { noted } from "../server/record.ts";
import { settle } from "../settle.ts";
import type { CodeyBackend } from "./backend.ts";
import type { Speaker } from "./context.ts";
import { noiseAfterMessage, readMessage, writeMessage } from "./frames.ts";
import type { ServerMessage } from "./messages.ts";
import type { CodeyMistake } from "./record.ts";
import { CodeySession } from "./session.ts";

const MIB = 1_048_576;
/** The largest frame that a client may send. */
const CLIENT_LIMIT = 15 * MIB;
/** The largest frame that the server accepts. */
const SERVER_LIMIT = 16 * MIB;
/** The size of a huge message. */
const HUGE = 20_000_000;
const CUT = 1006;

export class CodeyPeer extends MockPeer implements Speaker {
  readonly #host: CodeyBackend;
  readonly #session: CodeySession;
  #greeted = false;
  #deaf = false;
  #frozen = false;
  #arrived = 0;
  #handled = 0;
  #said = 0;
  /** The client sent its Close and gets no reply. Every later send fails. */
  #isLeft = false;
  #hasFailed = false;
  /** Frames that ended connections left while the server was frozen. The server handles them when it thaws. */
  #unheard: readonly InboundFrame[] = [];

  constructor(id: number, link: PeerLink, host: CodeyBackend) {
    super(id, new ChunkedLink(link, () => chunkingOf(host), host.withPort), host);
    this.#host = host;
    this.#session = new CodeySession(host, this);
  }

  get sessionId(): string {
    return this.#session.id;
  }

  get session(): "live" | "leaked" | "ended" {
    return this.#session.state;
  }

  get state(): "open" | "ready" | "deaf" | "closed" {
    if (this.over) return "closed";
    if (this.#deaf) return "deaf";
    return this.#greeted ? "ready" : "open";
  }

  get arrived(): number {
    return this.#arrived;
  }

  get repliesToClose(): boolean {
    return this.#host.settings.closeReply && !this.#frozen && !this.#deaf;
  }

  get staysWhenMalformed(): boolean {
    return this.#host.settings.afterOversize === "deaf";
  }

  start(): void {
    const { frozen } = this.#host.settings;
    this.#dropWhenDue();
    if (frozen === "noConnected" || frozen === "noUpgrade" || this.#host.full) this.freezeUp();
    this.#session.greet();
    if (frozen === "midSession") this.freezeUp();
  }

  /** Freezes the connection: it sends and handles nothing more. */
  freezeUp(): void {
    if (this.freeze()) this.#frozen = true;
  }

  thaw(): void {
    if (!this.#frozen) return;
    this.resume();
    const unheard = this.#unheard;
    this.#unheard = [];
    for (const frame of unheard) this.#heed(frame);
  }

  override resume(): void {
    this.#frozen = false;
    super.resume();
  }

  /** Ends the connection, because the server process died. */
  die(): void {
    this.drop();
    this.#session.end();
  }

  say(message: ServerMessage, first: boolean): boolean {
    if (this.#isLeft || this.over) {
      this.#hasFailed = true;
      this.hangUp();
      return false;
    }
    const { settings } = this.#host;
    const written = writeMessage(message, settings);
    const text = first && settings.chunking === "huge" ? written.padEnd(HUGE) : written;
    this.send(settings.binaryJson === "injected" ? new TextEncoder().encode(text) : text);
    for (const noise of noiseAfterMessage(settings)) this.send(noise);
    this.#said++;
    this.#dropWhenDue();
    return true;
  }

  receive(frame: InboundFrame): void {
    const { journal, settings } = this.#host;
    this.#arrived++;
    this.#record("c2s", frame);
    if (this.over || this.#deaf) return;
    if (!this.#greeted && !isPing(frame))
      this.blame({ kind: "frame-before-connected", detail: describeFrame(frame) });
    const bytes = byteLength(frame, CLIENT_LIMIT);
    if (bytes > CLIENT_LIMIT) this.blame({ kind: "oversize-frame", detail: `${bytes} bytes` });
    if (bytes <= SERVER_LIMIT) {
      this.inbox.push(frame);
      return;
    }
    if (settings.afterOversize === "close1009") this.close(1009);
    else this.#deaf = true;
    journal.changed();
  }

  override leave(code: number, reason: string): void {
    // Handle the frames in the Close's packet after the Close.
    this.#isLeft = !this.repliesToClose;
    for (const frame of this.inbox.takeWaiting()) this.#heed(frame);
    // A frozen or deaf server reads no Cancel, so do not blame the client.
    if (!this.#frozen && !this.#deaf) this.#session.blameForLeaving();
    super.leave(code, reason);
    if (this.#hasFailed) this.hangUp();
  }

  blame({ kind, detail }: CodeyMistake): void {
    const { journal } = this.#host;
    journal.add(journal.violations, { connection: this, kind, detail });
  }

  protected async handle(frame: InboundFrame): Promise<void> {
    this.#heed(frame);
    // The real server has no fixed order between the effects of a message and the reply to the next one. Here the
    // effects always come first, so that tests are stable.
    await settle();
  }

  #heed(frame: InboundFrame): void {
    this.#handled++;
    const text = typeof frame === "string" ? frame : undefined;
    const { clock, journal } = this.#host;
    if (text === undefined) {
      this.blame({ kind: "binary-frame", detail: describeFrame(frame) });
      this.#session.refuse("binary frame");
      return;
    }
    const reading = readMessage(text);
    if (reading.ok)
      journal.add(journal.received, { at: clock.now(), connection: this, message: reading.message });
    else this.blame({ kind: reading.kind, detail: reading.detail });
    if (this.#session.panicked) this.drop();
    else if (reading.ok) this.#session.handle(reading.message, this.#handled);
    else this.#session.refuse(reading.detail);
  }

  protected sent(frame: string | Uint8Array): void {
    this.#greeted = true;
    this.#record("s2c", frame);
  }

  protected release(): void {
    if (this.#frozen) this.#unheard = this.inbox.waiting();
    this.#session.lost();
  }

  #record(direction: "c2s" | "s2c", frame: string | Uint8Array): void {
    const { clock, journal } = this.#host;
    journal.add(journal.frames, { at: clock.now(), connection: this, direction, ...noted(frame) });
  }

  #dropWhenDue(): void {
    const { dropAt } = this.#host.settings;
    if (dropAt === "off" || this.#said < dropAt.after) return;
    if (dropAt.code === CUT) this.drop();
    else this.close(dropAt.code);
  }
}

/** Only a `Ping` lets a client end the session before `Connected`. */
function isPing(frame: InboundFrame): boolean {
  const reading = typeof frame === "string" ? readMessage(frame) : undefined;
  return reading?.ok === true && reading.message.type === "Ping";
}

/** A huge message is sent in one frame. */
function chunkingOf({ settings: { chunking } }: CodeyBackend): Chunking {
  return chunking === "huge" ? "whole" : chunking;
}

export function acceptCodey(backend: CodeyBackend, link: PeerLink): CodeyPeer {
  const { journal, peers } = backend;
  const peer = new CodeyPeer(peers.length + 1, link, backend);
  peers.push(peer);
  journal.add(journal.connections, peer);
  peer.start();
  backend.freezeWhenFull();
  return peer;
}
