import fc from "fast-check";
import { expect } from "vitest";
import { LineSplitter, type LongLine } from "../../src/process/lines.ts";
import { describe, test } from "./rows.ts";

const LIMIT = 16 * 1_048_576;

/** All lines of pieces, the last one too. */
function linesOf(pieces: readonly Uint8Array[], limit = LIMIT): (string | LongLine)[] {
  const splitter = new LineSplitter(limit);
  const lines = pieces.flatMap((piece) => [...splitter.push(piece)]);
  const last = splitter.end();
  return last === undefined ? lines : [...lines, last];
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The pieces of bytes that are cut at the given places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...[...places].sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.slice(at[index], end));
}

describe("the lines of a stream", () => {
  test.each([
    ["2.4 framing newline: one line", "a\n", ["a"]],
    ["several", "a\nb\nc\n", ["a", "b", "c"]],
    ["2.4 framing return: lines that end with CRLF", "a\r\nb\r\n", ["a", "b"]],
    ["a carriage return stays within a line, and goes before the line feed", "a\rb\r\r\n", ["a\rb\r"]],
    ["2.4 framing last line: a last line without a newline", "a\nb", ["a", "b"]],
    ["a last line that ends with a carriage return only", "a\nb\r", ["a", "b"]],
    ["an empty line between two", "a\n\nb\n", ["a", "", "b"]],
    ["nothing", "", []],
    ["2.4 framing mark: a byte-order mark at the start is removed", "\ufeffa\nb\n", ["a", "b"]],
    ["a second byte-order mark stays", "\ufeff\ufeffa\n", ["\ufeffa"]],
    ["a byte-order mark before a later line stays", "a\n\ufeffb\n", ["a", "\ufeffb"]],
    ["2.4 framing whole lines: characters of up to four bytes", "é\n漢\n👋\n", ["é", "漢", "👋"]],
  ])("%s", (_, text, lines) => {
    expect(linesOf([bytesOf(text)])).toEqual(lines);
  });

  test("with invalid UTF-8 get replacement characters, and the next line is unaffected", () => {
    expect(linesOf([new Uint8Array([0x61, 0xff, 0x0a, 0x62, 0x0a])])).toEqual(["a\ufffd", "b"]);
  });

  test("7 every split: are the same for any split of the bytes", () => {
    const text = fc
      .array(
        fc.oneof(fc.constantFrom("\n", "\r\n", "\r", "\ufeff", "é", "👋", '{"type":"text"}'), fc.string()),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(400)), (whole, places) => {
        const bytes = bytesOf(whole);
        const within = places.filter((place) => place <= bytes.length);
        expect(linesOf(cut(bytes, within))).toEqual(linesOf([bytes]));
      }),
    );
  });

  test("5.1 cut characters: are the same if each byte arrives alone", () => {
    const text = '\ufeff{"a":"hé 👋 漢"}\r\n{"b":1}\n\n"last 🇩🇪"';
    const bytes = bytesOf(text);

    expect(linesOf([...bytes].map((byte) => new Uint8Array([byte])))).toEqual(linesOf([bytes]));
  });

  test("are joined from pieces, and nothing is left over", () => {
    const splitter = new LineSplitter(LIMIT);
    const piece = bytesOf("ab");
    const before = [...splitter.push(piece.slice())];
    expect(before).toEqual([]);
    expect([...splitter.push(bytesOf("c\n"))]).toEqual(["abc"]);
    expect(splitter.end()).toBeUndefined();
  });
});

describe("a line that is too long", () => {
  const long = new Uint8Array(LIMIT + 1).fill(0x61);
  const newline = bytesOf("\n");

  test("begins above 16 MiB", () => {
    const [line] = linesOf([long.subarray(1), newline]);
    expect(typeof line === "string" && line.length).toBe(LIMIT);
  });

  test("2.4 framing long line & 3.2 line: is skipped with its length reported, and the next line is read", () => {
    expect(linesOf([long, newline, bytesOf("next\n")])).toEqual([{ skipped: LIMIT + 1 }, "next"]);
  });

  test("counts up to its end, even without a newline", () => {
    expect(linesOf([bytesOf("abcd"), bytesOf("ef")], 3)).toEqual([{ skipped: 6 }]);
  });

  test("is measured in bytes, not in characters", () => {
    expect(linesOf([bytesOf("éé\néé!\n")], 4)).toEqual(["éé", { skipped: 5 }]);
  });
});

test("a byte-order mark is removed only at the start of the stream", () => {
  const lines = new LineSplitter(100);
  const pieces = ["\ufeffa\n", "\ufeffb\n", "c\n\ufeffd\n"].map((text) => new TextEncoder().encode(text));
  expect(pieces.flatMap((piece) => [...lines.push(piece)])).toEqual(["a", "\ufeffb", "c", "\ufeffd"]);
});
