import { describe, expect, test } from "vitest";
import type { Figure } from "../../bench/cases/figure.ts";
import { limitOf, plainTable, readResults, renderResults } from "../../bench/results.ts";
import { framesOf } from "../../bench/server/shapes.ts";
import { countElementMoves } from "../../bench/support/element-moves.ts";
import { HeadQueue } from "../../bench/support/head-queue.ts";
import { median } from "../../bench/support/numbers.ts";
import { Sink } from "../../bench/support/sink.ts";

const ratio: Figure = {
  name: "chunk",
  about: "cost of a `chunk`",
  unit: "x",
  bar: 1.6,
  aim: 1.35,
  measured: 1.523456,
  peers: { "graphql-ws": 2.1 },
};
const growth: Figure = { name: "growth", about: "growth", unit: "kB", bar: 200, measured: 250, noise: 100 };

const quiet = { before: 0.2, after: 1.94, most: 2.1 };
const machine = { cpu: "A CPU", cores: 2, node: "24.0.0", versions: { ws: "8.0.0" }, date: "2000-01-01" };

describe("the page of results", () => {
  const page = renderResults([ratio, growth], machine, quiet);

  test("contains the measured figures, which can be read back", () => {
    expect(readResults(page)).toEqual({ chunk: 1.523, growth: 250 });
  });

  test("shows which figures meet their limit and which miss it, beside the peers' figures", () => {
    expect(page).toContain("| cost of a `chunk` | 1.60x | 1.35x | 1.52x | holds | graphql-ws 2.10x |");
    expect(page).toContain("| growth | 200 kB |  | 250 kB | MISSED |  |");
    expect(page).toContain("1 of 2 figures hold their bar");
    expect(plainTable([ratio])).toMatch(
      /^figure .*\ncost of a chunk +1\.60x +1\.35x +1\.52x +holds {2}graphql-ws 2\.10x$/,
    );
  });

  test("shows the machine's load, and says when the machine was not quiet", () => {
    expect(page).toContain("ws 8.0.0; load average 0.2 before, 1.9 after, 2.1 at most.");
    for (const busy of [
      { ...quiet, before: 1 },
      { ...quiet, most: 5 },
    ])
      expect(renderResults([ratio], machine, busy)).toMatch(/ at most: THE MACHINE WAS NOT QUIET\.$/m);
  });

  test("without figures is refused with the command that writes them", () => {
    expect(() => readResults("# Results")).toThrow("npm run bench -- --write");
  });
});

test("a figure's limit is 1.5 times its last value, or the last value plus its noise; zero stays zero", () => {
  const before = { chunk: 1.5, growth: 10, moves: 0 };
  expect(limitOf(ratio, before)).toBe(2.25);
  expect(limitOf(growth, before)).toBe(110);
  expect(limitOf({ ...growth, name: "moves", noise: 0 }, before)).toBe(0);
  expect(limitOf({ ...ratio, name: "new" }, before)).toBeUndefined();
});

test("the median of an even number of values is the mean of the middle two", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([9, 1, 5])).toBe(5);
  expect(() => median([])).toThrow(RangeError);
});

describe("counting moved array elements", () => {
  test("counts shifts and splices, but not of listeners or bytes", async () => {
    const moves = await countElementMoves(async () => {
      [1, 2, 3].shift();
      [() => {}, () => {}].shift();
      [Buffer.from("a"), Buffer.from("b")].shift();
      [1, 2, 3].splice(0, 1);
    });
    expect(moves).toBe(4);
    expect(await countElementMoves(async () => {})).toBe(0);
  });

  test("restores the array methods, also after an error", async () => {
    const { shift } = Array.prototype;
    await expect(countElementMoves(() => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
    expect(Array.prototype.shift).toBe(shift);
  });
});

test("the plain queue yields pushed values in order, before and after a reader waits", async () => {
  const queue = new HeadQueue<number>();
  queue.push(1);
  queue.push(2);
  const read: number[] = [];
  const reading = (async () => {
    for await (const value of queue) read.push(value);
  })();
  await new Promise((resolve) => setImmediate(resolve));
  queue.push(3);
  queue.push(4);
  queue.end();
  await reading;
  expect(read).toEqual([1, 2, 3, 4]);
});

describe("the sink of a reader", () => {
  const sinkWith = (texts: readonly string[], compares = false): Sink => {
    const sink = new Sink(5, ["ab", "c", "d"], { compares });
    for (const text of texts) sink.take(text);
    return sink;
  };

  test("accepts the texts again and again, in any order", async () => {
    const sink = sinkWith(["c", "ab", "d", "ab", "c"], true);
    await sink.done;
    expect(() => sink.check("reader")).not.toThrow();
  });

  test("refuses a text that is missing, cut or, when it compares, another one", () => {
    expect(() => sinkWith(["ab", "c", "d", "ab"]).check("reader")).toThrow("reader: 1 of 5 chunks");
    expect(() => sinkWith(["a", "c", "d", "ab", "c"]).check("reader")).toThrow("did not come");
    expect(() => sinkWith(["ab", "c", "c", "ab", "c"]).check("reader")).not.toThrow();
    expect(() => sinkWith(["ab", "c", "c", "ab", "c"], true).check("reader")).toThrow(
      '3 of 2 times came "c"',
    );
  });
});

test.each([
  ["plain", '{"type":"action","data":{"type":"response-chunk","userInputId":"p","chunk":"def step_0(value)'],
  [
    "escapes",
    '{"type": "action", "data": {"type": "response-chunk", "userInputId": "p", "chunk": "0. F\\u00fcr',
  ],
  ["non-ascii", '{"type":"action","data":{"type":"response-chunk","userInputId":"p","chunk":"0. Für'],
])("frames of the shape `%s` hold their texts as the server writes them", (shape, start) => {
  const frames = framesOf(shape, "p", 600);
  expect(frames).toHaveLength(512);
  expect(frames[0]?.json.startsWith(start)).toBe(true);
  for (const { json, text } of frames) expect(JSON.parse(json).data.chunk).toBe(text);
});
