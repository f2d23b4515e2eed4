import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseTextReader } from "../../src/codebuff/prompts/sse.ts";
import { exactSse } from "../../src/codebuff/prompts/sse-chunks.ts";
import { runs } from "../helpers/runs.ts";

interface Reading {
  readonly events: string[];
  readonly stray: string[];
}

function read(pieces: Iterable<string>): Reading {
  const reading: Reading = { events: [], stray: [] };
  const reader = new SseTextReader(
    (data) => reading.events.push(data),
    (text) => reading.stray.push(text),
  );
  for (const piece of pieces) reader.feed(piece);
  reader.end();
  return reading;
}

/** `text`, cut at the given places. */
function cut(text: string, at: readonly number[]): string[] {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end));
}

const LIMIT = 16 * 1_048_576;

describe("a stream of server-sent events", () => {
  const streams: readonly (Reading & { readonly name: string; readonly text: string })[] = [
    { name: "one event", text: "data: a\n\n", events: ["a"], stray: [] },
    { name: "no space after the colon", text: "data:a\n\n", events: ["a"], stray: [] },
    { name: "only the first space belongs to the field", text: "data:  a \n\n", events: [" a "], stray: [] },
    {
      name: "several data lines make up one event",
      text: "data: a\ndata: b\n\n",
      events: ["a\nb"],
      stray: [],
    },
    { name: "CRLF line ends", text: "data: a\r\n\r\ndata: b\r\n\r\n", events: ["a", "b"], stray: [] },
    { name: "more blank lines than needed", text: "\n\ndata: a\n\n\n\n", events: ["a"], stray: [] },
    { name: "an empty data field", text: "data:\n\n", events: [""], stray: [] },
    { name: "comments", text: ": ping\n\ndata: a\n:\n\n", events: ["a"], stray: [] },
    { name: "the other fields", text: "event: x\nid: 1\nretry: 5\ndata: a\n\n", events: ["a"], stray: [] },
    {
      name: "a last event without its blank line",
      text: "data: a\n\ndata: b\n",
      events: ["a", "b"],
      stray: [],
    },
    { name: "a last line without its end", text: "data: a\n\ndata: b", events: ["a", "b"], stray: [] },
    { name: "text that is no field", text: "hello\ndata: a\n\nbye", events: ["a"], stray: ["hello", "bye"] },
    {
      name: "a field that only begins like data",
      text: "database: a\n\n",
      events: [],
      stray: ["database: a"],
    },
    { name: "nothing", text: "", events: [], stray: [] },
    { name: "CR line ends", text: "data: a\r\rdata: b\r\r", events: ["a", "b"], stray: [] },
    { name: "a byte order mark", text: "\ufeffdata: a\n\n", events: ["a"], stray: [] },
    { name: "half of a byte order mark in bytes", text: "\u00ef\u00bb", events: [], stray: ["\u00ef\u00bb"] },
    {
      name: "fields without a colon",
      text: "id\ndata: a\nretry\r\nevent\r\n\n",
      events: ["a"],
      stray: ["id", "retry", "event"],
    },
    { name: "data without a colon", text: "data: a\ndata\n\n", events: ["a\n"], stray: ["data"] },
    { name: "half of a field at the end", text: "data: a\n\ndat", events: ["a"], stray: ["dat"] },
    { name: "an invalid retry time", text: "retry: soon\ndata: a\n\n", events: ["a"], stray: [] },
  ];

  test.each(streams)("$name", ({ text, events, stray }) => {
    expect(read([text])).toEqual({ events, stray });
  });

  test.each(streams)("is the same when read character by character: $name", ({ text, events, stray }) => {
    expect(read(text)).toEqual({ events, stray });
  });

  test("gives the same events however it is cut", () => {
    const line = fc.oneof(
      fc.constantFrom("", "data: ", "data:", ": comment", "event: e", "data", "data: [DONE]"),
      fc.string().map((text) => `data: ${text}`),
      fc.string({ unit: "grapheme" }),
    );
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\r\n")), { maxLength: 20 })
      .map((lines) => lines.flat().join(""));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(400)), (text, places) => {
        expect(read(cut(text, places))).toEqual(read([text]));
      }),
      runs(500),
    );
  });

  test("drops an endless line with a report, then reads on", () => {
    const piece = "x".repeat(1_048_576);
    const pieces = ["data: a\n\ndata: ", ...Array.from({ length: 17 }, () => piece), "\n\ndata: b\n\n"];
    const { events, stray } = read(pieces);
    expect(events).toEqual(["a", "b"]);
    expect(stray.some((text) => text.includes("given up"))).toBe(true);
    expect(stray.join("").length).toBeLessThan(LIMIT);
  });

  test("drops an event whose lines never end", () => {
    const piece = `data: ${"x".repeat(1_048_576)}\n`;
    const { stray } = read(Array.from({ length: 17 }, () => piece));
    expect(stray).toEqual([expect.stringContaining("given up")]);
  });

  test("drops an endless event within one piece, and the next piece is read", () => {
    const long = `data: ${"x".repeat(1_048_576)}\n`.repeat(17);
    const { events, stray } = read([`data: a\n\n${long}id\n\n`, "data: b\n\n"]);
    expect(events).toEqual(["a", "b"]);
    expect(stray).toEqual([expect.stringContaining("given up"), "id"]);
  });

  test("can hold any number of small events, in one piece or in many", () => {
    const event = `data: ${"x".repeat(65_536)}\n\n`;
    const count = LIMIT / 65_536 + 1;
    const many = read(Array.from({ length: count }, () => event));
    expect(many.events).toHaveLength(count);
    expect(many.stray).toEqual([]);
    const whole = read([event.repeat(count)]);
    expect(whole.stray).toEqual([]);
    expect(whole.events).toHaveLength(count);
  });

  test("is read in one pass, even character by character", () => {
    const text = "x".repeat(1_000_000);
    const { events, stray } = read(`data: ${text}\n\n`); // character by character
    expect(events).toEqual([text]);
    expect(stray).toEqual([]);
  });
});

describe("`exactSse()`, for a chunk of complete events only", () => {
  const exact: readonly (readonly [chunk: string, payloads: readonly string[]])[] = [
    ["data: a\n\n", ["a"]],
    ["data: [DONE]\n\n", ["[DONE]"]],
    ["data: a\n\ndata: b\n\n", ["a", "b"]],
    ["data: \n\n", [""]],
  ];

  test.each(exact)("accepts %j", (chunk, payloads) => {
    expect(exactSse(chunk)).toEqual(payloads);
  });

  test.each([
    "",
    "\n\n",
    "data: ",
    "data: a",
    "data: a\n",
    " data: a\n\n",
    "x data: a\n\n",
    "data: a\n\nx",
    "data: a\n\nand then\n\n",
    "data: a\nmore\n\n",
    "data: a\ndata: b\n\n",
    ": comment\n\n",
    "event: x\ndata: a\n\n",
  ])("rejects %j", (chunk) => {
    expect(exactSse(chunk)).toBeUndefined();
  });
});
