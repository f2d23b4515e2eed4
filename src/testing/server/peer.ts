// The base of a mock server's connections, for any protocol.
import type { Clock } from "../../core/clock.ts";
import { type ConnectionFaults, LinkFaults } from "./faults.ts";
import type { InboundFrame } from "./inbound.ts";
import { Inbox } from "./inbox.ts";
import { MockKeepalive } from "./keepalive.ts";
import type { LinkMistake, SocketPeer } from "./link.ts";
import { mayBeSent, type PeerLink } from "./link.ts";
import type { ConnectionClosed, ServedConnection } from "./record.ts";

/** Who ended a connection, and how it was told. */
export type End = Omit<ConnectionClosed, "wasClean">;

/** What a peer needs of its server. */
export interface PeerHost {
  /** The name of the mock with a port, for what is said to those who have none. */
  readonly withPort: string;
  readonly clock: Clock;
  readonly journal: { changed(): void };
}

const CUT = { code: 1006, reason: "" };

/**
 * One connection of a mock server without its socket: frames in, frames out. This is what is the same for every
 * protocol: how a connection goes silent and how it ends, once. Frames are handled in order, each after the one
 * before has been done with.
 */
export abstract class MockPeer implements ServedConnection, SocketPeer {
  readonly id: number;
  readonly faults: ConnectionFaults;
  protected readonly inbox: Inbox<InboundFrame>;
  readonly #link: PeerLink;
  readonly #host: PeerHost;
  readonly #keepalive: MockKeepalive;
  #reading = true;
  /** What was to be sent during a pause; undefined when there is none. */
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
  /** The link reports a frame of the client: what is to be handled in its turn goes into the inbox. */
  abstract receive(frame: InboundFrame): void;
  abstract blame(mistake: LinkMistake): void;
  /** A frame has its turn. */
  protected abstract handle(frame: InboundFrame): Promise<void>;
  /** A frame went out. */
  protected abstract sent(frame: string | Uint8Array): void;
  /** Lets go of everything that the connection held. The inbox still has what nobody looked at. */
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
    else throw new TypeError("This link carries no binary frames");
    this.sent(frame);
  }

  close(code = 1000, reason = ""): void {
    if (!mayBeSent(code)) throw new RangeError(`${code} is not a code that a Close frame can carry`);
    if (!this.#finish({ by: "server", code, reason })) return;
    this.#link.close(code, reason);
    // Otherwise the client's Close would never be read.
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

  /** The link reports the client's Close frame. */
  leave(code: number, reason: string): void {
    this.#finish({ by: "client", code, reason });
  }

  /** The link reports that it is down. */
  ended(wasClean: boolean): void {
    this.#finish({ by: "client", ...CUT });
    if (this.#closed || !this.#end) return;
    this.#closed = { ...this.#end, wasClean };
    this.#host.journal.changed();
  }

  /** A pause in which the socket is still read: what comes is received, and handled when all is well again. */
  protected freeze(): boolean {
    if (this.#end || this.#held) return false;
    this.#held = [];
    this.inbox.pause();
    return true;
  }

  /**
   * Reads from the client, or not, as a server does that holds one frame which its handler has not asked for: then
   * nothing more is read, pongs and Close included, and the keepalive runs towards its end.
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

  /** No pong was read in time. */
  protected keepaliveTimedOut(): void {
    this.close(1011, "keepalive ping timeout");
  }

  /** Whether either side has ended the connection. */
  protected get over(): boolean {
    return this.#end !== undefined;
  }

  /** Ends the link of a connection that is over, if it is still up: it may have been left open by a Close. */
  hangUp(): void {
    if (this.#end && !this.#closed) this.#link.drop();
  }

  /** The one way to be over: false if it was already. */
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
