// The base of a mock server's connections, for any protocol.
import type { Clock } from "../../core/clock.ts";
import { type ConnectionFaults, LinkFaults } from "./faults.ts";
import type { InboundFrame } from "./inbound.ts";
import { Inbox } from "./inbox.ts";
import { MockKeepalive } from "./keepalive.ts";
import type { LinkMistake, SocketPeer } from "./link.ts";
import { mayBeSent, type PeerLink } from "./link.ts";
import type { ConnectionClosed, ServedConnection } from "./record.ts";

/** The side that ended a connection, with code and reason. */
export type End = Omit<ConnectionClosed, "wasClean">;

/** The part of a server that a peer needs. */
export interface PeerHost {
  /** The name of the mock with a port, for error messages of mocks without. */
  readonly withPort: string;
  readonly clock: Clock;
  readonly journal: { changed(): void };
}

const CUT = { code: 1006, reason: "" };

/**
 * One connection of a mock server, without its socket. It does what all protocols share: it goes silent, ends once, and
 * handles each frame after the previous one is done.
 */
export abstract class MockPeer implements ServedConnection, SocketPeer {
  readonly id: number;
  readonly faults: ConnectionFaults;
  protected readonly inbox: Inbox<InboundFrame>;
  readonly #link: PeerLink;
  readonly #host: PeerHost;
  readonly #keepalive: MockKeepalive;
  #reading = true;
  /** Messages held back during a pause; undefined without a pause. */
  #held: (string | Uint8Array)[] | undefined;
  #end: End | undefined;
  #closed: ConnectionClosed | undefined;

  constructor(id: number, link: PeerLink, host: PeerHost) {
    this.id = id;
    this.faults = new LinkFaults(this, link, host.withPort);
    this.inbox = new Inbox((frame) => this.handle(frame));
    this.#link = link;
    this.#host = host;
    this.#keepalive = new MockKeepalive(host.clock, () => this.keepaliveTimedOut());
  }

  abstract get state(): string;
  abstract get repliesToClose(): boolean;
  abstract get staysWhenMalformed(): boolean;
  /** The link received a client's frame. Put it into the inbox to handle it in order. */
  abstract receive(frame: InboundFrame): void;
  abstract blame(mistake: LinkMistake): void;
  /** Handles the next frame. */
  protected abstract handle(frame: InboundFrame): Promise<void>;
  /** A frame was sent. */
  protected abstract sent(frame: string | Uint8Array): void;
  /** Releases everything that the connection holds. The inbox still has its unhandled frames. */
  protected abstract release(end: End): void;

  get closed(): ConnectionClosed | undefined {
    return this.#closed;
  }

  send(frame: string | Uint8Array): void {
    if (this.#end) return;
    if (this.#held) {
      this.#held.push(frame);
      return;
    }
    if (typeof frame === "string") this.#link.send(frame);
    else if (this.#link.sendBytes) this.#link.sendBytes(frame);
    else throw new TypeError("This link cannot send binary frames");
    this.sent(frame);
  }

  close(code = 1000, reason = ""): void {
    if (!mayBeSent(code)) throw new RangeError(`${code} is not a code that a Close frame can carry`);
    if (!this.#finish({ by: "server", code, reason })) return;
    this.#link.close(code, reason);
    // Resume, or the link never reads the client's Close.
    if (!this.#reading) this.#link.resume?.();
  }

  drop(): void {
    if (this.#finish({ by: "server", ...CUT })) this.#link.drop();
  }

  dropMidFrame(text: string): void {
    if (text === "") throw new RangeError("An empty frame cannot be cut in two");
    if (this.#finish({ by: "server", ...CUT })) this.#link.dropMidFrame(text);
  }

  pause(): void {
    if (this.freeze()) this.#link.pause?.();
  }

  resume(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    for (const frame of held) this.send(frame);
    this.inbox.resume();
    if (this.#reading) this.#link.resume?.();
  }

  /** The link received the client's Close frame. */
  leave(code: number, reason: string): void {
    this.#finish({ by: "client", code, reason });
  }

  /** The link has ended. */
  ended(wasClean: boolean): void {
    this.#finish({ by: "client", ...CUT });
    if (this.#closed || !this.#end) return;
    this.#closed = { ...this.#end, wasClean };
    this.#host.journal.changed();
  }

  /** Starts a pause that still reads the socket. Received frames are handled after the pause. */
  protected freeze(): boolean {
    if (this.#end || this.#held) return false;
    this.#held = [];
    this.inbox.pause();
    return true;
  }

  /**
   * Starts or stops reading from the client. A real server stops while a frame waits for its handler. It then reads
   * nothing, including pongs and Close, until the keepalive times out.
   */
  protected read(reading: boolean): void {
    if (this.#end || reading === this.#reading) return;
    this.#reading = reading;
    if (reading) {
      this.#keepalive.readAgain();
      if (!this.#held) this.#link.resume?.();
    } else {
      this.#keepalive.stopReading();
      this.#link.pause?.();
    }
  }

  /** The keepalive got no pong in time. */
  protected keepaliveTimedOut(): void {
    this.close(1011, "keepalive ping timeout");
  }

  /** Whether either side has ended the connection. */
  protected get over(): boolean {
    return this.#end !== undefined;
  }

  /** Ends the link of a closed connection, if a Close left the link open. */
  hangUp(): void {
    if (this.#end && !this.#closed) this.#link.drop();
  }

  /** Marks the connection as over. Returns false if it already was. */
  #finish(end: End): boolean {
    if (this.#end) return false;
    this.#end = end;
    this.#keepalive.stop();
    this.release(end);
    this.#held = undefined;
    this.inbox.end();
    this.#host.journal.changed();
    return true;
  }
}
