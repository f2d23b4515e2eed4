// Base64, joined bytes, and the types of images.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Matches one wrong character. A pattern for a whole text of megabytes would overflow the stack. */
const ODD = /[^A-Za-z0-9+/]/;

/** Bytes per `String.fromCharCode` call, a multiple of three. More arguments could overflow the stack. */
const PIECE = 6_144;

/** Whether `text` is padded standard base64 without white space. Linear. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const padding = paddingOf(text);
  return !ODD.test(padding === 0 ? text : text.slice(0, -padding));
}

/** The number of bytes that a base64 text encodes. */
export function sizeOfBase64(base64: string): number {
  return (base64.length / 4) * 3 - paddingOf(base64);
}

/** Decodes what {@link isBase64} accepts. Some engines lack `atob`, or expect other padding. */
export function fromBase64(base64: string): Uint8Array {
  const values = new Uint8Array(128);
  for (let value = 0; value < 64; value++) values[ALPHABET.charCodeAt(value)] = value;
  const valueAt = (at: number): number => values[base64.charCodeAt(at)] ?? 0;
  const bytes = new Uint8Array(sizeOfBase64(base64));
  for (let from = 0, to = 0; from < base64.length; from += 4) {
    const group =
      (valueAt(from) << 18) | (valueAt(from + 1) << 12) | (valueAt(from + 2) << 6) | valueAt(from + 3);
    bytes[to++] = group >> 16;
    bytes[to++] = group >> 8; // a write past the end does nothing
    bytes[to++] = group;
  }
  return bytes;
}

/** Encodes with the standard alphabet and padding. */
export function toBase64(bytes: Uint8Array): string {
  const codes = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
  let base64 = "";
  for (let from = 0; from < bytes.length; from += PIECE)
    base64 += encode(bytes.subarray(from, from + PIECE), codes);
  const missing = (3 - (bytes.length % 3)) % 3;
  return base64.slice(0, base64.length - missing) + "=".repeat(missing);
}

function encode(bytes: Uint8Array, codes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  for (let from = 0, to = 0; from < bytes.length; from += 3) {
    const group = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) text[to++] = codes[(group >> shift) & 63] ?? 0;
  }
  return String.fromCharCode(...text);
}

function paddingOf(base64: string): number {
  return base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
}

/** Joins chunks. A single chunk is returned without a copy. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The image types that the models accept. */
export type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

const SIGNATURES: readonly {
  readonly type: ImageType;
  readonly at: readonly number[];
  readonly bytes: readonly number[];
}[] = [
  { type: "image/jpeg", at: [0, 1, 2], bytes: [0xff, 0xd8, 0xff] },
  {
    type: "image/png",
    at: [0, 1, 2, 3, 4, 5, 6, 7],
    bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  },
  { type: "image/gif", at: [0, 1, 2, 3], bytes: [0x47, 0x49, 0x46, 0x38] }, // GIF8
  {
    type: "image/webp",
    at: [0, 1, 2, 3, 8, 9, 10, 11],
    bytes: [0x52, 0x49, 0x46, 0x46, 0x57, 0x45, 0x42, 0x50],
  }, // RIFF....WEBP
];

/** The length of a base64 prefix that covers every signature. */
export const HEAD_BASE64 = 24;

/** Detects the image type from the first bytes. */
export function imageTypeOf(head: Uint8Array): ImageType | undefined {
  return SIGNATURES.find(({ at, bytes }) => at.every((position, n) => head[position] === bytes[n]))?.type;
}

export function isImageType(type: string): type is ImageType {
  return SIGNATURES.some((known) => known.type === type);
}
