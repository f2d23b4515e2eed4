import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GrowingText } from "../../src/core/text.ts";
import { runs } from "../helpers/runs.ts";

const ENOUGH = 1_000_000;

describe("GrowingText", () => {
  test("returns all pieces in order, whenever it is read", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.boolean()), { maxLength: 120 }), (steps) => {
        const text = new GrowingText(ENOUGH);
        let model = "";
        for (const [piece, isRead] of steps) {
          text.add(piece);
          model += piece;
          if (isRead) expect(text.value).toBe(model);
        }
        expect(text.value).toBe(model);
        expect(text.truncated).toBe(false);
      }),
      runs(100),
    );
  });

  test("accepts pieces up to its limit in bytes, and nothing after the limit is exceeded", () => {
    const text = new GrowingText(6);
    text.add("aé");
    text.add("日");
    expect([text.value, text.truncated]).toEqual(["aé日", false]);
    text.add("b");
    text.add("");
    expect([text.value, text.truncated]).toEqual(["aé日", true]);
  });

  test("drops pieces after one that was truncated, even if they would fit", () => {
    const text = new GrowingText(6);
    text.add("a");
    text.add("far too much");
    text.add("b");
    expect([text.value, text.truncated]).toEqual(["afar t", true]);
  });

  test("truncates a piece at a whole character", () => {
    const text = new GrowingText(6);
    text.add("日👋👋");
    expect([text.value, text.truncated]).toEqual(["日", true]);
  });

  test("counts a long piece before many short ones", () => {
    const text = new GrowingText(30);
    text.add("x".repeat(12));
    for (let piece = 0; piece < 20; piece++) text.add("y");
    expect([text.value, text.truncated]).toEqual([`${"x".repeat(12)}${"y".repeat(18)}`, true]);
  });

  test("counts text that was already joined", () => {
    const text = new GrowingText(100);
    for (let piece = 0; piece < 110; piece++) text.add("x");
    expect([text.value.length, text.truncated]).toEqual([100, true]);
  });
});
