import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newText, readText, textFor, writeText } from "../../../../src/codebuff-run/tools/files/text.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const stringOf = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** What a file is once its text is changed. */
function edited(file: string, change: (text: string) => string): string {
  const before = readText(bytesOf(file));
  if (!before) throw new Error("no text");
  return stringOf(writeText(before, change(before.text)));
}

describe("the text of a file", () => {
  test.each<[string, string, string, string]>([
    ["a line feed", "a\nb\n", "a\nB\n", "a\nB\n"],
    ["CRLF", "a\r\nb\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"],
    ["CRLF without a last line feed", "a\r\nb", "a\nB", "a\r\nB"],
    ["mostly CRLF", "a\r\nb\nc\r\n", "a\nb\nnew\nc\n", "a\r\nb\nnew\r\nc\r\n"],
    ["mostly LF", "a\nb\r\nc\n", "a\nnew\nb\nc\n", "a\nnew\nb\r\nc\n"],
    ["mixed, with its last line feed gone", "a\r\nb\n", "a\nb", "a\r\nb"],
    ["mixed, and empty afterwards", "a\r\nb\n", "", ""],
    ["a lone carriage return", "a\rb\n", "a\rB\n", "a\rB\n"],
    ["a carriage return before CRLF", "a\r\r\nb\r\n", "a\r\nB\n", "a\r\r\nB\r\n"],
    ["a byte order mark", "\uFEFFa\r\n", "b\n", "\uFEFFb\r\n"],
    ["nothing", "", "a\n", "a\n"],
  ])("with %s keeps it", (_, file, text, expected) => {
    expect(edited(file, () => text)).toBe(expected);
  });

  const plain = fc.constantFrom("a", "b", "", " c", "ü\u{1F600}");
  const line = fc.oneof(plain, fc.constant("\r"));
  const end = fc.constantFrom("\n", "\r\n");

  test("that does not change keeps each byte", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end)), line, fc.boolean(), (lines, last, hasMark) => {
        const file = `${hasMark ? "\uFEFF" : ""}${lines.flat().join("")}${last}`;
        expect(edited(file, (text) => text)).toBe(file);
      }),
    );
  });

  test("with an added line keeps the line ends of all other lines", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, end), { minLength: 1 }), fc.nat(), (lines, seed) => {
        const file = lines.flat().join("");
        const place = seed % lines.length;
        const result = edited(file, (text) => {
          const all = text.split("\n");
          return [...all.slice(0, place), "new", ...all.slice(place)].join("\n");
        });
        const pairs = lines.filter(([, own]) => own === "\r\n").length;
        const usual = pairs * 2 >= lines.length ? "\r\n" : "\n";
        const expected = [...lines.slice(0, place), ["new", usual], ...lines.slice(place)];
        expect(result).toBe(expected.flat().join(""));
      }),
    );
  });
});

test.each<[string, Uint8Array]>([
  ["Latin-1", Uint8Array.of(0x66, 0xfc, 0x72, 0x0a)],
  ["a cut character", bytesOf("für").subarray(0, 2)],
  ["a surrogate", Uint8Array.of(0xed, 0xa0, 0x80)],
  ["UTF-16", Uint8Array.of(0xff, 0xfe, 0x61, 0x00)],
  ["a NUL at the end", bytesOf(`${"a".repeat(100_000)}\0`)],
])("%s is not read as text", (_, bytes) => {
  expect(readText(bytes)).toBeUndefined();
});

test("a text of the agent gets line feeds, and has no second byte order mark", () => {
  const marked = readText(bytesOf("\uFEFFa\r\n"));
  const plain = readText(bytesOf("a"));
  expect(marked && textFor(marked, "\uFEFFb\r\nc")).toBe("b\nc");
  expect(plain && textFor(plain, "\uFEFFb")).toBe("\uFEFFb");
});

test("a new file gets exactly the given text", () => {
  expect(stringOf(newText("\uFEFFa\r\nb\n"))).toBe("\uFEFFa\r\nb\n");
});

test("a read file has its own line ends in `raw`, line feeds in `text`, and no byte order mark", () => {
  expect(readText(bytesOf("\uFEFFa\r\nb\n"))).toEqual({
    raw: "a\r\nb\n",
    text: "a\nb\n",
    hasMark: true,
    endings: "mixed",
  });
});
