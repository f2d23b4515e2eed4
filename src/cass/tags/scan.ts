// Finds the server's tags in a text, in linear time.

/** A gesture or an emote of a tag. */
export interface TagAnimation {
  readonly type: "gesture" | "emote";
  readonly name: string;
  readonly intensity: number;
}

/** The meaning of the text between `<` and `>`, if that is one of the server's tags or similar to one. */
export type TagMeaning =
  /** Begins reasoning, if its closer follows. */
  | { readonly kind: "opener"; readonly block: string; readonly animation?: TagAnimation }
  | { readonly kind: "closer"; readonly block: string }
  /** Begins the text of a mark, if a closer follows before the next mark. */
  | { readonly kind: "mark" | "mark-closer" }
  | { readonly kind: "other"; readonly animation?: TagAnimation };

/** Indices of UTF-16 units: from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A tag with its place in the input. */
export type Tag = TagMeaning & Range;

// Each pattern reads only the text between `<` and `>`, in linear time: two neighbouring parts of a pattern never match the same
// character. Without the flag `u`, the flag `i` affects only ASCII; with `u`, a Kelvin sign would match k.

/** The intensity may be any text on one line: models write `:1.`, `:-1` and `:very`. */
const TAG = /^(\/?)(?:(gesture|emote|memory):)?([^:/\s]+)(:[^\r\n]*|[ \t]*\/)?$/i;
const NAME = /^[\p{L}\p{N}_]+$/u;
const GESTURE = /^gesture$/i;
const THINKS = /^think(?:ing)?$/i;
const INTENSITY = /^:(?:\d+|\d*\.\d+)$/;
/** A milestone is the only mark with attributes: `<mark:milestone id="m1">`. Newer servers remove it; others leak it. */
const MARK = /^mark:(?:[a-z-]+(?:[ \t]*\/)?$|milestone\s)/i;
const MARK_CLOSER = /^\/mark(?::[a-z-]+)?$/i;

/** The meaning of `<body>`. `body` holds neither `<` nor `>`. `undefined` if this is none of the server's tags. */
export function readTag(body: string): TagMeaning | undefined {
  const [, slash = "", type = "", name = "", rest = ""] = TAG.exec(body) ?? [];
  if (type === "" ? THINKS.test(name) : NAME.test(name)) return readNamed(slash === "/", type, name, rest);
  if (MARK.test(body)) return { kind: body.endsWith("/") ? "other" : "mark" };
  if (MARK_CLOSER.test(body)) return { kind: "mark-closer" };
  return undefined;
}

function readNamed(closes: boolean, type: string, name: string, rest: string): TagMeaning {
  const animation = closes ? undefined : animationOf(type, name, rest);
  const thinks = THINKS.test(name) && (type === "" || GESTURE.test(type));
  if (!thinks || rest.endsWith("/")) return animation ? { kind: "other", animation } : { kind: "other" };
  const block = `${type}:${name}`.toLowerCase();
  if (closes) return { kind: "closer", block };
  return animation ? { kind: "opener", block, animation } : { kind: "opener", block };
}

/** The animation of a tag, if the server reads the tag too. The server is stricter about case and numbers. */
function animationOf(type: string, name: string, rest: string): TagAnimation | undefined {
  if (type !== "gesture" && type !== "emote") return undefined;
  if (type === "gesture" && name === "think") return undefined;
  if (rest === "") return { type, name, intensity: 1 };
  return INTENSITY.test(rest) ? { type, name, intensity: intensityOf(Number(rest.slice(1))) } : undefined;
}

/** The intensity; 1 if none is given as a number. */
export function intensityOf(given: unknown): number {
  return typeof given === "number" && Number.isFinite(given) ? given : 1;
}

/** A possible tag. Linear: from each `<` the search goes only to the next `<` or `>`. */
const CANDIDATE = /<([^<>]*)>/g;

/** The tags of a text, in order. */
export function scanTags(input: string): readonly Tag[] {
  const tags: Tag[] = [];
  for (const { 0: whole, 1: body = "", index: start } of input.matchAll(CANDIDATE)) {
    const meaning = readTag(body);
    if (meaning) tags.push({ ...meaning, start, end: start + whole.length });
  }
  return tags;
}
