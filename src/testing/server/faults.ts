// The faults that a test can cause on one connection.
import { checkMockNames, type NamesOf } from "../names.ts";
import type { DripPace, LinkWire, PeerLink } from "./link.ts";
import { halfFrame } from "./raw-frame.ts";

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

/**
 * What can go wrong on one connection beneath the protocol, besides `drop()`, `dropMidFrame()` and `pause()` of the
 * connection itself. All but {@link hugeFrame} need a socket: on a connection that a mock without a port has
 * accepted they throw. On a closed connection nothing happens. Bytes that are no text frame are not in `frames`.
 *
 * One fault is out of reach: a peer that vanishes without a word of TCP, as with a cable pulled out. On the
 * loopback interface the kernel always answers. To a client it looks like `pause()`, up to the moment when it
 * closes.
 */
export interface ConnectionFaults {
  /**
   * Sends `text` as a frame of `bytes` bytes: JSON may end in spaces, so it means what it meant.
   * @param text a message of an unknown type by default
   * @throws RangeError when `text` alone is larger
   */
  hugeFrame(bytes: number, text?: string): void;
  /** Breaks the WebSocket protocol; a message that is merely nonsense goes out with `send()`. */
  malformed(kind: MalformedFrame): void;
  /** Writes bytes to the TCP connection as they are, behind the frames sent before. */
  bytes(bytes: Uint8Array): void;
  /**
   * From now on whatever is sent drips: `bytes` bytes at a time (1 unless set), then a pause of `pause` ms on the
   * mock's clock (10 unless set), wherever that cuts a frame. The Close frame and the end of TCP wait in line too.
   * `false`: what waits goes out at once, and so does the rest.
   * @throws RangeError when `bytes` is not a whole number above 0, or `pause` is below 0
   */
  dripFeed(pace?: Partial<DripPace> | false): void;
  /** Sends the first half of a text frame and goes silent, as `pause()` does; `resume()` does not bring the rest. */
  freezeMidFrame(text: string): void;
  /**
   * Both sides may say Close, but the TCP connection stays up until the client ends it: a client that waits for the
   * server to do so, as it should, waits for ever.
   */
  neverHangUp(): void;
}

/** What the faults need of their connection. */
interface FaultyConnection {
  readonly state: string;
  send(raw: string): void;
  pause(): void;
}

/** The faults of one peer. */
export class LinkFaults implements ConnectionFaults {
  readonly #connection: FaultyConnection;
  readonly #link: PeerLink;
  readonly #withPort: string;

  /** @param withPort the name of the mock that has sockets, for what is said to those who have another */
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
    if (!Number.isSafeInteger(bytes) || bytes < 1) throw new RangeError(`${bytes} bytes are no piece`);
    if (!(pause >= 0)) throw new RangeError(`${pause} ms are no pause`);
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
