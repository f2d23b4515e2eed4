// What a socket tells its connection, as types.
import type { InboundFrame } from "./inbound.ts";

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
