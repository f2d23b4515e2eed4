// Shows the hidden characters of a text as visible codes.
import { MAX_COMBINING_MARKS } from "./inert.ts";
import { isInvisible, isJoinerOrSelector, isMark } from "./invisible.ts";

/**
 * Shows the characters that {@link inert} removes: an escape character becomes `\u{1b}`, a zero-width space `\u{200b}`.
 * For text that a person judges, such as the command of a tool call that waits for approval. The result is safe to
 * print, and line feeds and tabs stay. Different texts have different results, because a backslash before `u{` becomes
 * `\u{5c}`.
 */
export function reveal(text: string): string {
  let shown = "";
  let marks = 0;
  for (const character of text.replaceAll("\\u{", "\\u{5c}u{")) {
    const point = character.codePointAt(0) ?? 0;
    marks = isMark(point) ? marks + 1 : 0;
    shown += isShownAsIs(point) && marks <= MAX_COMBINING_MARKS ? character : `\\u{${point.toString(16)}}`;
  }
  return shown;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;

function isShownAsIs(point: number): boolean {
  if (point < 0x20) return point === TAB || point === LINE_FEED;
  const isControl = point >= 0x7f && point <= 0x9f;
  const isLineBreak = point === 0x2028 || point === 0x2029;
  const isHalf = point >= 0xd800 && point <= 0xdfff;
  return !isControl && !isLineBreak && !isHalf && !isInvisible(point) && !isJoinerOrSelector(point);
}
