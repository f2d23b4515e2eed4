import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  exceedsBytes,
  flattened,
  isTooDeep,
  MAX_NESTING,
  parseFrame,
  parseJson,
  utf8Length,
  wellFormed,
} from "../../src/core/text.ts";
import { runs } from "../helpers/runs.ts";
import { thrownBy } from "./support/promises.ts";

const MEBIBYTE = 1_048_576;

describe("parseFrame accepts bare numbers such as NaN, which real servers send", () => {
  test.each<{ frame: string; value: unknown }>([
    { frame: '{"remainingBalance": Infinity}', value: { remainingBalance: Infinity } },
    { frame: "[-Infinity,NaN]", value: [-Infinity, null] },
    { frame: '{"a": "Infinity", "b": Infinity}', value: { a: "Infinity", b: Infinity } },
    { frame: '{"Infinity": 1, "b": NaN}', value: { Infinity: 1, b: null } },
    { frame: '{"a": "x\\"Infinity", "b": NaN}', value: { a: 'x"Infinity', b: null } },
    { frame: '{"a":"\\\\","b":Infinity}', value: { a: "\\", b: Infinity } },
    { frame: '{"a":"\\\\\\"NaN","b":-Infinity}', value: { a: '\\"NaN', b: -Infinity } },
    { frame: '{"a":"[NaN, -Infinity]","b":NaN}', value: { a: "[NaN, -Infinity]", b: null } },
    { frame: '{"a":Infinity}', value: { a: Infinity } },
    { frame: '{"a":\tNaN\r\n}', value: { a: null } },
    { frame: "[ NaN , Infinity , -Infinity ]", value: [null, Infinity, -Infinity] },
    { frame: "[[NaN],[Infinity]]", value: [[null], [Infinity]] },
    { frame: "Infinity", value: Infinity },
    { frame: "-Infinity", value: -Infinity },
    { frame: "NaN", value: null },
  ])("$frame", ({ frame, value }) => {
    expect(parseFrame(frame)).toEqual(value);
  });

  test("as null if the caller asks for it", () => {
    expect(parseFrame('{"a":[NaN,-Infinity,Infinity],"b":"Infinity"}', "null")).toEqual({
      a: [null, null, null],
      b: "Infinity",
    });
  });

  test("in a real init-response of the published proxy", () => {
    const frame =
      '{"type": "action", "data": {"type": "init-response", "message": "Session initialized successfully", "usage": 0.0, "remainingBalance": Infinity}}';
    expect(parseFrame(frame)).toEqual({
      type: "action",
      data: {
        type: "init-response",
        message: "Session initialized successfully",
        usage: 0,
        remainingBalance: Infinity,
      },
    });
  });

  test("anywhere in a value, but not inside a string or a key", () => {
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(Infinity, -Infinity, null, true),
        fc.integer(),
        words(),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(keys(), tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (value) => {
        expect(parseFrame(asPython(value))).toEqual(value);
      }),
      runs(100),
    );
  });
});

describe("parseFrame refuses everything else that is invalid JSON", () => {
  test.each([
    "Infinityx",
    "[Infinityx]",
    "1Infinity",
    "[1Infinity]",
    "1.Infinity",
    "[1.Infinity]",
    "--Infinity",
    "[--Infinity]",
    "-NaN",
    "[-NaN]",
    "- Infinity",
    "[-\nInfinity]",
    "+Infinity",
    "infinity",
    "nan",
    "Infinity1",
    '{"a":Infinity',
    "{a:Infinity}",
    "{Infinity:1}",
    '{"a":1,NaN:2}',
    '{"a":1,NaN}',
    '{"a":Infinity,}',
    "[Infinity,]",
    "[Infinity Infinity]",
    '["a" NaN]',
    '{"a":"line\nbreak"}',
    '{"a":"line\nbreak","b":Infinity}',
    '{"a":\u00a0Infinity}',
    '{"a":"open, Infinity',
    "undefined",
    "",
    " ",
    "'Infinity'",
    "{'a': Infinity}",
  ])("%j", (frame) => {
    expect(() => parseFrame(frame)).toThrow(SyntaxError);
  });
});

describe("parseFrame on hostile frames", () => {
  test("reads a string of 16 MiB followed by Infinity", () => {
    const long = "x".repeat(16 * MEBIBYTE);
    const value = parseFrame(`{"a":"${long}","b":Infinity}`) as { a: string; b: number };
    expect([value.a === long, value.b]).toEqual([true, Infinity]);
  });

  test("reads a million bare numbers in one frame", () => {
    const value = parseFrame(`[${"Infinity,".repeat(1_000_000)}NaN]`) as unknown[];
    expect([value.length, value[999_999], value[1_000_000]]).toEqual([1_000_001, Infinity, null]);
  });

  test("reads or refuses 100,000 nested arrays around an Infinity without crashing", () => {
    const depth = 100_000;
    const frame = `${"[".repeat(depth)}Infinity${"]".repeat(depth)}`;
    let read: unknown;
    try {
      read = parseFrame(frame);
    } catch (error) {
      expect(error).toBeInstanceOf(Error); // a platform may have a limit of its own
      return;
    }
    for (let level = 0; level < depth; level++) read = (read as unknown[])[0];
    expect(read).toBe(Infinity);
  });

  test("keeps `__proto__` as an own property, with and without bare numbers", () => {
    for (const frame of ['{"__proto__": {"x": Infinity}}', '{"__proto__": {"x": 1}}']) {
      const value = parseFrame(frame) as object;
      expect(Object.keys(value)).toEqual(["__proto__"]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    expect("x" in {}).toBe(false);
  });
});

test("parseFrame throws the platform's own error about the original frame", () => {
  const frame = '{"balance": 5,}';
  const platform = thrownBy(() => JSON.parse(frame));
  expect(thrownBy(() => parseFrame(frame))).toEqual(platform);
});

describe("wellFormed", () => {
  test.each([
    { what: "empty text", text: "", formed: "" },
    { what: "whole characters", text: "aé日🙂", formed: "aé日🙂" },
    { what: "a lone high surrogate", text: "a\ud83d", formed: "a\ufffd" },
    { what: "a lone low surrogate", text: "\ude42b", formed: "\ufffdb" },
    { what: "surrogates in the wrong order", text: "\ude42\ud83d", formed: "\ufffd\ufffd" },
    { what: "a lone surrogate before and after a pair", text: "\ud83d🙂\ude42", formed: "\ufffd🙂\ufffd" },
  ])("replaces each lone surrogate as the platform does: $what", ({ text, formed }) => {
    expect(wellFormed(text)).toBe(formed);
    expect(Buffer.from(wellFormed(text)).toString()).toBe(Buffer.from(text).toString());
  });
});

describe("utf8Length", () => {
  test.each<{ what: string; text: string }>([
    { what: "nothing", text: "" },
    { what: "ASCII", text: "hello" },
    { what: "the last of one byte and the first of two", text: "\u007f\u0080" },
    { what: "the last of two bytes and the first of three", text: "\u07ff\u0800" },
    { what: "a surrogate pair", text: "🙂" },
    { what: "the first and the last pair", text: "\u{10000}\u{10ffff}" },
    { what: "a high surrogate alone", text: "a\ud83d" },
    { what: "a low surrogate alone", text: "\ude42a" },
    { what: "a pair the wrong way round", text: "\ude42\ud83d" },
    { what: "a high surrogate before a pair", text: "\ud83d🙂" },
  ])("counts UTF-8 bytes as sent over the wire: $what", ({ text }) => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  });

  test("counts any code units as the platform does, including lone surrogates", () => {
    const units = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7f0, max: 0xe010 }));
    fc.assert(
      fc.property(fc.array(units), (codes) => {
        const text = String.fromCharCode(...codes);
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      }),
      runs(100),
    );
  });
});

describe("exceedsBytes", () => {
  test.each([
    { text: "", limit: 0, exceeds: false },
    { text: "abc", limit: 3, exceeds: false },
    { text: "abcd", limit: 3, exceeds: true },
    { text: "é", limit: 1, exceeds: true },
    { text: "é", limit: 2, exceeds: false },
    { text: "€", limit: 2, exceeds: true },
    { text: "€", limit: 3, exceeds: false },
    { text: "🙂", limit: 3, exceeds: true },
    { text: "🙂", limit: 4, exceeds: false },
    { text: "🙂", limit: Infinity, exceeds: false },
  ])("$text over $limit bytes: $exceeds", ({ text, limit, exceeds }) => {
    expect(exceedsBytes(text, limit)).toBe(exceeds);
  });

  test("agrees with a full byte count", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, limit) => {
        expect(exceedsBytes(text, limit)).toBe(Buffer.byteLength(text) > limit);
      }),
      runs(100),
    );
  });
});

/** Strings that try to be mistaken for numbers. */
function words(): fc.Arbitrary<string> {
  const pieces = ["Infinity", "-Infinity", "NaN", '"', "\\", "[", ",", ":", " ", "x", "é"];
  return fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((some) => some.join(""));
}

/** Without escapes: V8 13.6 (Node 24) takes the keys `"` and `\\` of similar objects for each other. The table has some. */
function keys(): fc.Arbitrary<string> {
  return words().filter((word) => !/["\\]/.test(word));
}

/** Writes a value as Python's `json.dumps` does. */
function asPython(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(asPython).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${asPython(field)}`);
  return `{${members.join(", ")}}`;
}

describe("deeply nested JSON", () => {
  const nested = (levels: number, open = "[", close = "]"): string =>
    `${open.repeat(levels)}1${close.repeat(levels)}`;

  test.each<{ what: string; text: string; deep: boolean }>([
    { what: "a short list", text: "[[]]", deep: false },
    { what: "lists at the limit", text: nested(MAX_NESTING), deep: false },
    { what: "one list more", text: nested(MAX_NESTING + 1), deep: true },
    { what: "objects at the limit", text: nested(MAX_NESTING, '{"a":', "}"), deep: false },
    { what: "one object more", text: nested(MAX_NESTING + 1, '{"a":', "}"), deep: true },
    { what: "both together", text: nested(MAX_NESTING / 2 + 1, '[{"a":', "}]"), deep: true },
    { what: "many, side by side", text: `[${Array(5_000).fill("[[1]]").join()}]`, deep: false },
    { what: "brackets in a string", text: `["${"[".repeat(5_000)}"]`, deep: false },
    {
      what: "brackets behind an escaped quote",
      text: `["\\"${"[".repeat(5_000)}"]`,
      deep: false,
    },
    {
      what: "brackets behind a string that ends with a backslash",
      text: `["\\\\",${nested(600)}]`,
      deep: true,
    },
    { what: "a string without an end", text: `["${"[".repeat(5_000)}`, deep: false },
    { what: "a hundred thousand levels", text: nested(100_000), deep: true },
  ])("$what: is refused only beyond 500 levels", ({ text, deep }) => {
    expect(isTooDeep(text)).toBe(deep);
    const parse = () => parseJson(text);
    if (deep) expect(parse).toThrow(/nested deeper than 500 levels/);
  });

  test.each([
    ['{"a":[1,{"b":"]"}],"c":"{\\"","d":{}, "e": 5 }', '{"a":null,"c":"{\\"","d":null, "e": 5 }'],
    [`{"a":${nested(100_000)},"b":${nested(100_000, '{"a":', "}")}}`, '{"a":null,"b":null}'],
    ["[[1],[2]]", "[null,null]"],
    ["5", "5"],
  ])("`flattened()` keeps only the outermost members: %.40s", (text, flat) => {
    expect(flattened(text)).toBe(flat);
  });

  test("`parseJson()` accepts bare numbers, or reads them as null", () => {
    expect(parseJson("[Infinity]")).toEqual([Infinity]);
    expect(parseJson("[Infinity]", "null")).toEqual([null]);
  });

  test("at the limit can be cloned, serialized and parsed", () => {
    const value = parseJson(nested(MAX_NESTING, '{"a":', "}"));
    expect(structuredClone(value)).toEqual(value);
    expect(JSON.parse(JSON.stringify(value))).toEqual(value);
  });
});
