// Reads the frames of a WebSocket from bytes that pass by.

/** One message, or a Close. Pings and pongs are no messages. */
export type PassingFrame =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "binary"; readonly bytes: Buffer }
  | { readonly type: "close"; readonly code: number; readonly reason: string };

/** Bytes of a message: as much as clients receive. */
const MAX_MESSAGE_BYTES = 128 * 1_024 * 1_024;

/** Bytes of the longest head of a frame. */
const MAX_HEAD = 14;

/** The code of a Close without a code. */
const NO_CODE = 1005;

interface Head {
  readonly isLast: boolean;
  readonly opcode: number;
  readonly mask: Buffer | undefined;
  readonly payload: number;
}

/** One direction of a connection. RFC 6455, section 5. */
export class FrameReader {
  readonly #tell: (frame: PassingFrame) => void;
  readonly #giveUp: (problem: string) => void;
  #pieces: Buffer[] = [];
  #length = 0;
  #head: Head | undefined;
  /** The frames of an unfinished message. */
  #message: Buffer[] = [];
  #opcode = 0;
  #isOver = false;

  /** @param giveUp called once, if the rest cannot be read */
  constructor(tell: (frame: PassingFrame) => void, giveUp: (problem: string) => void) {
    this.#tell = tell;
    this.#giveUp = giveUp;
  }

  push(piece: Buffer): void {
    if (this.#isOver || piece.length === 0) return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    while (!this.#isOver) {
      this.#head ??= this.#readHead();
      const head = this.#head;
      if (!head || this.#length < head.payload) return;
      this.#head = undefined;
      this.#frame(head, this.#take(head.payload));
    }
  }

  #readHead(): Head | undefined {
    const start = this.#peek();
    const [first = 0, second = 0] = start;
    if (start.length < 2) return undefined;
    const short = second & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const size = 2 + lengthBytes + (second & 0x80 ? 4 : 0);
    if (start.length < size) return undefined;
    const payload =
      lengthBytes === 8
        ? Number(start.readBigUInt64BE(2))
        : lengthBytes === 2
          ? start.readUInt16BE(2)
          : short;
    const kept = this.#message.reduce((sum, { length }) => sum + length, 0);
    if (first & 0x70) this.#stop("a frame is compressed");
    else if (payload + kept > MAX_MESSAGE_BYTES) this.#stop("a message is too long");
    if (this.#isOver) return undefined;
    const bytes = this.#take(size);
    const mask = second & 0x80 ? bytes.subarray(size - 4) : undefined;
    return { isLast: (first & 0x80) !== 0, opcode: first & 0x0f, mask, payload };
  }

  #frame({ isLast, opcode, mask }: Head, payload: Buffer): void {
    const bytes = mask ? unmasked(payload, mask) : payload;
    switch (opcode) {
      case 0:
      case 1:
      case 2:
        if (opcode !== 0) this.#opcode = opcode;
        this.#message.push(bytes);
        if (!isLast) return;
        this.#tell(messageOf(this.#opcode, Buffer.concat(this.#message)));
        this.#message = [];
        return;
      case 8: {
        const code = bytes.length < 2 ? NO_CODE : bytes.readUInt16BE(0);
        this.#tell({ type: "close", code, reason: bytes.subarray(2).toString() });
        this.#isOver = true;
        return;
      }
      case 9:
      case 10:
        return;
      default:
        this.#stop(`a frame has the opcode ${opcode}`);
    }
  }

  #stop(problem: string): void {
    this.#isOver = true;
    this.#pieces = [];
    this.#message = [];
    this.#giveUp(problem);
  }

  /** The next bytes, as many as a head may have. */
  #peek(): Buffer {
    const [first] = this.#pieces;
    if (first && (first.length >= MAX_HEAD || this.#pieces.length === 1)) return first;
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }

  #take(size: number): Buffer {
    const taken: Buffer[] = [];
    let missing = size;
    let at = 0;
    while (missing > 0) {
      const piece = this.#pieces[at] ?? Buffer.alloc(0);
      if (piece.length > missing) {
        taken.push(piece.subarray(0, missing));
        this.#pieces[at] = piece.subarray(missing);
        break;
      }
      taken.push(piece);
      missing -= piece.length;
      at++;
    }
    if (at > 0) this.#pieces.splice(0, at);
    this.#length -= size;
    return taken.length === 1 && taken[0] ? taken[0] : Buffer.concat(taken);
  }
}

function messageOf(opcode: number, bytes: Buffer): PassingFrame {
  return opcode === 2 ? { type: "binary", bytes } : { type: "text", text: bytes.toString() };
}

/** A copy: the bytes themselves pass on. */
function unmasked(payload: Buffer, mask: Buffer): Buffer {
  const bytes = Buffer.from(payload);
  for (let at = 0; at < bytes.length; at++) bytes[at] = (bytes[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return bytes;
}
