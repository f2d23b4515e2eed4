// Long pastes, folded to one character of the composer's text.
import { countLines } from "../parts/folded.ts";

/** Lines from which a paste is folded in the composer. */
export const FOLDED_PASTE_LINES = 8;
/** Characters from which a paste is folded in the composer. */
export const FOLDED_PASTE_LENGTH = 1_000;

/** Long pastes, each of which is one character of the text in the composer. That character is of no script: plane 16 is for private use. */
export type Pastes = ReadonlyMap<string, string>;

const FIRST = 0x10f000;
const LAST = 0x10fffd;
const STAND_INS = /[\u{10f000}-\u{10fffd}]/gu;

export function isLongPaste(text: string): boolean {
  return text.length >= FOLDED_PASTE_LENGTH || countLines(text) >= FOLDED_PASTE_LINES;
}

/** The pastes with one more, and the character that stands for it. Absent: there are too many. */
export function withPaste(
  pastes: Pastes,
  text: string,
): { readonly pastes: Pastes; readonly standIn: string } | undefined {
  const point = FIRST + pastes.size;
  if (point > LAST) return undefined;
  const standIn = String.fromCodePoint(point);
  return { pastes: new Map([...pastes, [standIn, text]]), standIn };
}

/** Text that is typed or pasted must not look like a stand-in. */
export function withoutStandIns(text: string): string {
  return text.replace(STAND_INS, "");
}

/** The text with the pastes in their places. */
export function unfolded(text: string, pastes: Pastes): string {
  return text.replace(STAND_INS, (standIn) => pastes.get(standIn) ?? "");
}

/** The text with labels in the places of the pastes. */
export function labelled(text: string, pastes: Pastes): string {
  return text.replace(STAND_INS, (standIn) => pasteLabel(pastes.get(standIn) ?? ""));
}

/** `[pasted 2000 lines]` */
function pasteLabel(text: string): string {
  const lines = countLines(text);
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`;
}
