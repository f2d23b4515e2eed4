// A socket seen from a mock server, and what the socket tells its connection.
import type { InboundFrame } from "./inbound.ts";

/** The way from a peer to its client: a WebSocket of any make, seen from the server. */
export interface PeerLink {
  /** What the client has asked for, as far as the link knows: path and query, or a whole URL. */
  readonly url?: string | undefined;
  send(text: string): void;
  /** Sends a binary frame, where that is possible. */
  readonly sendBytes?: ((bytes: Uint8Array) => void) | undefined;
  /** Sends a Close frame. */
  close(code: number, reason: string): void;
  /** Ends the link without one, after what was already sent. */
  drop(): void;
  /** Sends a text frame of which the second half never comes, then ends the link. */
  dropMidFrame(text: string): void;
  /** Stops reading from the client, where that is possible. */
  pause?(): void;
  resume?(): void;
  /** What is under the frames, where the link has bytes of its own. */
  readonly wire?: LinkWire | undefined;
}

/** The bytes of a link, for faults beneath the WebSocket protocol. */
export interface LinkWire {
  /** Writes bytes as they are, behind what was sent before. */
  write(bytes: Uint8Array): void;
  /** From now on whatever is written goes out in pieces; with `undefined` at once again, the rest of it included. */
  drip(pace: DripPace | undefined): void;
  /** The end of the closing handshake will not end the TCP connection. */
  linger(): void;
}

/** How fast bytes drip. */
export interface DripPace {
  /** Bytes of one piece. */
  readonly bytes: number;
  /** ms after each piece. */
  readonly pause: number;
}

/** Codes that the WebSocket protocol lets an endpoint send. */
export function mayBeSent(code: number): boolean {
  const registered = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
  return registered || (code >= 3000 && code <= 4999);
}

/** A mistake that shows below any protocol. */
export interface LinkMistake {
  readonly kind: "subprotocol-requested" | "malformed-frame";
  readonly detail: string;
}

/** What a socket tells the peer that it belongs to. */
export interface SocketPeer {
  /** A frame of the client. */
  receive(frame: InboundFrame): void;
  /** The client's Close frame. */
  leave(code: number, reason: string): void;
  /** The socket is down. */
  ended(wasClean: boolean): void;
  blame(mistake: LinkMistake): void;
  /** Whether a Close frame of the client is answered. */
  readonly repliesToClose: boolean;
  /**
   * Whether bytes that break the WebSocket protocol leave the socket as it is, with nothing read from it any more.
   * Otherwise they end it as the client's Close does.
   */
  readonly staysWhenMalformed: boolean;
}
