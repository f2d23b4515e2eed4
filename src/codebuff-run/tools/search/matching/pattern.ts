// Translates a ripgrep pattern into a JavaScript regular expression.
import type { SearchFlags } from "../flags.ts";
import { readClass } from "./pattern-class.ts";
import {
  escapeInClass,
  NO_WORD_AFTER,
  NO_WORD_BEFORE,
  PatternError,
  PatternReader,
} from "./pattern-reader.ts";

export interface PatternSource {
  readonly source: string;
  readonly flags: string;
}

/** Nesting of groups, as in ripgrep. */
const MAX_DEPTH = 250;
/** Repetitions per quantifier. Similar to ripgrep's limit on compiled patterns. */
const MAX_REPEATS = 1_000;

// Avoids negative look-around (see `NO_WORD_BEFORE`), and the flag `m`, for which `\r` ends a line.
const LINE_START = "(?:^|(?<=\\n))";
const LINE_END = "(?:$|(?=\\n))";

/**
 * Translates a ripgrep pattern (Rust's `regex`) into a JavaScript pattern with the same matches.
 *
 * - Refused, as in ripgrep: look-around and backreferences.
 * - Refused only here: flags other than a leading `(?i)`, `(?s)` or `(?m)`; `\A` and `\z`; `~~` in classes.
 * - Different: `.` matches invalid UTF-8, and ripgrep refuses patterns that compile too large.
 *
 * Compiles nothing: many Unicode classes take seconds, which only the worker may spend.
 * @throws PatternError
 */
export function translatePattern(pattern: string, flags: SearchFlags): PatternSource {
  const reader = new PatternReader(pattern, flags.multiline);
  const inline = flags.fixed ? "" : (reader.takeMatch(/\(\?([ism]+)\)/y)?.[1] ?? "");
  const dotAll = (flags.multiline && flags.dotAll) || inline.includes("s");
  const body = flags.fixed ? readPlain(reader) : readExpression(reader, dotAll);
  const ignoreCase =
    inline.includes("i") ||
    flags.letterCase === "insensitive" ||
    (flags.letterCase === "smart" && reader.hasLiteral && !reader.hasUpperCase);
  const source = withBoundary(body, flags.boundary);
  return { source, flags: ignoreCase ? "vi" : "v" };
}

function withBoundary(body: string, boundary: SearchFlags["boundary"]): string {
  switch (boundary) {
    case "none":
      return body;
    case "word":
      return `${NO_WORD_BEFORE}(?:${body})${NO_WORD_AFTER}`;
    case "line":
      return `${LINE_START}(?:${body})${LINE_END}`;
  }
}

function readPlain(reader: PatternReader): string {
  let plain = "";
  while (!reader.atEnd) {
    // Not `readOne`: a backslash is a plain character here.
    const one = reader.take("\\") ? 0x5c : reader.readOne("outside");
    plain += typeof one === "number" ? escapeInClass(one) : one;
  }
  return plain;
}

/** A group so far: `item` is the last item, which a quantifier may follow. */
interface Level {
  done: string;
  item: string | undefined;
}

function readExpression(reader: PatternReader, dotAll: boolean): string {
  const outer: Level[] = [];
  let level: Level = { done: "", item: undefined };
  const add = (item: string | undefined, between = ""): void => {
    level.done += (level.item ?? "") + between;
    level.item = item;
  };
  while (!reader.atEnd) {
    if (reader.take("(")) {
      openGroup(reader);
      if (outer.length === MAX_DEPTH) throw new PatternError("the groups are nested too deeply");
      outer.push(level);
      level = { done: "", item: undefined };
    } else if (reader.take(")")) {
      const parent = outer.pop();
      if (!parent) throw new PatternError("unopened group");
      const group = `(?:${level.done}${level.item ?? ""})`;
      level = parent;
      add(group);
    } else if (reader.take("|")) add(undefined, "|");
    else if (reader.take("[")) add(readClass(reader));
    else if (reader.take(".")) add(dotAll ? "[\\s\\S]" : "[^\\n]");
    else if (reader.take("^")) add(LINE_START);
    else if (reader.take("$")) add(LINE_END);
    else {
      const repetition = readRepetition(reader);
      if (repetition === undefined) {
        const one = reader.readOne("outside");
        add(typeof one === "number" ? escapeInClass(one) : one);
      } else if (level.item === undefined) {
        throw new PatternError("repetition operator missing expression");
      } else level.item = `(?:${level.item}${repetition})`;
    }
  }
  if (outer.length > 0) throw new PatternError("unclosed group");
  return level.done + (level.item ?? "");
}

/** Drops names and numbers of groups: nothing refers to them. */
function openGroup(reader: PatternReader): void {
  if (!reader.take("?") || reader.take(":")) return;
  if (reader.takeMatch(/P?<[A-Za-z_][\w.[\]]*>/y)) return;
  if (reader.takeMatch(/<?[=!]/y))
    throw new PatternError("look-around, including look-ahead and look-behind, is not supported");
  throw new PatternError("flags are supported only as (?i), (?s) or (?m) at the start of the pattern");
}

function readRepetition(reader: PatternReader): string | undefined {
  let repetition: string;
  if (reader.take("{")) {
    const match = reader.takeMatch(/(\d{1,9})(,?)(\d{0,9})\}/y);
    if (!match || (match[2] === "" && match[3] !== ""))
      throw new PatternError(
        "repetition quantifier expects a valid decimal: escape { as \\{ for the character",
      );
    const [text, from = "", , to = ""] = match;
    if (to !== "" && Number(to) < Number(from)) throw new PatternError("invalid repetition count range");
    if (Number(from) > MAX_REPEATS || Number(to) > MAX_REPEATS)
      throw new PatternError("a repetition count is too large");
    repetition = `{${text}`;
  } else {
    const simple = reader.takeMatch(/[*+?]/y);
    if (!simple) return undefined;
    repetition = simple[0];
  }
  return reader.take("?") ? `${repetition}?` : repetition;
}
