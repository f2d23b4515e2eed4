// The bytes of an agent's lines: how they are cut, and what stands beside them.
import type { AcpMockSettings } from "./profiles.ts";

/** Splits bytes into lines. Linear: a line is joined once, whatever the pieces. */
export class AcpLines {
  readonly #line: (bytes: Uint8Array) => void;
  #pieces: Uint8Array[] = [];

  constructor(line: (bytes: Uint8Array) => void) {
    this.#line = line;
  }

  push(bytes: Uint8Array): void {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#line(joined([...this.#pieces, bytes.subarray(start, end)]));
      this.#pieces = [];
      start = end + 1;
    }
    if (start < bytes.length) this.#pieces.push(bytes.slice(start));
  }

  /** Whether the last line lacks its newline. */
  get hasRest(): boolean {
    return this.#pieces.length > 0;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.length;
  }
  return whole;
}

/** Returns the writes for one line. @param first whether it is the first of the stream */
export function writesOf(
  line: string | Uint8Array,
  { stray, chunking }: AcpMockSettings,
  first: boolean,
): readonly Uint8Array[] {
  const newline = stray === "crlf" ? "\r\n" : "\n";
  const start = first && stray === "bom" ? "\uFEFF" : "";
  const bytes = typeof line === "string" ? new TextEncoder().encode(`${start}${line}${newline}`) : line;
  if (stray === "splitUtf8") return cutWithinCharacters(bytes);
  return chunking === "whole" ? [bytes] : pieces(bytes, chunking);
}

function pieces(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, place) => bytes.subarray(place * size, (place + 1) * size));
}

/** Cuts in front of every continuation byte of UTF-8. */
function cutWithinCharacters(bytes: Uint8Array): readonly Uint8Array[] {
  const cuts = [0];
  for (let place = 1; place < bytes.length; place++)
    if (((bytes[place] ?? 0) & 0xc0) === 0x80) cuts.push(place);
  return cuts.map((start, place) => bytes.subarray(start, cuts[place + 1]));
}

/** Returns a message with an unknown field in its update or result. */
export function withUnknownField(message: object): object {
  return JSON.parse(JSON.stringify(message), (key, value) =>
    key === "update" || key === "result" ? { ...value, laterField: { added: "in a later version" } } : value,
  );
}
