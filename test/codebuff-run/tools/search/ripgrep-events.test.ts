import fc from "fast-check";
import { expect, test } from "vitest";
import type { FileHits } from "../../../../src/codebuff-run/tools/search/hits.ts";
import { EventReader } from "../../../../src/codebuff-run/tools/search/ripgrep-events.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function match(path: string, line: number, text = "x\n", more: object = {}): string {
  const data = { path: { text: path }, lines: { text }, line_number: line, absolute_offset: 0, ...more };
  return `${JSON.stringify({ type: "match", data })}\n`;
}

const end = (path: string) => `${JSON.stringify({ type: "end", data: { path: { text: path } } })}\n`;

function read(pieces: readonly Uint8Array[], { maxPerFile = 9, multiline = false } = {}): FileHits[] {
  const files: FileHits[] = [];
  const reader = new EventReader({ maxPerFile, multiline, onFile: (file) => files.push(file) });
  for (const piece of pieces) reader.feed(piece);
  return files;
}

test("output that is cut anywhere gives the same files", () => {
  const bytes = encode(match("./é.ts", 3) + match("./é.ts", 5) + end("./é.ts") + match("b", 1) + end("b"));
  const whole = read([bytes]);
  expect(whole).toEqual([
    {
      path: "./é.ts",
      ranges: [
        { first: 3, last: 3 },
        { first: 5, last: 5 },
      ],
    },
    { path: "b", ranges: [{ first: 1, last: 1 }] },
  ]);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
      const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      expect(read(edges.slice(1).map((edge, n) => bytes.subarray(edges[n], edge)))).toEqual(whole);
    }),
  );
});

test("an event of 100 MB takes no more memory than one of 2 MB, and its line number is read", () => {
  const [head = "", tail = ""] = match('./a"b\\.ts', 77, "@@\n").split("@@");
  const piece = encode('\\"},\\"line_number\\":5,'.repeat(3_000)); // a text that looks like the end of a text
  const files: FileHits[] = [];
  const reader = new EventReader({ maxPerFile: 9, multiline: false, onFile: (file) => files.push(file) });
  reader.feed(encode(match("first", 1) + head));
  const before = process.memoryUsage();
  let most = 0;
  for (let fed = 0; fed < 100_000_000; fed += piece.length) {
    reader.feed(piece);
    if (fed % (50 * piece.length) === 0)
      most = Math.max(most, process.memoryUsage().arrayBuffers - before.arrayBuffers);
  }
  reader.feed(encode(tail + match("last", 2) + end("last")));
  expect(files).toEqual([
    { path: "first", ranges: [{ first: 1, last: 1 }] },
    { path: './a"b\\.ts', ranges: [{ first: 77, last: 77 }] },
    { path: "last", ranges: [{ first: 2, last: 2 }] },
  ]);
  expect(most).toBeLessThan(32_000_000); // copies that await the collector included
});

test("the line number of a short line with 60,000 matches is read", () => {
  const submatches = Array.from({ length: 60_000 }, (_, n) => ({
    match: { text: "x" },
    start: n,
    end: n + 1,
  }));
  expect(read([encode(match("a", 4, "x\n", { submatches }) + end("a"))])).toEqual([
    { path: "a", ranges: [{ first: 4, last: 4 }] },
  ]);
});

test("touching ranges of matches over several lines count as one range", () => {
  const output = match("a", 1, "x\ny\n") + match("a", 3) + match("a", 5, "x\ny") + match("a", 9) + end("a");
  const files = (maxPerFile: number) => read([encode(output)], { maxPerFile, multiline: true });
  expect(files(9)[0]?.ranges).toEqual([
    { first: 1, last: 3 },
    { first: 5, last: 6 },
    { first: 9, last: 9 },
  ]);
  expect(files(2)[0]?.ranges).toEqual([
    { first: 1, last: 3 },
    { first: 5, last: 6 },
  ]);
});

test("a file of many matches keeps only those below the limit", () => {
  const many = encode(match("a", 1).repeat(1_000));
  expect(read([...Array.from({ length: 100 }, () => many), encode(end("a"))])[0]?.ranges).toHaveLength(9);
});

test("malformed events, and names that are no text, are skipped", () => {
  const bytes = JSON.stringify({ type: "match", data: { path: { bytes: "/w==" }, line_number: 1 } });
  const output = `\n{\nnull\n[]\n"match"\n{"type":"match"}\n{"type":"match","data":{"path":"a"}}\n${bytes}\n`;
  expect(read([encode(output + match("a", Number.NaN) + end("a"))])).toEqual([]);
});
