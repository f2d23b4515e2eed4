// The interface between a mock server's connection and its socket.
import type { InboundFrame } from "./inbound.ts";

/** The server side of a WebSocket of any kind. */
export interface PeerLink {
  /** The requested address, if the link knows it: a path with a query, or a full URL. */
  readonly url?: string | undefined;
  send(text: string): void;
  /** Sends a binary frame, if the link supports it. */
  readonly sendBytes?: ((bytes: Uint8Array) => void) | undefined;
  /** Sends a Close frame. */
  close(code: number, reason: string): void;
  /** Ends the link without a Close frame, after all earlier sends. */
  drop(): void;
  /** Sends the first half of a text frame, then ends the link. */
  dropMidFrame(text: string): void;
  /** Stops reading from the client, if the link supports it. */
  pause?(): void;
  resume?(): void;
  /** The bytes below the frames, if the link has access to them. */
  readonly wire?: LinkWire | undefined;
}

/** The bytes of a link, for faults below the WebSocket protocol. */
export interface LinkWire {
  /** Writes bytes unchanged, after all earlier sends. */
  write(bytes: Uint8Array): void;
  /** Sends all later bytes in pieces. `undefined` sends everything at once again, including waiting bytes. */
  drip(pace: DripPace | undefined): void;
  /** Keeps the TCP connection open after the closing handshake. */
  linger(): void;
}

/** The pace of slow bytes. */
export interface DripPace {
  /** The bytes of one piece. */
  readonly bytes: number;
  /** The pause after each piece, in ms. */
  readonly pause: number;
}

/** Whether the WebSocket protocol allows sending this close code. */
export function mayBeSent(code: number): boolean {
  const registered = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
  return registered || (code >= 3000 && code <= 4999);
}

/** A mistake below the agent protocol. */
export interface LinkMistake {
  readonly kind: "subprotocol-requested" | "malformed-frame";
  readonly detail: string;
}

/** The events that a socket reports to its peer. */
export interface SocketPeer {
  receive(frame: InboundFrame): void;
  /** The client's Close frame. */
  leave(code: number, reason: string): void;
  /** The socket is closed. */
  ended(wasClean: boolean): void;
  blame(mistake: LinkMistake): void;
  /** Whether the server answers a client's Close frame. */
  readonly repliesToClose: boolean;
  /**
   * Whether bytes that violate the WebSocket protocol leave the socket open, without further reading. Otherwise they
   * end the connection like a client's Close.
   */
  readonly staysWhenMalformed: boolean;
}
