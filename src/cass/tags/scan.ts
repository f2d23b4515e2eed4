/** A gesture or an emote, as a tag says it. */
export interface TagAnimation {
  readonly type: "gesture" | "emote";
  readonly name: string;
  readonly intensity: number;
}

/** What stands between `<` and `>`, where that is one of the server's tags, or nearly one. */
export type TagMeaning =
  /** Begins reasoning, if its closer comes. */
  | { readonly kind: "opener"; readonly block: string; readonly animation?: TagAnimation }
  | { readonly kind: "closer"; readonly block: string }
  /** Begins the text of a mark, if a closer comes before the next mark. */
  | { readonly kind: "mark" | "mark-closer" }
  | { readonly kind: "other"; readonly animation?: TagAnimation };

/** Indices of UTF-16 units: from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A tag, and where it stands in the whole input. */
export type Tag = TagMeaning & Range;

// Each pattern reads only the text between `<` and `>`, in time linear in that text: no two neighbouring parts of a pattern
// can take the same character. Without the flag `u`, `i` is about ASCII alone; with it, a Kelvin sign is a k.

/** The intensity may be any text on one line: models write `:1.`, `:-1` and `:very`. */
const TAG = /^(\/?)(?:(gesture|emote|memory):)?([^:/\s]+)(:[^\r\n]*|[ \t]*\/)?$/i;
const NAME = /^[\p{L}\p{N}_]+$/u;
const GESTURE = /^gesture$/i;
const THINKS = /^think(?:ing)?$/i;
const INTENSITY = /^:(?:\d+|\d*\.\d+)$/;
/** A milestone is the one mark with attributes: `<mark:milestone id="m1">`. Newer servers take it out, others leak it. */
const MARK = /^mark:(?:[a-z-]+(?:[ \t]*\/)?$|milestone\s)/i;
const MARK_CLOSER = /^\/mark(?::[a-z-]+)?$/i;

/** What `<body>` is; `body` holds neither `<` nor `>`. `undefined` for all that is not the server's. */
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

/** The animation of a tag that the server reads too. The server is stricter about case and about numbers. */
function animationOf(type: string, name: string, rest: string): TagAnimation | undefined {
  if (type !== "gesture" && type !== "emote") return undefined;
  if (type === "gesture" && name === "think") return undefined;
  if (rest === "") return { type, name, intensity: 1 };
  return INTENSITY.test(rest) ? { type, name, intensity: intensityOf(Number(rest.slice(1))) } : undefined;
}

/** Full intensity, where none is given that is a number. */
export function intensityOf(given: unknown): number {
  return typeof given === "number" && Number.isFinite(given) ? given : 1;
}

/** What may be a tag. Linear: from each `<` it looks no further than to the next `<` or `>`. */
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
