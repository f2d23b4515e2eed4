// Long pastes and images, each one character of the composer's text.
import { countLines } from "../parts/folded.ts";
import { inLine } from "../rows/row.ts";

/** A paste of at least this many lines is folded. */
export const FOLDED_PASTE_LINES = 8;
/** A paste of at least this many characters is folded. */
export const FOLDED_PASTE_LENGTH = 1_000;

/** An image that goes along with the prompt. */
export interface PastedImage {
  /** Such as `screen.png`. */
  readonly name: string;
  /** Bytes or a `data:` URL. Undefined while the file is being read. */
  readonly data?: Uint8Array | string;
}

/** A long text, or an image. */
export type Paste = string | PastedImage;

/** Pastes by stand-in: a private-use character (plane 16) in the composer's text. */
export type Pastes = ReadonlyMap<string, Paste>;

const FIRST = 0x10f000;
const LAST = 0x10fffd;
const STAND_INS = /[\u{10f000}-\u{10fffd}]/gu;

export function isLongPaste(text: string): boolean {
  return text.length >= FOLDED_PASTE_LENGTH || countLines(text) >= FOLDED_PASTE_LINES;
}

/** Adds a paste. `standIn` is its character. Undefined if there are too many pastes. */
export function withPaste(
  pastes: Pastes,
  paste: Paste,
): { readonly pastes: Pastes; readonly standIn: string } | undefined {
  const point = FIRST + pastes.size;
  if (point > LAST) return undefined;
  const standIn = String.fromCodePoint(point);
  return { pastes: new Map([...pastes, [standIn, paste]]), standIn };
}

/** Typed or pasted text must not contain stand-ins. */
export function withoutStandIns(text: string): string {
  return text.replace(STAND_INS, "");
}

export function unfolded(text: string, pastes: Pastes): string {
  return text.replace(STAND_INS, (standIn) => {
    const paste = pastes.get(standIn);
    return typeof paste === "string" ? paste : "";
  });
}

export function imagesIn(text: string, pastes: Pastes): readonly PastedImage[] {
  return (text.match(STAND_INS) ?? []).flatMap((standIn) => {
    const paste = pastes.get(standIn);
    return typeof paste === "object" ? [paste] : [];
  });
}

/** The text without its images. */
export function withoutImages(text: string, pastes: Pastes): string {
  return text.replace(STAND_INS, (standIn) => (typeof pastes.get(standIn) === "string" ? standIn : ""));
}

/** Replaces stand-ins by labels. */
export function withLabels(text: string, pastes: Pastes): string {
  return text.replace(STAND_INS, (standIn) => pasteLabel(pastes.get(standIn) ?? ""));
}

/** `[pasted 2000 lines]`, `[image screen.png]` */
function pasteLabel(paste: Paste): string {
  if (typeof paste !== "string") return `[image ${inLine(paste.name)}]`;
  const text = paste;
  const lines = countLines(text);
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`;
}
