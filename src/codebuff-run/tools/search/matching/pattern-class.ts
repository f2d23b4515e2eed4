// Translates a character class of a ripgrep pattern.
import { escapeInClass, PatternError, type PatternReader } from "./pattern-reader.ts";

/** Nesting of classes, as in ripgrep. Bounds the stack. */
const MAX_DEPTH = 250;

const HYPHEN = 0x2d;
const CLOSING_BRACKET = 0x5d;

const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\u{0}-\\u{7f}",
  blank: "\\u{9}\\u{20}",
  cntrl: "\\u{0}-\\u{1f}\\u{7f}",
  digit: "0-9",
  graph: "\\u{21}-\\u{7e}",
  lower: "a-z",
  print: "\\u{20}-\\u{7e}",
  punct: "\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}",
  space: "\\u{9}-\\u{d}\\u{20}",
  upper: "A-Z",
  word: "0-9A-Za-z\\u{5f}",
  xdigit: "0-9A-Fa-f",
};

const POSIX_CLASS = new RegExp(`:(\\^?)(${Object.keys(POSIX).join("|")}):\\]`, "y");

/** Reads a class after its `[`. Returns it for JavaScript's flag `v`. */
export function readClass(reader: PatternReader, depth = 1): string {
  if (depth > MAX_DEPTH) throw new PatternError("the classes are nested too deeply");
  const negated = reader.take("^");
  let operands: string | undefined;
  let operator = "";
  let union = "";
  // As in Rust: leading `-` are characters, and so is a `]` in first place.
  while (reader.take("-")) union += escapeInClass(HYPHEN);
  if (union === "" && reader.take("]")) union = escapeInClass(CLOSING_BRACKET);
  const close = (): void => {
    operands = operands === undefined ? `[${union}]` : `[${operands}${operator}[${union}]]`;
    union = "";
  };
  while (!reader.take("]")) {
    if (reader.atEnd) throw new PatternError("unclosed character class");
    if (reader.take("&&") || reader.take("--")) {
      const next = reader.previous(2);
      close();
      operator = next;
    } else if (reader.take("~~")) {
      throw new PatternError("the class operator ~~ is not supported");
    } else if (reader.take("[")) {
      union += readPosix(reader) ?? readClass(reader, depth + 1);
    } else {
      union += readItem(reader);
    }
  }
  if (operands === undefined) return `[${negated ? "^" : ""}${union}]`;
  close();
  return negated ? `[^${operands}]` : operands;
}

/** Reads `[:name:]` after its first bracket. Unknown names are ordinary classes. */
function readPosix(reader: PatternReader): string | undefined {
  const match = reader.takeMatch(POSIX_CLASS);
  if (!match) return undefined;
  const [, negated = "", name = ""] = match;
  return `[${negated}${POSIX[name]}]`;
}

function readItem(reader: PatternReader): string {
  const first = reader.readOne("class");
  const isRange = reader.peek() === "-" && !["", "]", "-"].includes(reader.peek(1));
  if (!isRange) return typeof first === "string" ? first : escapeInClass(first);
  reader.take("-");
  const last = reader.readOne("class");
  if (typeof first === "string" || typeof last === "string" || last < first)
    throw new PatternError("invalid character class range");
  return `${escapeInClass(first)}-${escapeInClass(last)}`;
}
