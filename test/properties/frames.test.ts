import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFrame } from "../../src/core/text.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { parseByTheGrammar } from "./support/reference-parser.ts";
import { workOf } from "./support/work.ts";

/** V8 13.6 (Node 24) takes the keys `"` and `\` of similar objects for each other: no generated key holds one. */
const key = fc.string({
  unit: fc.constantFrom("a", "é", "Infinity", "NaN", "__proto__", ",", ":", "{", "\u2028"),
});

const text = fc.string({
  unit: fc.oneof(
    fc.string(),
    fc.constantFrom("Infinity", "-Infinity", "NaN", '"', "\\", "\n", "\u0000", "[", "]", ","),
  ),
  maxLength: 8,
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null, true, false),
    fc.double({ noNaN: true }),
    fc.integer(),
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));

/** A value in pieces, as Python writes it: each piece is a token, or white space. */
function piecesOf(value: unknown): string[] {
  if (typeof value === "number") return Number.isFinite(value) ? [JSON.stringify(value)] : [String(value)];
  if (Array.isArray(value)) return ["[", ...joined(value.map(piecesOf)), "]"];
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  return [
    "{",
    ...joined(
      Object.entries(value).map(([name, field]) => [JSON.stringify(name), ":", " ", ...piecesOf(field)]),
    ),
    "}",
  ];
}

const joined = (lists: readonly string[][]): string[] =>
  lists.flatMap((list, at) => (at > 0 ? [",", " ", ...list] : list));

/** What is put where it does not belong. */
const ODD = [
  "Infinity",
  "-Infinity",
  "NaN",
  "-",
  "+",
  "1",
  ".",
  "e5",
  ",",
  ":",
  "[",
  "]",
  "{",
  "}",
  '"',
  " ",
  "\t",
  "\n",
];
const ODDER = ["\u00a0", "\ufeff", "infinity", "undefined", "'", "/**/", "0x1", "\u0000", "\\", "x"];

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(1_000),
  remove: fc.nat(2),
  insert: fc.oneof(fc.constant(""), fc.constantFrom(...ODD), fc.constantFrom(...ODDER)),
});

function edited(pieces: readonly string[], edits: readonly Edit[]): string {
  const list = [...pieces];
  for (const { at, remove, insert } of edits) list.splice(at % (list.length + 1), remove, insert);
  return list.join("");
}

type Verdict = { readonly value: unknown } | { readonly refused: true };

function verdictOf(parse: (text: string) => unknown, text: string): Verdict {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { refused: true };
  }
}

describe("parseFrame", () => {
  test("reads any JSON as `JSON.parse` does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "medium" }), fc.constantFrom(0, 1, "\t"), (value, space) => {
        const frame = JSON.stringify(value, null, space);
        expect(isDeepStrictEqual(parseFrame(frame), JSON.parse(frame))).toBe(true);
      }),
      runs(500),
    );
  });

  test("reads or refuses text close to JSON as the grammar does", () => {
    fc.assert(
      fc.property(value, fc.array(edit, { maxLength: 3 }), (value, edits) => {
        const frame = edited(piecesOf(value), edits);
        const [own, reference] = [verdictOf(parseFrame, frame), verdictOf(parseByTheGrammar, frame)];
        if (!isDeepStrictEqual(own, reference))
          expect({ frame, read: own }).toEqual({ frame, read: reference });
      }),
      runs(4_000),
    );
  });

  test("never changes a value's prototype, whatever its field names", () => {
    fc.assert(
      fc.property(value, fc.constantFrom("__proto__", "constructor", "prototype"), (value, hostile) => {
        const frame = `{${JSON.stringify(hostile)}:${piecesOf(value).join("")},"b":NaN}`;
        const read = parseFrame(frame);
        expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
        expect(Object.keys(read as object)).toEqual([hostile, "b"]);
      }),
      runs(200),
    );
  });
});

const pieces = fc.array(
  fc.constantFrom(
    "a",
    '"',
    '\\"',
    "\\",
    "Infinity",
    "-Infinity",
    "NaN",
    "Infinit",
    "-",
    "1",
    "[",
    "]",
    "{",
    "}",
    '"k":',
    ",",
    ":",
    " ",
  ),
  {
    minLength: 1,
    maxLength: 6,
  },
);

describe("parseFrame on repeated text", () => {
  test(
    "takes time in proportion to its length",
    () => {
      fc.assert(
        fc.property(pieces, pieces, (start, repeated) => {
          // Six times, so that each length ends in the same place: an odd quote more leaves the end inside
          // a string or outside, and a word at the end is a value only outside.
          const unit = repeated.join("").repeat(6);
          const frame = (times: number): string =>
            start.join("") + unit.repeat(times * Math.ceil(2_000 / unit.length));
          const [once, twice, fourTimes] = [1, 2, 4].map((times) => {
            const text = frame(times);
            return workOf(() => verdictOf(parseFrame, text));
          });
          // What is refused at the first character takes no work; the rest of a unit at the end, a little.
          expect(twice).toBeLessThan(2 * (once ?? 0) * 1.1 + 200);
          expect(fourTimes).toBeLessThan(4 * (once ?? 0) * 1.1 + 400);
        }),
        { ...runs(100), examples: [[["a"], ['"', "a", "a", ":", "Infinity"]]] },
      );
    },
    PATIENCE,
  );

  test(
    "needs no deeper stack for deeper nesting",
    () => {
      const opening = fc.constantFrom("[", '{"a":', '[{"b":', '["c",', "[NaN,", '{"d":Infinity,"e":');
      fc.assert(
        fc.property(opening, fc.boolean(), fc.nat(100_000), (open, closed, extra) => {
          const depth = 100_000 + extra;
          const ends: Readonly<Record<string, string>> = { "[": "]", "{": "}" };
          const close = [...open]
            .flatMap((character) => ends[character] ?? [])
            .reverse()
            .join("");
          const frame = `${open.repeat(depth)}-Infinity${closed ? close.repeat(depth) : ""}`;
          expect("refused" in verdictOf(parseFrame, frame)).toBe(!closed);
        }),
        runs(15),
      );
    },
    PATIENCE,
  );
});
