// Invisible characters, and the places where text needs them.
/**
 * Characters that show nothing or reorder other characters. These are the default-ignorable characters of Unicode and
 * the format characters without a shape (annotations, Egyptian hieroglyphs). Joiners and the two emoji selectors are
 * handled apart. Format characters with a shape (Arabic number signs) count as text.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{13430}-\u{1343f}]/u;

/**
 * Letters and marks of scripts in which joiners change the spelling: their letters join or form conjuncts. Arabic to
 * Sinhala, Tibetan, Myanmar, Khmer, Mongolian, Limbu to Batak, Syloti Nagri to Saurashtra, Javanese to Meetei Mayek,
 * the presentation forms of Arabic, Hanifi Rohingya, Brahmi and its descendants, Adlam.
 */
const JOINING =
  /(?=[\p{L}\p{M}])[\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1bff\ua800-\ua8ff\ua980-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefe\u{10d00}-\u{10d3f}\u{11000}-\u{11fff}\u{1e900}-\u{1e95f}]/u;

/** Signs that silence a vowel. A following joiner shapes the conjunct (RFC 5892, appendix A). */
const VIRAMAS: ReadonlySet<number> = new Set([
  0x94d, 0x9cd, 0xa4d, 0xacd, 0xb4d, 0xbcd, 0xc4d, 0xccd, 0xd3b, 0xd3c, 0xd4d, 0xdca, 0xe3a, 0xeba, 0xf84,
  0x1039, 0x103a, 0x1714, 0x1715, 0x1734, 0x17d2, 0x1a60, 0x1b44, 0x1baa, 0x1bab, 0x1bf2, 0x1bf3, 0xa806,
  0xa82c, 0xa8c4, 0xa953, 0xa9c0, 0xaaf6, 0xabed, 0x10a3f, 0x11046, 0x11070, 0x1107f, 0x110b9, 0x11133,
  0x11134, 0x111c0, 0x11235, 0x112ea, 0x1134d, 0x11442, 0x114c2, 0x115bf, 0x1163f, 0x116b6, 0x1172b, 0x11839,
  0x1193d, 0x1193e, 0x119e0, 0x11a34, 0x11a47, 0x11a99, 0x11c3f, 0x11d44, 0x11d45, 0x11d97,
]);

const ZERO_WIDTH_NON_JOINER = 0x200c;
const ZERO_WIDTH_JOINER = 0x200d;
const TEXT_SELECTOR = 0xfe0e;
const EMOJI_SELECTOR = 0xfe0f;
const KEYCAP = 0x20e3;

/** Whether the character is removed in every place. */
export function isInvisible(point: number): boolean {
  return point >= 0xad && !isJoinerOrSelector(point) && INVISIBLE.test(String.fromCodePoint(point));
}

/** Whether the character is invisible, but needed in some places. */
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

/** The kind of character before a joiner or a selector. */
export type Left = "other" | "keycap-base" | "emoji" | "whole-emoji" | "joining" | "virama";

/** @param before the kind of character before `point` */
export function leftOf(point: number, before: Left): Left {
  if (point < 0x80) return isKeycapBase(point) ? "keycap-base" : "other";
  if (isSelector(point) || isSkinTone(point)) return before === "emoji" ? "whole-emoji" : "other";
  if (VIRAMAS.has(point)) return "virama";
  if (isOfJoiningScript(point)) return "joining";
  return isPictograph(point) ? "emoji" : "other";
}

/**
 * Whether a joiner or selector stays. `undefined`: the next character decides.
 *
 * - A joiner stays after a virama, between letters of a joining script, and between two emoji.
 * - A selector stays after an emoji, and in a keycap such as 1️⃣.
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

/** Whether a joiner or selector between `left` and `next` stays. */
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
  return point >= 0x600 && JOINING.test(String.fromCodePoint(point));
}
