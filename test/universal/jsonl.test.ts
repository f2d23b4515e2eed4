import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../src/core/errors.ts";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { markOf } from "../../src/universal/jsonl/delta-line.ts";
import { JsonlReader, readJsonl, toJsonl } from "../../src/universal/jsonl/jsonl.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { workOf } from "../properties/support/work.ts";
import { delta, deltas, LINES, TRANSCRIPT, wildEvents } from "./support/events.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads pieces, and gives what `readJsonl` would. */
function readPieces(pieces: Iterable<string | Uint8Array>): ReturnType<typeof readJsonl> {
  const reader = new JsonlReader();
  const events: UniversalEvent[] = [];
  for (const piece of pieces) events.push(...reader.push(piece));
  const { events: last, ...end } = reader.end();
  return { ...end, events: [...events, ...last], problems: reader.problems, dropped: reader.dropped };
}

function cutAt<T extends string | Uint8Array>(whole: T, cuts: readonly number[]): T[] {
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return at.slice(1).map((to, n) => whole.slice(at[n], to) as T);
}

const ALL = { problems: [], dropped: 0, complete: true, separator: "" } as const;

describe("toJsonl", () => {
  test("writes one line per event, which `readJsonl` reads back", () => {
    const { events, ...rest } = readJsonl(TRANSCRIPT);
    expect(events).toHaveLength(LINES.length);
    expect(rest).toEqual({ ...ALL, end: TRANSCRIPT.length });
    expect(toJsonl(events)).toBe(TRANSCRIPT);
  });

  test("writes nothing for no events", () => {
    expect(toJsonl([])).toBe("");
    expect(readJsonl("")).toEqual({ ...ALL, events: [], end: 0 });
  });

  test(
    "keeps any text",
    () => {
      fc.assert(
        fc.property(wildEvents, (events) => {
          const text = toJsonl(events);
          expect(text.split("\n")).toHaveLength(events.length + 1);
          expect(readJsonl(text).events).toEqual(events);
          expect(readPieces([bytesOf(text)]).events).toEqual(events); // no half of a character is in the text
        }),
        runs(500),
      );
    },
    PATIENCE,
  );

  test("refuses values that JSON cannot hold, and values that are no events", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => toJsonl([{ ...delta(7), raw: circle }])).toThrow(InvalidInputError);
    expect(() => toJsonl([{ ...delta(7), raw: circle }])).toThrow(
      /event 7 of session ses_1 cannot be written/,
    );
    expect(() => toJsonl([Object({ type: "text" })])).toThrow(
      /no universal event: type is "text": it must be one of: session/,
    );
  });
});

describe("readJsonl of a text that was cut", () => {
  test(
    "anywhere gives all whole events, and the position to continue at",
    () => {
      for (let cut = 0; cut <= TRANSCRIPT.length; cut += 7) {
        const text = TRANSCRIPT.slice(0, cut);
        const found = readJsonl(text);
        const newlines = text.split("\n").length - 1;
        const isWholeButLineFeed = TRANSCRIPT[cut] === "\n";
        expect(found.events).toHaveLength(newlines + (isWholeButLineFeed ? 1 : 0));
        expect(found.problems).toEqual([]);
        expect(found.complete).toBe(text === "" || text.endsWith("\n") || isWholeButLineFeed);
        const missing = LINES.slice(found.events.length).map((line) => `${line}\n`);
        expect(text.slice(0, found.end) + found.separator + missing.join("")).toBe(
          missing.length === 0 && found.separator === "" ? text : TRANSCRIPT,
        );
      }
    },
    PATIENCE,
  );

  test("gives the position in bytes if it reads bytes", () => {
    const [first, second] = [toJsonl([delta(1, "größe 😀")]), toJsonl([delta(2)])];
    const text = first + second.slice(0, 20);
    expect(readJsonl(text)).toMatchObject({ complete: false, end: first.length });
    expect(readPieces([bytesOf(text)])).toMatchObject({ complete: false, end: bytesOf(first).length });
  });

  test("within a character gives the events before it", () => {
    const bytes = bytesOf(toJsonl([delta(1), delta(2, "😀")]));
    const half = bytes.slice(0, bytes.indexOf(0xf0) + 2);
    expect(readPieces([half])).toMatchObject({ events: [delta(1)], complete: false, problems: [] });
  });
});

describe("readJsonl continues", () => {
  test.each([
    ["no JSON", "{oops", "it is no JSON, or was cut"],
    ["an incomplete event", LINES[4]?.slice(0, 50) ?? "", "it is no JSON, or was cut"],
    ["another value", "5", "it is no event: The event is 5: it must be an object"],
    [
      "an event with a field missing",
      JSON.stringify({ ...delta(1), time: undefined }),
      "it is no event: time is missing",
    ],
    ["nesting that is too deep", `${"[".repeat(100_000)}`, "it is no JSON, or was cut"],
  ])("after %s, and reports the line number", (_name, line, message) => {
    const text = `${toJsonl(deltas(1, 2))}\n${line}\n${toJsonl(deltas(3, 3))}`;
    expect(readJsonl(text)).toEqual({
      ...ALL,
      events: deltas(1, 3),
      end: text.length,
      problems: [{ line: 4, message }],
    });
  });

  test("with CRLF, blank lines and a byte order mark", () => {
    const text = `\ufeff${toJsonl([delta(1)])}\n  \n${toJsonl([delta(2)])}`.replaceAll("\n", "\r\n");
    expect(readJsonl(text)).toEqual({
      ...ALL,
      events: deltas(1, 2).map((_, at) => delta(at + 1)),
      end: text.length,
    });
    expect(readPieces([bytesOf(text)]).events).toHaveLength(2);
  });

  test("after a last line that is JSON but no event, and does not cut it off", () => {
    const text = `${toJsonl([delta(1)])}{"note":1}`;
    expect(readJsonl(text)).toMatchObject({
      complete: true,
      end: text.length,
      separator: "\n",
      problems: [{ line: 2 }],
    });
  });

  test("without quoting a bad line, which may hold secrets", () => {
    expect(JSON.stringify(readJsonl('{"authToken":"secret-1"}\nsecret-2\n').problems)).not.toContain(
      "secret",
    );
  });
});

describe("events that were stored twice", () => {
  test("are read once if appends overlap", () => {
    const text = toJsonl([...deltas(1, 5), ...deltas(3, 8)]);
    expect(readJsonl(text)).toMatchObject({ events: deltas(1, 8), dropped: 3, problems: [] });
  });

  test("are recognised within their session", () => {
    const text = toJsonl([...deltas(1, 3, "a"), ...deltas(1, 3, "b"), ...deltas(2, 4, "a")]);
    expect(readJsonl(text).events).toEqual([
      ...deltas(1, 3, "a"),
      ...deltas(1, 3, "b"),
      ...deltas(4, 4, "a"),
    ]);
  });

  test("are dropped if they arrive late", () => {
    expect(readJsonl(toJsonl([delta(1), delta(4), delta(2), delta(5)]))).toMatchObject({
      events: [delta(1), delta(4), delta(5)],
      dropped: 1,
    });
  });
});

describe("JsonlReader", () => {
  const odd = fc.array(fc.constantFrom(...LINES, "", "{oops", "😀", "\r", LINES[0]?.slice(0, 9) ?? ""), {
    maxLength: 8,
  });

  test(
    "gives the same result for any split of the text or of its bytes",
    () => {
      fc.assert(
        fc.property(odd, fc.boolean(), fc.array(fc.nat(), { maxLength: 10 }), (lines, isEnded, cuts) => {
          const text = lines.join("\n") + (isEnded ? "\n" : "");
          const whole = readJsonl(text);
          expect(readPieces(cutAt(text, cuts))).toEqual(whole);
          const ofBytes = readPieces(cutAt(bytesOf(text), cuts));
          expect(ofBytes).toEqual({ ...whole, end: bytesOf(text.slice(0, whole.end)).length });
        }),
        runs(500),
      );
    },
    PATIENCE,
  );

  test("gives an event as soon as its line ends", () => {
    const reader = new JsonlReader();
    const line = toJsonl([delta(1)]);
    expect(reader.push(line.slice(0, -1))).toEqual([]);
    expect(reader.push("\n")).toEqual([delta(1)]);
    expect(reader.push(line)).toEqual([]);
    expect(reader.dropped).toBe(1);
  });

  test("keeps no reference to the bytes of a piece", () => {
    const reader = new JsonlReader();
    const line = bytesOf(toJsonl([delta(1)]));
    const buffer = line.slice(0, 30);
    reader.push(buffer);
    buffer.fill(0);
    expect(reader.push(line.slice(30))).toEqual([delta(1)]);
  });

  test("skips a line that is too long, without buffering it", () => {
    for (const encode of [(text: string) => text, bytesOf]) {
      const reader = new JsonlReader({ maxLineLength: 1_000 });
      reader.push(encode(toJsonl([delta(1)])));
      for (let n = 0; n < 10; n++) expect(reader.push(encode("x".repeat(300)))).toEqual([]);
      expect(reader.push(encode(`x\n${toJsonl([delta(2)])}`))).toEqual([delta(2)]);
      expect(reader.problems).toEqual([{ line: 2, message: "it is longer than 1000" }]);
    }
  });

  test("reports a last line that is too long as cut off", () => {
    const reader = new JsonlReader({ maxLineLength: 10 });
    reader.push("\n\n");
    reader.push("x".repeat(11));
    expect(reader.end()).toEqual({ events: [], complete: false, end: 2, separator: "" });
  });

  test.each([
    ["strings mixed with bytes", () => pushed("a", bytesOf("a")), /both texts and bytes/],
    ["another value", () => pushed(Object(5)), /the piece is an object/],
    [
      "an option that does not exist",
      () => new JsonlReader({ maxLineLenght: 5 } as object),
      /Did you mean `maxLineLength`/,
    ],
  ])("refuses %s", (_name, call, message) => {
    expect(call).toThrow(InvalidInputError);
    expect(call).toThrow(message);
  });

  test("copies a line that arrives in many pieces only once", () => {
    const perCharacter = (length: number): number => {
      const line = toJsonl([delta(1, "x".repeat(length))]);
      const pieces = line.match(/.{1,10}|\n/gs) ?? [];
      return workOf(() => void readPieces(pieces)) / line.length;
    };
    expect(perCharacter(100_000)).toBeLessThan(perCharacter(10_000) * 1.2);
  });
});

function pushed(...pieces: readonly (string | Uint8Array)[]): void {
  const reader = new JsonlReader();
  for (const piece of pieces) reader.push(piece);
}

describe("a line of deltas", () => {
  const MARK = markOf("ses_1", 3);
  const MISSING = "it goes on with a delta that is missing";
  const NONE = "it is no line of deltas";

  test("continues after the last delta of its session, even with other lines in between", () => {
    const text = `${toJsonl([delta(2, "b"), delta(7, "x", "ses_2")])}[${MARK},"c",0,"d",1500]\n[${markOf("ses_1", 5)},"e",-1]\n`;
    const { events, problems } = readJsonl(text);
    expect(problems).toEqual([]);
    expect(events.slice(2)).toEqual([
      delta(3, "c"),
      { ...delta(4, "d"), time: "2026-02-10T09:00:01.500Z" },
      { ...delta(5, "e"), time: "2026-02-10T09:00:01.499Z" },
    ]);
    expect(readPieces([bytesOf(text)]).events).toEqual(events);
  });

  test("is dropped and counted if it repeats", () => {
    const text = `${toJsonl([delta(2)])}[${MARK},"c",0,"d",0]\n`;
    expect(readJsonl(text + text)).toMatchObject({ events: { length: 3 }, problems: [], dropped: 3 });
  });

  test.each([
    ["without a delta before it", "", `[${MARK},"c",0]`, MISSING],
    ["with the mark of another event", toJsonl([delta(2)]), `[${MARK + 1},"c",0]`, MISSING],
    ["without a mark", toJsonl([delta(2)]), "[]", MISSING],
    ["without a time", toJsonl([delta(2)]), `[${MARK},"c"]`, NONE],
    ["with a time of half a millisecond", toJsonl([delta(2)]), `[${MARK},"c",0.5]`, NONE],
    ["with a time out of range", toJsonl([delta(2)]), `[${MARK},"c",1e15]`, NONE],
    ["with a delta that is not a string", toJsonl([delta(2)]), `[${MARK},"c",0,7,0]`, NONE],
  ])("%s is a problem and gives no event", (_title, before, line, message) => {
    const { events, problems } = readJsonl(`${before}${line}\n`);
    expect(events).toHaveLength(before === "" ? 0 : 1);
    expect(problems).toEqual([{ line: before === "" ? 1 : 2, message }]);
  });
});
