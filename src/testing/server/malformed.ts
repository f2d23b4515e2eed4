// Bytes that break the WebSocket protocol.

/**
 * A way to break the WebSocket protocol, as a server. A client must fail the connection over each of them: most
 * say so with a Close of 1002, or 1007 for `bad-utf8`.
 */
export type MalformedFrame =
  /** A frame of the reserved opcode 3. */
  | "bad-opcode"
  /** A text frame with a reserved bit set, as a compressed one has it, where no compression was agreed on. */
  | "reserved-bits"
  /** A text frame that is not UTF-8. */
  | "bad-utf8"
  /** A masked frame, which only clients send. */
  | "masked"
  /** The continuation of a message that never began. */
  | "stray-continuation"
  /** A ping in fragments. */
  | "fragmented-ping"
  /** A ping of 126 bytes, one more than a control frame may have. */
  | "long-ping"
  /** A Close of one byte, half a code. */
  | "short-close"
  /** A Close with 1005, which must not be on the wire. */
  | "bad-close-code";

/** The bytes of each. */
export const MALFORMED: { readonly [kind in MalformedFrame]: Uint8Array } = {
  "bad-opcode": Uint8Array.of(0x83, 0),
  "reserved-bits": Uint8Array.of(0xc1, 2, 0x68, 0x69),
  "bad-utf8": Uint8Array.of(0x81, 2, 0xc3, 0x28),
  masked: Uint8Array.of(0x81, 0x82, 1, 2, 3, 4, 0x69, 0x6b),
  "stray-continuation": Uint8Array.of(0x80, 2, 0x68, 0x69),
  "fragmented-ping": Uint8Array.of(0x09, 0),
  "long-ping": Uint8Array.of(0x89, 126, 0, 126, ...new Uint8Array(126)),
  "short-close": Uint8Array.of(0x88, 1, 0x03),
  "bad-close-code": Uint8Array.of(0x88, 2, 0x03, 0xed),
};
