// What a program has written to its terminal, as bytes: what a screen does not show.

const ESC = "\u001b";

/** A frame of Ink begins with a synchronized update. */
const FRAME = `${ESC}[?2026h`;
/** Erase all, erase the scrollback, and home followed by erase down, which Ink writes for a frame that fills the screen. */
const FULL_CLEAR = new RegExp(`${ESC}\\[[23]J|${ESC}\\[(?:1;1|1|)[Hf]${ESC}\\[0?J`, "g");
/** Select Graphic Rendition, with its parameters. */
const GRAPHICS = new RegExp(`${ESC}\\[([\\d;:]*)m`, "g");
/** Foreground and background colours. 39 and 49 take a colour away. */
const COLOUR = /^(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])$/;
/** Strings for the terminal itself: a title, the clipboard, a device control string. Ink writes none. */
const STRINGS = new RegExp(`${ESC}[\\]PX^_]|[\\u0080-\\u009f]`, "g");

export function countFrames(raw: string): number {
  return raw.split(FRAME).length - 1;
}

export function countFullClears(raw: string): number {
  return raw.match(FULL_CLEAR)?.length ?? 0;
}

/** The sequences that set a colour. */
export function coloursIn(raw: string): readonly string[] {
  const sequences = [...raw.matchAll(GRAPHICS)];
  return sequences
    .filter(([, parameters = ""]) => parameters.split(/[;:]/).some((parameter) => COLOUR.test(parameter)))
    .map(([sequence]) => sequence);
}

/** The sequences that speak to the terminal itself. */
export function terminalStringsIn(raw: string): readonly string[] {
  return raw.match(STRINGS) ?? [];
}

/** The output without what a test program has marked it with. */
export function withoutMarks(raw: string): string {
  return raw.replace(MARK, "");
}

/** The number of the control sequence that a test program marks its output with. No terminal knows it, so none shows it. */
export const MARK_ID = 9_917;
const MARK = new RegExp(`${ESC}\\]${MARK_ID};([^\\u0007]*)\\u0007`, "g");

/** A mark, for a test program to write. */
export function markOf(text: string): string {
  return `${ESC}]${MARK_ID};${text}\u0007`;
}
