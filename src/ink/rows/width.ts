// The number of columns of each character.

const segmenter = new Intl.Segmenter();

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]/u;
const EMOJI =
  /\p{Emoji_Presentation}|\p{Extended_Pictographic}\u{fe0f}|\u{200d}\p{Extended_Pictographic}|[\d#*]\u{fe0f}?\u{20e3}/u;
/** A skin tone after a space or a Hangul letter takes its own columns. */
const TONE_ALONE =
  /^[^ \u{1100}-\u{11ff}\u{a960}-\u{a97c}\u{ac00}-\u{d7ff}]*[ \u{1100}-\u{11ff}\u{a960}-\u{a97c}\u{ac00}-\u{d7ff}].*\p{Emoji_Modifier}/su;
/** Takes its own columns inside a grapheme: terminals draw the consonants of an Indic conjunct separately. */
const FURTHER = /[ \p{Mc}\p{Lo}\u{ff00}-\u{ffef}]/u;
/** A Hangul syllable in letters. Only its first letter has a width. */
const SYLLABLE =
  /([\u{1100}-\u{115f}\u{a960}-\u{a97c}])[\u{1160}-\u{11a7}\u{d7b0}-\u{d7c6}][\u{11a8}-\u{11ff}\u{d7cb}-\u{d7fb}]?/gu;

/**
 * Characters that are two columns wide (Unicode, East Asian Width W and F), in ranges with the gaps closed. A width
 * that is too large leaves a column empty; one that is too small breaks the row.
 */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x191ff],
  [0x1aff0, 0x1b2ff],
  [0x1d300, 0x1d37f],
  [0x1f1ae, 0x1f1af],
  [0x1f200, 0x1f265],
  [0x1f6d8, 0x1f6df],
  [0x1f7d9, 0x1f7ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

/**
 * Maximum UTF-16 code units of a grapheme. The longest real ones have about 20: a family emoji, a conjunct. A longer
 * one, such as endless leading Hangul letters, counts by code point, as terminals draw it.
 */
export const MAX_GRAPHEME_LENGTH = 32;

/** Enough UTF-16 code units for the columns: a family emoji has 11 in two, letters with marks up to 9. */
export function unitsOf(columns: number): number {
  return columns * 10 + MAX_GRAPHEME_LENGTH;
}

/** Splits a text into user-perceived characters. */
export function graphemes(text: string): readonly string[] {
  if (PRINTABLE_ASCII.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) =>
    segment.length <= MAX_GRAPHEME_LENGTH ? segment : Array.from(segment),
  ).flat();
}

/** The start of the grapheme that contains the offset `at - 1`; 0 at the start. */
export function graphemeBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  return segmenter.segment(text).containing(at - 1)?.index ?? 0;
}

export function graphemeAfter(text: string, at: number): number {
  const found = segmenter.segment(text).containing(at);
  return found ? found.index + found.segment.length : text.length;
}

export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && PRINTABLE_ASCII.test(grapheme)) return 1;
  if (!VISIBLE.test(grapheme)) return 0;
  const isToneAlone = TONE_ALONE.test(grapheme);
  const further = isToneAlone ? VISIBLE : FURTHER;
  let width = EMOJI.test(grapheme) && !isToneAlone ? 2 : 0;
  // Ink normalises text: a musical note becomes several characters.
  for (const character of grapheme.normalize().replace(SYLLABLE, "$1")) {
    if (!(width === 0 ? VISIBLE : further).test(character)) continue;
    width += isWide(character.codePointAt(0) ?? 0) || EMOJI.test(character) ? 2 : 1;
  }
  return width;
}

export function widthOf(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

function isWide(point: number): boolean {
  if (point < 0x1100) return false;
  return WIDE.some(([first, last]) => point >= first && point <= last);
}
