// Which characters are invisible, and which of them a text needs.

/** Inclusive ranges of code points, in order. */
type Ranges = readonly (readonly [first: number, last: number])[];

/**
 * Characters that show nothing, or that change the order of other characters: all default-ignorable characters of Unicode but the joiners
 * and the two selectors of emoji, and the other format characters without a shape. Format characters with a shape (the number signs of
 * Arabic) are text.
 */
const INVISIBLE: Ranges = [
  [0xad, 0xad], // soft hyphen
  [0x34f, 0x34f], // combining grapheme joiner
  [0x61c, 0x61c], // bidirectional: Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian selectors and vowel separator
  [0x200b, 0x200b], // zero-width space
  [0x200e, 0x200f], // bidirectional marks
  [0x202a, 0x202e], // bidirectional embeddings and overrides
  [0x2060, 0x206f], // word joiner, invisible operators, bidirectional isolates, deprecated formats
  [0x3164, 0x3164], // Hangul filler
  [0xfe00, 0xfe0d], // variation selectors, without the two of emoji
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // halfwidth Hangul filler
  [0xfff0, 0xfffb], // interlinear annotation, and reserved
  [0x13430, 0x1343f], // format controls of Egyptian hieroglyphs
  [0x1bca0, 0x1bca3], // format controls of shorthand
  [0x1d173, 0x1d17a], // format controls of music
  [0xe0000, 0xe0fff], // tags, variation selectors supplement, and reserved
];

/** The scripts whose letters join, or form conjuncts: joiners change the spelling of their words. */
const JOINING_SCRIPTS: Ranges = [
  [0x600, 0x8ff], // Arabic, Syriac, N'Ko, Mandaic
  [0x900, 0xdff], // Devanagari to Sinhala
  [0xf00, 0x109f], // Tibetan, Myanmar
  [0x1780, 0x18af], // Khmer, Mongolian
  [0x1900, 0x1bff], // Limbu to Batak
  [0xa800, 0xa8ff], // Syloti Nagri to Saurashtra
  [0xa980, 0xaaff], // Javanese to Meetei Mayek
  [0xabc0, 0xabff], // Meetei Mayek
  [0xfb50, 0xfdff], // Arabic presentation forms
  [0xfe70, 0xfefe],
  [0x10d00, 0x10d3f], // Hanifi Rohingya
  [0x11000, 0x11fff], // Brahmi and its descendants
  [0x1e900, 0x1e95f], // Adlam
];

/** The signs that silence a vowel. A joiner behind one chooses the shape of the conjunct (RFC 5892, appendix A). */
const VIRAMAS: ReadonlySet<number> = new Set([
  0x94d, 0x9cd, 0xa4d, 0xacd, 0xb4d, 0xbcd, 0xc4d, 0xccd, 0xd3b, 0xd3c, 0xd4d, 0xdca, 0xe3a, 0xeba, 0xf84,
  0x1039, 0x103a, 0x1714, 0x1715, 0x1734, 0x17d2, 0x1a60, 0x1b44, 0x1baa, 0x1bab, 0x1bf2, 0x1bf3, 0xa806,
  0xa82c, 0xa8c4, 0xa953, 0xa9c0, 0xaaf6, 0xabed, 0x10a3f, 0x11046, 0x11070, 0x1107f, 0x110b9, 0x11133,
  0x11134, 0x111c0, 0x11235, 0x112ea, 0x1134d, 0x11442, 0x114c2, 0x115bf, 0x1163f, 0x116b6, 0x1172b, 0x11839,
  0x1193d, 0x1193e, 0x119e0, 0x11a34, 0x11a47, 0x11a99, 0x11c3f, 0x11d44, 0x11d45, 0x11d97,
]);

export const ZERO_WIDTH_NON_JOINER = 0x200c;
export const ZERO_WIDTH_JOINER = 0x200d;
const TEXT_SELECTOR = 0xfe0e;
const EMOJI_SELECTOR = 0xfe0f;
const KEYCAP = 0x20e3;

/** Whether the character is removed wherever it stands. */
export function isInvisible(point: number): boolean {
  return point >= 0xad && isIn(INVISIBLE, point);
}

/** Whether the character is invisible, and text needs it in some places. */
export function isJoinerOrSelector(point: number): boolean {
  return isJoiner(point) || isSelector(point);
}

function isJoiner(point: number): boolean {
  return point === ZERO_WIDTH_NON_JOINER || point === ZERO_WIDTH_JOINER;
}

function isSelector(point: number): boolean {
  return point === TEXT_SELECTOR || point === EMOJI_SELECTOR;
}

export function isMark(point: number): boolean {
  return point >= 0x300 && /\p{M}/u.test(String.fromCodePoint(point));
}

/** What stands before a joiner or a selector, as far as that decides. */
export type Left = "other" | "keycap-base" | "emoji" | "whole-emoji" | "joining" | "virama";

/** @param before what stands before `point` */
export function leftOf(point: number, before: Left): Left {
  if (point < 0x80) return isKeycapBase(point) ? "keycap-base" : "other";
  if (isSelector(point) || isSkinTone(point)) return before === "emoji" ? "whole-emoji" : "other";
  if (VIRAMAS.has(point)) return "virama";
  if (isOfJoiningScript(point)) return "joining";
  return isPictograph(point) ? "emoji" : "other";
}

/**
 * Whether a joiner or selector stays: `undefined` if the next character decides.
 *
 * - A joiner stays behind a virama, between letters of one of the joining scripts, and between two emoji.
 * - A selector stays behind an emoji, and in a keycap such as 1️⃣.
 */
export function staysAfter(point: number, left: Left): boolean | undefined {
  switch (left) {
    case "other":
      return false;
    case "virama":
      return isJoiner(point);
    case "joining":
      return isJoiner(point) ? undefined : false;
    case "emoji":
      return isSelector(point) ? true : point === ZERO_WIDTH_JOINER ? undefined : false;
    case "whole-emoji":
      return point === ZERO_WIDTH_JOINER ? undefined : false;
    case "keycap-base":
      return point === EMOJI_SELECTOR ? undefined : false;
  }
}

/** Whether a joiner or selector behind `left` stays before the character `next`. */
export function staysBefore(next: number, left: Left): boolean {
  switch (left) {
    case "joining":
      return isOfJoiningScript(next);
    case "emoji":
    case "whole-emoji":
      return isPictograph(next);
    case "keycap-base":
      return next === KEYCAP;
    case "other":
    case "virama":
      return false;
  }
}

function isKeycapBase(point: number): boolean {
  return (point >= 0x30 && point <= 0x39) || point === 0x23 || point === 0x2a;
}

function isSkinTone(point: number): boolean {
  return point >= 0x1f3fb && point <= 0x1f3ff;
}

function isPictograph(point: number): boolean {
  return point >= 0xa9 && /\p{Extended_Pictographic}/u.test(String.fromCodePoint(point));
}

function isOfJoiningScript(point: number): boolean {
  return isIn(JOINING_SCRIPTS, point) && /[\p{L}\p{M}]/u.test(String.fromCodePoint(point));
}

/** Binary search. */
function isIn(ranges: Ranges, point: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] ?? [0, 0];
    if (point < first) high = middle - 1;
    else if (point > last) low = middle + 1;
    else return true;
  }
  return false;
}
