// What tests can read of a connection on any mock, as types.
import type { ConnectionFaults } from "./faults.ts";

/** One connection of a mock server, as a test sees and steers it, whatever its protocol. Kept after it closed. */
export interface ServedConnection {
  /** 1 for the first connection of the server, and so on. */
  readonly id: number;
  /** How far it is; `closed` once either side has ended it, see {@link closed}. */
  readonly state: string;
  /** How it ended, once the socket is down. */
  readonly closed: ConnectionClosed | undefined;
  /**
   * Sends a string as a text frame and bytes as a binary one, as they are. Nothing happens on a closed connection.
   */
  send(raw: string | Uint8Array): void;
  /** Starts the closing handshake. */
  close(code?: number, reason?: string): void;
  /** Ends the TCP connection without a Close frame, after what was already sent: the client sees 1006. */
  drop(): void;
  /** Sends a text frame of which the second half never comes, then ends the TCP connection. */
  dropMidFrame(text: string): void;
  /**
   * Goes silent: reads nothing more from the socket and sends nothing, until {@link resume}. The client's
   * Close goes unread too, and even its vanishing goes unnoticed, as with a server that hangs.
   */
  pause(): void;
  /** Sends what was held back and goes on reading. */
  resume(): void;
  /** What can go wrong beneath the protocol. */
  readonly faults: ConnectionFaults;
}

/** How a connection ended. */
export interface ConnectionClosed {
  /** The code of whoever closed first; 1005 for a Close without one, 1006 for a cut. */
  readonly code: number;
  readonly reason: string;
  /** Whether both sides said Close. */
  readonly wasClean: boolean;
  /** Who ended it. */
  readonly by: "client" | "server";
}

/** One frame, either way, on a connection of some mock. */
export interface ConnectionFrame<Connection extends ServedConnection> {
  /** `clock.now()` when it was sent or had arrived, in ms. */
  readonly at: number;
  readonly connection: Connection;
  readonly direction: "c2s" | "s2c";
  readonly raw: string;
}

/** A frame as it is noted: bytes are read as UTF-8. */
export function noted(frame: string | Uint8Array): { readonly raw: string; readonly binary: boolean } {
  const binary = typeof frame !== "string";
  return { raw: binary ? new TextDecoder().decode(frame) : frame, binary };
}

/** A mistake of the client. The server answers as the real one does, and notes it here. */
export interface ViolationRecord<Connection extends ServedConnection | undefined, Kind extends string> {
  readonly connection: Connection;
  readonly kind: Kind;
  /** What it was about, for people: a field, an id, the text of the refusal. */
  readonly detail: string;
}
