// Cuts a text message into WebSocket frames.
import { FRAME, rawFrame } from "./raw-frame.ts";

const PIECES = 3;
/** Receivers refuse messages in too many frames. */
const MOST_CUTS = 1_000;

/** A text message in frames, cut as the switch `chunking` says. */
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

/** Where equal pieces end, moved to where a character ends. */
function evenCuts(bytes: Uint8Array): readonly number[] {
  return Array.from({ length: PIECES - 1 }, (_, index) => {
    let cut = Math.floor((bytes.length * (index + 1)) / PIECES);
    while (cut < bytes.length && continues(bytes, cut)) cut++;
    return cut;
  });
}

/** Behind the first byte of every character that has several, up to {@link MOST_CUTS}. */
function cutsWithinCharacters(bytes: Uint8Array): readonly number[] {
  const cuts: number[] = [];
  for (let at = 1; at < bytes.length && cuts.length < MOST_CUTS; at++)
    if (continues(bytes, at) && !continues(bytes, at - 1)) cuts.push(at);
  return cuts;
}

/** Whether the byte there is a further one of its character. */
function continues(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
