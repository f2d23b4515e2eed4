import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EscapeFilter } from "../../../../src/codebuff-run/tools/terminal/escapes.ts";
import {
  CommandOutput,
  HeadAndTail,
  MAX_OUTPUT,
} from "../../../../src/codebuff-run/tools/terminal/output.ts";
import { runs } from "../../../helpers/runs.ts";

const CUT = "\n[...TRUNCATED DUE TO LENGTH...]\n";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The text of one stream that arrived in these pieces. */
function read(pieces: readonly (string | Uint8Array)[]): string {
  const output = new CommandOutput(() => {});
  for (const piece of pieces) output.push(typeof piece === "string" ? bytesOf(piece) : piece);
  output.end();
  return output.text;
}

describe("the output of a command", () => {
  test("of 50,000 characters is not cut", () => {
    const text = "0123456789".repeat(5_000);
    expect(read([text])).toBe(text);
  });

  test("of more than 50,000 characters is cut in the middle, with a mark", () => {
    const text = `${"a".repeat(30_000)}b${"c".repeat(20_000)}`;
    const cut = read([text]);
    const side = Math.floor((MAX_OUTPUT - CUT.length) / 2);
    expect(cut).toBe(`${"a".repeat(side)}${CUT}${text.slice(-side)}`);
    expect(cut.length).toBeLessThanOrEqual(50_000);
  });

  test("is counted without colour sequences", () => {
    expect(read(["\u001b[31mx\u001b[0m".repeat(50_000)])).toBe("x".repeat(50_000));
  });

  test("is never cut inside a surrogate pair", () => {
    fc.assert(
      fc.property(fc.nat({ max: 3 }), fc.nat({ max: 3 }), (before, behind) => {
        const text = `${"a".repeat(before)}${"😀".repeat(60)}${"a".repeat(behind)}`;
        const kept = new HeadAndTail(70);
        kept.push(text);
        expect(encodeURIComponent(kept.text)).toBeTruthy(); // throws for half a pair
      }),
    );
  });

  test("is cut the same way in whatever pieces it arrives", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 90 })),
        fc.integer({ min: 40, max: 200 }),
        (pieces, max) => {
          const inPieces = new HeadAndTail(max);
          for (const piece of pieces) inPieces.push(piece);
          const whole = new HeadAndTail(max);
          whole.push(pieces.join(""));
          expect(inPieces.text).toBe(whole.text);
          expect(inPieces.text.length).toBeLessThanOrEqual(max);
        },
      ),
      runs(300),
    );
  });
});

describe("a flood of output", () => {
  test("of 1 GB keeps a bounded number of characters", () => {
    const piece = bytesOf("a line of output\n".repeat(3_855)); // 65,535 bytes
    const kept = new HeadAndTail(MAX_OUTPUT);
    let most = 0;
    const decoded = new TextDecoder().decode(piece);
    for (let bytes = 0; bytes < 1e9; bytes += piece.length) {
      kept.push(decoded);
      most = Math.max(most, kept.kept);
    }
    expect(most).toBeLessThanOrEqual(MAX_OUTPUT + 65_536);
    expect(kept.text).toHaveLength(MAX_OUTPUT - ((MAX_OUTPUT - CUT.length) % 2));
  });

  test("of single characters copies each a bounded number of times", () => {
    let copied = 0;
    class Counted extends HeadAndTail {
      override push(piece: string): void {
        const before = this.kept;
        super.push(piece);
        if (this.kept < before) copied += this.kept;
      }
    }
    const kept = new Counted(MAX_OUTPUT);
    for (let count = 0; count < 1_000_000; count++) kept.push("x");
    expect(copied).toBeLessThanOrEqual(2 * 1_000_000);
  });
});

describe("escape sequences", () => {
  test.each([
    ["a colour", "\u001b[1;31mred\u001b[0m", "red"],
    ["a colour of 24 bits, with colons", "\u001b[38:2::10:20:30mred\u001b[m", "red"],
    ["a hidden cursor", "\u001b[?25lx\u001b[?25h", "x"],
    ["a title, closed with BEL", "\u001b]0;my title\u0007text", "text"],
    ["a link, closed with ST", "\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["a character set", "\u001b(Btext", "text"],
    ["a reset", "\u001bctext", "text"],
    ["the 8-bit form", "\u009b31mred", "red"],
    ["none", "a[31m b ]0; c", "a[31m b ]0; c"],
    ["a title that is never closed loses only its introducer", "\u001b]0;words\nmore", "0;words\nmore"],
    ["the start of a sequence at the very end", "text\u001b[", "text"],
  ])("%s", (_, text, plain) => {
    expect(read([text])).toBe(plain);
    expect(read(Array.from(bytesOf(text), (byte) => Uint8Array.of(byte)))).toBe(plain);
  });

  const text = fc.array(
    fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(
        "\u001b",
        "\u001b[",
        "\u001b]",
        "\u0007",
        "\u001b\\",
        "\u009b",
        "\u009c",
        "31;1",
        "m",
        "(B",
        " ",
        "€",
        "😀",
      ),
    ),
    { maxLength: 30 },
  );

  test("are removed alike, however the bytes are cut into pieces", () => {
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 7 })), (parts, sizes) => {
        const bytes = bytesOf(parts.join(""));
        const pieces: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 3;
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(read(pieces)).toBe(read([bytes]));
      }),
      runs(1_000),
    );
  });

  test("that never end are held up to a limit, then passed on", () => {
    const filter = new EscapeFilter();
    let told = filter.push("\u001b]0;");
    for (let count = 0; count < 10_000; count++) told += filter.push("x");
    expect(told.length).toBeGreaterThan(10_000 - 4_200);
    expect(told + filter.end()).toBe(`0;${"x".repeat(10_000)}`);
  });

  // With a quadratic search each of these would take hours.
  test.each([
    ["\u001b[", ""],
    ["\u001b]", ""],
    ["\u001b[1", "1"],
    ["\u001b];", ";"],
    ["\u001b]\u001b[1;1", "1;1"],
  ])("of the kind %j, a million in a row, are read in one pass", (part, rest) => {
    expect(read([part.repeat(10)])).toBe(rest.repeat(10));
    expect(new EscapeFilter().push(part.repeat(1_000_000)).length).toBeGreaterThanOrEqual(
      rest.length * 1_000_000 - 4_096,
    );
  });
});

describe("bytes of output", () => {
  test("that are no UTF-8 become the replacement character", () => {
    expect(read([Uint8Array.of(0x61, 0xff, 0x62)])).toBe("a\ufffdb");
    expect(read([Uint8Array.of(0x61, 0xe2, 0x82)])).toBe("a\ufffd");
  });

  test("of one character may arrive in two pieces", () => {
    expect(read([Uint8Array.of(0xe2), Uint8Array.of(0x82, 0xac)])).toBe("€");
  });
});
