// WebSocket frames as bytes: whole, halved or cut.

/** The first byte of a frame: whether it ends its message, and its opcode. */
export const FRAME = { text: 0x81, textBegins: 0x01, goesOn: 0x00, ends: 0x80 } as const;

/** A WebSocket frame of a server, unmasked. */
export function rawFrame(firstByte: number, payload: Uint8Array): Uint8Array {
  return joined(frameHeader(firstByte, payload.length), payload);
}

/** The header and the first half of a text frame. */
export function halfFrame(text: string): Uint8Array {
  const payload = new TextEncoder().encode(text);
  return joined(frameHeader(FRAME.text, payload.length), payload.subarray(0, payload.length >> 1));
}

/** The length has three forms: 7 bits, 16 bits after 126, 64 bits after 127. */
function frameHeader(firstByte: number, length: number): Uint8Array {
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const header = new DataView(new ArrayBuffer(size));
  header.setUint8(0, firstByte);
  header.setUint8(1, size === 2 ? length : size === 4 ? 126 : 127);
  if (size === 4) header.setUint16(2, length);
  if (size === 10) header.setBigUint64(2, BigInt(length));
  return new Uint8Array(header.buffer);
}

function joined(header: Uint8Array, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(header.length + payload.length);
  bytes.set(header);
  bytes.set(payload, header.length);
  return bytes;
}

const PIECES = 3;
/** Receivers reject messages with too many frames. */
const MOST_CUTS = 1_000;

/** Returns a text message as frames, cut as the switch `chunking` says. */
export function fragments(text: string, chunking: "fragmented" | "splitUtf8"): readonly Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const cuts = chunking === "fragmented" ? evenCuts(bytes) : cutsWithinCharacters(bytes);
  const pieces = [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
  return pieces.map((piece, index) => rawFrame(firstByte(index, pieces.length), piece));
}

function firstByte(index: number, count: number): number {
  if (count === 1) return FRAME.text;
  if (index === 0) return FRAME.textBegins;
  return index === count - 1 ? FRAME.ends : FRAME.goesOn;
}

/** Cuts into equal pieces, moved to the ends of characters. */
function evenCuts(bytes: Uint8Array): readonly number[] {
  return Array.from({ length: PIECES - 1 }, (_, index) => {
    let cut = Math.floor((bytes.length * (index + 1)) / PIECES);
    while (cut < bytes.length && continues(bytes, cut)) cut++;
    return cut;
  });
}

/** Cuts after the first byte of every multi-byte character, up to {@link MOST_CUTS}. */
function cutsWithinCharacters(bytes: Uint8Array): readonly number[] {
  const cuts: number[] = [];
  for (let at = 1; at < bytes.length && cuts.length < MOST_CUTS; at++)
    if (continues(bytes, at) && !continues(bytes, at - 1)) cuts.push(at);
  return cuts;
}

/** Whether this byte continues a multi-byte character. */
function continues(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
