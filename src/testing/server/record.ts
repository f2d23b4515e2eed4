// The types of a connection on any mock, for tests.
import type { ConnectionFaults } from "./faults.ts";

/** One connection of a mock server of any protocol, for a test to inspect and control. Closed ones are kept. */
export interface ServedConnection {
  /** 1 for the server's first connection. */
  readonly id: number;
  /** The phase of the connection; `closed` once either side has ended it, see {@link closed}. */
  readonly state: string;
  /** The end of the connection, once the socket is closed. */
  readonly closed: ConnectionClosed | undefined;
  /** Sends a frame unchanged: a string as text, bytes as binary. Does nothing on a closed connection. */
  send(raw: string | Uint8Array): void;
  /** Starts the closing handshake. */
  close(code?: number, reason?: string): void;
  /** Cuts the TCP connection without a Close frame, after all earlier sends: the client sees 1006. */
  drop(): void;
  /** Sends the first half of a text frame, then cuts the TCP connection. */
  dropMidFrame(text: string): void;
  /**
   * Goes silent like a server that hangs: reads and sends nothing until {@link resume}. The client's Close, or the loss
   * of the client, goes unnoticed.
   */
  pause(): void;
  /** Sends the messages held back, and reads again. */
  resume(): void;
  /** Faults below the protocol. */
  readonly faults: ConnectionFaults;
}

/** The end of a connection. */
export interface ConnectionClosed {
  /** The code of the first Close; 1005 for a Close without a code, 1006 for a cut. */
  readonly code: number;
  readonly reason: string;
  /** Whether both sides sent a Close. */
  readonly wasClean: boolean;
  /** The side that ended the connection. */
  readonly by: "client" | "server";
}

/** One frame in either direction, on a connection of any mock. */
export interface ConnectionFrame<Connection extends ServedConnection> {
  /** `clock.now()` at sending or arrival, in ms. */
  readonly at: number;
  readonly connection: Connection;
  readonly direction: "c2s" | "s2c";
  readonly raw: string;
}

/** A frame as recorded: bytes are decoded as UTF-8. */
export function noted(frame: string | Uint8Array): { readonly raw: string; readonly binary: boolean } {
  const binary = typeof frame !== "string";
  return { raw: binary ? new TextDecoder().decode(frame) : frame, binary };
}

/** A mistake of the client. The mock records it, and answers like the real server. */
export interface ViolationRecord<Connection extends ServedConnection | undefined, Kind extends string> {
  readonly connection: Connection;
  readonly kind: Kind;
  /** The details for a reader: a field, an id, or the text of the refusal. */
  readonly detail: string;
}
