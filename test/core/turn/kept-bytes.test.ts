import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keptBytes, mostBytes } from "../../../src/core/turn/kept-bytes.ts";
import { runs } from "../../helpers/runs.ts";

const ALL = Number.POSITIVE_INFINITY;

describe("the estimated memory of a buffered event", () => {
  // Measured with `process.memoryUsage()`, node --expose-gc, per event, over 400 parsed ones (the first: 200,000).
  test.each<{ what: string; text: string; measured: number }>([
    {
      what: "a chunk",
      text: '{"type":"response-chunk","userInputId":"prompt-0123456789abcdef0123456789abcdef","chunk":"word "}',
      measured: 218,
    },
    { what: "a tiny object", text: '{"type":"x"}', measured: 82 },
    { what: "empty objects", text: list("{}"), measured: 64_166 },
    { what: "empty lists", text: list("[]"), measured: 40_166 },
    { what: "small numbers", text: list("7"), measured: 8_167 },
    { what: "text", text: `{"text":"${"x".repeat(1_000)}"}`, measured: 1_151 },
    { what: "text that is not Latin", text: `{"text":"${"字".repeat(1_000)}"}`, measured: 2_151 },
    {
      what: "a record of 1,000 names",
      text: `{${Array.from({ length: 1_000 }, (_, at) => `"k${at}-100":1`).join()}}`,
      measured: 73_329,
    },
  ])("is at least the measured one, and at most 3 times it: $what", ({ text, measured }) => {
    const bytes = keptBytes(JSON.parse(text), ALL);
    expect(bytes).toBeGreaterThanOrEqual(measured * 0.95);
    expect(bytes).toBeLessThanOrEqual(measured * 3);
  });

  test("includes typed arrays, and is never 0", () => {
    expect(keptBytes({ audio: new Uint8Array(1_000) }, ALL)).toBeGreaterThan(1_000);
    for (const value of [undefined, null, true, 0, ""]) expect(keptBytes(value, ALL)).toBeGreaterThan(0);
  });

  test.each([
    list("{}"),
    list("[]"),
    list('""'),
    list("1.5"),
    '{"a":"x"}',
    `{"text":"${"字".repeat(1_000)}"}`,
  ])("is below the maximum for its number of characters: %#", (text) => {
    const value: unknown = JSON.parse(text);
    expect(keptBytes({ event: value, text }, ALL)).toBeLessThan(mostBytes(text.length));
  });

  test("counts a text once if two fields share it, but each text in a list", () => {
    const text = "x".repeat(1_000);
    const once = keptBytes({ chunk: text }, ALL);
    expect(keptBytes({ chunk: text, text }, ALL)).toBe(once);
    expect(keptBytes({ list: Array(100).fill(text) }, ALL)).toBeGreaterThan(99 * text.length);
  });

  test("counts the third of equal texts, wherever it is", () => {
    const text = "x".repeat(1_000);
    const once = keptBytes({ chunk: text }, ALL);
    const twice = once + 1_000;
    expect(keptBytes({ chunk: text, text, more: text }, ALL)).toBeGreaterThan(twice);
    expect(keptBytes([text, text], ALL)).toBeLessThan(keptBytes([text], ALL) + 100);
    expect(keptBytes([text, text, text], ALL)).toBeGreaterThan(keptBytes([text, text], ALL) + 1_000);
  });

  test("counts a text before an undefined value", () => {
    expect(keptBytes(["x".repeat(1_000), undefined], ALL)).toBeGreaterThan(1_000);
  });

  test.each([
    { number: -5, bytes: 0 },
    { number: 2 ** 31 - 1, bytes: 0 },
    { number: 2 ** 31, bytes: 16 },
    { number: -(2 ** 31), bytes: 16 },
    { number: 1.5, bytes: 16 },
  ])("has $bytes bytes for $number besides its slot", ({ number, bytes }) => {
    expect(keptBytes([number], ALL) - keptBytes([1], ALL)).toBe(bytes);
    expect(keptBytes({ number }, ALL) - keptBytes({ number: 1 }, ALL)).toBe(bytes);
  });

  test.each([true, false, null])("has nothing for %s besides its slot", (value) => {
    expect(keptBytes([value, value], ALL)).toBe(keptBytes([1, 1], ALL));
    expect(keptBytes({ value }, ALL)).toBe(keptBytes({ value: 1 }, ALL));
  });

  test("counts a typed array by its bytes, not by its fields", () => {
    expect(keptBytes({ audio: new Uint8Array(1_000) }, ALL)).toBeLessThan(1_200);
  });

  test("counts the field names of objects with more than 32 fields only", () => {
    const named = (count: number, last: unknown): number =>
      keptBytes(Object.fromEntries(Array.from({ length: count }, (_, at) => [`name-${at + 10}`, last])), ALL);
    const perField = named(32, 1) - named(31, 1);
    const emptyList = keptBytes([[]], ALL) - keptBytes([1], ALL);
    expect(named(33, 1)).toBe(named(32, 1) + perField + 64 + "name-42".length);
    expect(named(32, [])).toBe(named(32, 1) + 32 * emptyList);
  });

  test("does not decrease if values are added", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(keptBytes([a, b], ALL)).toBeGreaterThanOrEqual(keptBytes([a], ALL));
        expect(keptBytes({ a, b }, ALL)).toBeGreaterThanOrEqual(keptBytes({ a }, ALL));
      }),
      runs(200),
    );
  });

  test("is computed without recursion, and stops at the limit", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(keptBytes(deep, ALL)).toBeGreaterThan(100_000);
    const endless: unknown[] = [];
    endless.push(endless, endless);
    expect(keptBytes(endless, 10_000)).toBeLessThan(11_000);
  });
});

function list(item: string): string {
  return `{"a":[${Array(1_000).fill(item).join()}]}`;
}
