import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codesOf, occurrences } from "../../../../src/codebuff-run/tools/files/occurrences.ts";
import { replaced } from "../../../../src/codebuff-run/tools/files/replace.ts";

const once = (old: string, by: string) => ({ old, new: by, allowMultiple: false });
const all = (old: string, by: string) => ({ old, new: by, allowMultiple: true });

const missing = (old: string) => ({
  failure: `The old string ${old} was not found in the file, skipping. Please try again with a different old string that matches the file content exactly.`,
});
const several = (count: number, old: string) => ({
  failure: `Found ${count} occurrences of ${old} in the file. Please try again with a longer (more specified) old string or set allowMultiple to true.`,
});

describe("an exact text", () => {
  test.each([
    ["stands once", "a b c", once("b", "x"), { text: "a x c" }],
    ["is taken out", "a b c", once(" b", ""), { text: "a c" }],
    ["has special characters", "a.c abc", once("a.c", "$& $1 $$"), { text: "$& $1 $$ abc" }],
    ["stands twice", "aa", once("a", "x"), several(2, '"a"')],
    ["stands twice, and may", "aa", all("a", "x"), { text: "xx" }],
    ["overlaps itself", "aaa", once("aa", "x"), { text: "xa" }],
    ["has quotes", "q", once('"\n', "x"), missing(String.raw`"\"\n"`)],
    ["has CRLF", "a\nb\nc\n", once("a\r\nb", "x\r\ny"), { text: "x\ny\nc\n" }],
    ["is longer than the file", "a", once("a b", "x"), missing('"a b"')],
    ["is looked for in nothing", "", once("a", "x"), missing('"a"')],
  ])("that %s", (_, text, replacement, expected) => {
    expect(replaced(text, replacement)).toEqual(expected);
  });

  test("is not also matched with other white space", () => {
    expect(replaced("a b\na  b\n", once("a b", "x"))).toEqual({ text: "x\na  b\n" });
  });

  const text = fc.string({ unit: fc.constantFrom("a", "b", "$", "&"), maxLength: 30 });

  test("is replaced as `split()` and `join()` do it", () => {
    fc.assert(
      fc.property(text, text, text, (file, old, by) => {
        fc.pre(old !== "" && file.includes(old));
        expect(replaced(file, all(old, by))).toEqual({ text: file.split(old).join(by) });
      }),
    );
  });

  test("is found at each of its places", () => {
    fc.assert(
      fc.property(text, text, fc.nat(5), (file, old, from) => {
        fc.pre(old !== "");
        const places = [...file].flatMap((_, at) => (at >= from && file.startsWith(old, at) ? [at] : []));
        expect([...occurrences(codesOf(file), codesOf(old), from)]).toEqual(places);
      }),
    );
  });
});

describe("a text without its indentation", () => {
  const file = "f() {\n    if (x) {\n\n        y()\n    }\n}\n";
  test.each([
    [
      "gets it back, and so does what takes its place",
      file,
      once("if (x) {\n\n    y()\n}", "if (z) {\n\n    y(2)\n}"),
      { text: "f() {\n    if (z) {\n\n        y(2)\n    }\n}\n" },
    ],
    ["of tabs gets tabs", "\t\ta\n\t\t\tb\n", once("a\n\tb\n", "c\n\td\n"), { text: "\t\tc\n\t\t\td\n" }],
    [
      "stands twice, with another indentation each",
      "  a\n  b\n    a\n    b\n",
      once("a\nb", "x"),
      several(2, String.raw`"a\nb"`),
    ],
    [
      "is replaced with the indentation of each place",
      "  a\n  b\n    a\n    b\n",
      all("a\nb", "x\ny"),
      { text: "  x\n  y\n    x\n    y\n" },
    ],
    ["begins at the line's beginning", "x  a\n  b\n", once("a\nb", "z"), { text: "x  z\n" }],
  ])("%s", (_, text, replacement, expected) => {
    expect(replaced(text, replacement)).toEqual(expected);
  });
});

describe("a text with other white space", () => {
  test.each([
    ["within", "foo( 1,2 )\n", once("foo(1, 2)", "bar()"), { text: "bar()\n" }],
    ["between lines", "a {\n\n\n  b }\n", once("a {\n b\n}", "c"), { text: "c\n" }],
    ["as no-break spaces", "a\u00a0b", once("a b", "c"), { text: "c" }],
    ["around keeps the file's own", "  a( b )\n", once("a(b)", "c"), { text: "  c\n" }],
    [
      "at both ends takes that of the file",
      "x\n\ta( b )\t\ny\n",
      once("  a(b) ", "  c"),
      { text: "x\n  c\ny\n" },
    ],
    [
      "with lines at its ends takes as many lines of the file",
      "x\n\n\na( b )\n\ny\n",
      once("\na(b)\n", "\nc\n"),
      { text: "x\n\n\nc\n\ny\n" },
    ],
    ["stands twice", "a  b c\na   b c\n", once("a b  c", "x"), several(2, '"a b  c"')],
    ["is replaced everywhere", "a  b c\na   b c\n", all("a b  c", "x"), { text: "x\nx\n" }],
    ["never divides a word at its beginning", "max=10\n", once("x = 10", "y"), missing('"x = 10"')],
    ["never divides a word at its end", "x=10\n", once("x = 1", "y"), missing('"x = 1"')],
    ["alone matches nothing", "a b", once("\t", "x"), missing(String.raw`"\t"`)],
  ])("%s", (_, text, replacement, expected) => {
    expect(replaced(text, replacement)).toEqual(expected);
  });
});

describe("a hostile text takes bounded time", () => {
  const million = 1_000_000;
  test.each([
    ["a long run with an odd end", "a".repeat(million), `${"a".repeat(million / 2)}b`],
    ["a long run with an odd beginning", "a".repeat(million), `b${"a".repeat(million / 2)}`],
    ["white space alone", " ".repeat(million), `${" ".repeat(million / 2)}x`],
    ["the same line again and again", "  a\n".repeat(million / 4), `${"a\n".repeat(million / 8)}b`],
    [
      "lines of growing depth",
      Array.from({ length: 1_400 }, (_, at) => `${" ".repeat(at)}a\n`).join(""),
      "a\na\nb",
    ],
  ])("%s", (_, text, old) => {
    const result = replaced(text, once(old, "x"));
    expect(result).toMatchObject({ failure: expect.stringMatching(/was not found/) });
  });

  test("a very long text is quoted only in part", () => {
    const result = replaced("a", once("b".repeat(million), "x"));
    expect("failure" in result && result.failure.length).toBeLessThan(3_000);
  });

  test("a replacement that makes a file too long is refused", () => {
    expect(replaced("a".repeat(50_000), all("a", "b".repeat(10_000)))).toMatchObject({
      failure: 'The file would be longer than 10485760 characters, skipping "a".',
    });
  });

  test("too many occurrences are refused", () => {
    expect(replaced("a".repeat(million), all("a", "b"))).toEqual({
      failure: 'Found more than 100000 occurrences of "a" in the file, skipping.',
    });
  });
});
