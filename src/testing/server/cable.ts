// Sits between a WebSocket and its TCP connection, to cause faults in the bytes.
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { DripPace, LinkWire } from "./link.ts";

/** A write that waits for its piece to be sent. */
interface Waiting {
  readonly goOn: () => void;
  readonly cancel: CancelTimer;
}

/**
 * Sits between a WebSocket and its TCP connection. It can cause faults in all bytes: frames, the closing handshake and
 * the end. Without a fault, each write is passed on at once.
 */
export class Cable extends Duplex implements LinkWire {
  readonly #tcp: Socket;
  readonly #clock: Clock;
  #pace: DripPace | undefined;
  #waiting: Waiting | undefined;
  #lingers = false;
  /** The delayed end of the TCP connection; undefined unless it is delayed. */
  #hangUp: (() => void) | undefined;
  #clientEnded = false;

  constructor(tcp: Socket, clock: Clock) {
    super();
    this.#tcp = tcp;
    this.#clock = clock;
    tcp.on("data", (bytes) => this.push(bytes));
    tcp.on("end", () => {
      this.#clientEnded = true;
      this.push(null);
      this.#hangUp?.();
    });
    tcp.on("close", () => this.destroy());
  }

  /** Ends the connection after the earlier writes, and cancels `linger`. */
  destroySoon(): void {
    this.#lingers = false;
    this.#hangUp?.();
    this.end(() => this.destroy());
  }

  drip(pace: DripPace | undefined): void {
    this.#pace = pace;
    const waiting = this.#waiting;
    if (pace || !waiting) return;
    waiting.cancel();
    waiting.goOn();
  }

  linger(): void {
    this.#lingers = true;
  }

  // Pauses TCP itself, so that the client's data waits on the client's side.
  override pause(): this {
    this.#tcp.pause();
    return super.pause();
  }

  override resume(): this {
    this.#tcp.resume();
    return super.resume();
  }

  /** Bytes are pushed as they arrive. None arrive during a pause. */
  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#pace) this.#writePiece(bytes, this.#pace, done);
    else {
      this.#tcp.write(bytes);
      done();
    }
  }

  /** A frame comes in two buffers. Join them, so that only the pace decides the cuts. */
  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    const buffers = chunks.map(({ chunk }) => chunk);
    if (this.#pace) {
      this.#writePiece(Buffer.concat(buffers), this.#pace, done);
      return;
    }
    this.#tcp.cork();
    for (const buffer of buffers) this.#tcp.write(buffer);
    this.#tcp.uncork();
    done();
  }

  override _final(done: () => void): void {
    const hangUp = (): void => {
      this.#hangUp = undefined;
      this.#tcp.end(() => done());
    };
    if (this.#lingers && !this.#clientEnded) this.#hangUp = hangUp;
    else hangUp();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
    if (!this.#lingers || this.#clientEnded) this.#tcp.destroy();
    done(error);
  }

  #writePiece(bytes: Buffer, pace: DripPace, done: () => void): void {
    this.#tcp.write(bytes.subarray(0, pace.bytes));
    const rest = bytes.subarray(pace.bytes);
    const goOn = (): void => {
      this.#waiting = undefined;
      if (rest.length > 0) this._write(rest, "binary", done);
      else done();
    };
    const cancel = this.#clock.setTimeout(goOn, pace.pause, { unref: true });
    this.#waiting = { goOn, cancel };
  }
}
