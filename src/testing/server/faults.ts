// The faults that a test can cause on a connection.
import { checkMockNames, type NamesOf } from "../names.ts";
import type { DripPace, LinkWire, PeerLink } from "./link.ts";
import { halfFrame } from "./raw-frame.ts";

/**
 * A violation of the WebSocket protocol by the server. A client must fail the connection for each. Most send a Close
 * with 1002, or 1007 for `bad-utf8`.
 */
export type MalformedFrame =
  /** A frame with the reserved opcode 3. */
  | "bad-opcode"
  /** A text frame with the reserved bit for compression, without negotiated compression. */
  | "reserved-bits"
  /** A text frame that is not UTF-8. */
  | "bad-utf8"
  /** A masked frame. Only clients may send masked frames. */
  | "masked"
  /** A continuation frame without a first frame. */
  | "stray-continuation"
  /** A ping in fragments. */
  | "fragmented-ping"
  /** A ping of 126 bytes, one over the limit of a control frame. */
  | "long-ping"
  /** A Close of one byte. A code needs two. */
  | "short-close"
  /** A Close with 1005, which must not be sent. */
  | "bad-close-code";

/** The bytes of each violation. */
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

/**
 * Faults below the protocol on one connection. `drop()`, `dropMidFrame()` and `pause()` are on the connection itself.
 * All faults but {@link hugeFrame} need a socket: they throw on a connection of a mock without a port. They do nothing
 * on a closed connection. Bytes other than text frames are not in `frames`.
 *
 * One fault is impossible: a peer that vanishes without any TCP packet, like a pulled cable. On the loopback interface
 * the kernel always answers. `pause()` looks the same to a client until it closes.
 */
export interface ConnectionFaults {
  /**
   * Sends `text` as a frame of `bytes` bytes. Trailing spaces fill it, so the JSON means the same.
   * @param text a message of an unknown type by default
   * @throws RangeError if `text` alone is larger
   */
  hugeFrame(bytes: number, text?: string): void;
  /** Violates the WebSocket protocol. For a valid frame with invalid content, use `send()`. */
  malformed(kind: MalformedFrame): void;
  /** Writes bytes to the TCP connection unchanged, after the frames sent before. */
  bytes(bytes: Uint8Array): void;
  /**
   * Sends all later bytes slowly: `bytes` bytes at a time (default 1), then a pause of `pause` ms on the mock's clock
   * (default 10). The cuts ignore frame borders. The Close frame and the end of TCP wait too. `false` sends everything
   * that waits, and all later bytes, at once.
   * @throws RangeError if `bytes` is not a whole number above 0, or `pause` is below 0
   */
  dripFeed(pace?: Partial<DripPace> | false): void;
  /** Sends the first half of a text frame, then goes silent like `pause()`. `resume()` does not send the rest. */
  freezeMidFrame(text: string): void;
  /**
   * Keeps the TCP connection open after the closing handshake, until the client ends it. A client that correctly waits
   * for the server to end TCP waits for ever.
   */
  neverHangUp(): void;
}

/** The part of a connection that the faults need. */
interface FaultyConnection {
  readonly state: string;
  send(raw: string): void;
  pause(): void;
}

export class LinkFaults implements ConnectionFaults {
  readonly #connection: FaultyConnection;
  readonly #link: PeerLink;
  readonly #withPort: string;

  /** @param withPort the name of the mock with sockets, for error messages of mocks without */
  constructor(connection: FaultyConnection, link: PeerLink, withPort: string) {
    this.#connection = connection;
    this.#link = link;
    this.#withPort = withPort;
  }

  hugeFrame(bytes: number, text = '{"type":"huge"}'): void {
    const padding = bytes - new TextEncoder().encode(text).length;
    if (!(padding >= 0)) throw new RangeError(`The text alone is larger than ${bytes} bytes`);
    this.#connection.send(text + " ".repeat(padding));
  }

  malformed(kind: MalformedFrame): void {
    checkMockNames({ [kind]: true }, MALFORMED, "malformed frame");
    this.#wire?.write(MALFORMED[kind]);
  }

  bytes(bytes: Uint8Array): void {
    this.#wire?.write(bytes);
  }

  dripFeed(pace: Partial<DripPace> | false = {}): void {
    if (pace === false) {
      this.#wire?.drip(undefined);
      return;
    }
    checkMockNames(pace, { bytes: true, pause: true } satisfies NamesOf<DripPace>, "field of the pace");
    const { bytes = 1, pause = 10 } = pace;
    if (!Number.isSafeInteger(bytes) || bytes < 1)
      throw new RangeError(`the pieces must have a whole number of bytes above 0, not ${bytes}`);
    if (!(pause >= 0)) throw new RangeError(`the pause must be 0 ms or more, not ${pause}`);
    this.#wire?.drip({ bytes, pause });
  }

  freezeMidFrame(text: string): void {
    if (text === "") throw new RangeError("An empty frame cannot be cut in two");
    this.#wire?.write(halfFrame(text));
    this.#connection.pause();
  }

  neverHangUp(): void {
    this.#wire?.linger();
  }

  get #wire(): LinkWire | undefined {
    const { wire } = this.#link;
    if (!wire) throw new Error(`This fault needs a socket: use \`${this.#withPort}.start()\``);
    return this.#connection.state === "closed" ? undefined : wire;
  }
}
