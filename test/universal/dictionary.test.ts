import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Dictionary, emptyDictionary } from "../../src/universal/transcript/dictionary.ts";
import { runs } from "../helpers/runs.ts";
import { newSlots } from "./support/slots.ts";

/** Keys that are starts of each other, differ in one bit, or are empty. */
const key = fc.oneof(
  fc.constantFrom("", "a", "aa", "aaa", "b", "\0", "\0\0", "\uffff", "itm_1", "itm_10", "itm_2", "__proto__"),
  fc.string({ maxLength: 3 }),
);

const change = fc.record({ key, value: fc.option(fc.nat(3), { nil: null, freq: 3 }) });

describe("a dictionary", () => {
  test("behaves like a Map for any keys, and no change alters an earlier version", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        let dictionary = emptyDictionary<number>();
        const model = new Map<string, number>();
        const history: (readonly [Dictionary<number>, ReadonlyMap<string, number>])[] = [];
        for (const { key, value } of changes) {
          dictionary = value === null ? dictionary.without(key) : dictionary.with(key, value);
          if (value === null) model.delete(key);
          else model.set(key, value);
          history.push([dictionary, new Map(model)]);
        }
        for (const [each, expected] of history) {
          expect(each.size).toBe(expected.size);
          for (const { key } of changes) expect(each.get(key)).toBe(expected.get(key));
          const sorted = [...expected].toSorted(([one], [other]) => (one < other ? -1 : 1));
          expect([...each]).toEqual(sorted.map(([, value]) => value));
        }
      }),
      runs(1_000),
    );
  });

  test("stays the same object when nothing changes", () => {
    const one = emptyDictionary<number>().with("a", 1);
    expect(one.with("a", 1)).toBe(one);
    expect(one.without("b")).toBe(one);
    expect(one.without("a")).toBe(emptyDictionary());
  });

  test("copies only a few branches per change, however many keys it has", () => {
    const slots = newSlots();
    let dictionary = emptyDictionary<number>();
    let most = 0;
    for (let at = 1; at <= 100_000; at++) {
      dictionary = dictionary.with(`itm_${at}`, at);
      if (at < 99_000) continue;
      const made = slots(dictionary);
      if (at > 99_000) most = Math.max(most, made);
    }
    // The five digits of a number differ in at most four bits each, or in their length: 25 branches of 4 fields.
    expect(most).toBeLessThanOrEqual(25 * 4 + 5);
    expect(slots(dictionary.without("itm_77777"))).toBeLessThanOrEqual(most);
  });

  test("is at most as deep as its longest key", () => {
    let dictionary = emptyDictionary<number>();
    const length = 1_000;
    for (let at = 0; at <= length; at++) dictionary = dictionary.with("x".repeat(at), at);
    for (let at = 0; at <= length; at++) expect(dictionary.get("x".repeat(at))).toBe(at);
    expect(dictionary.with("x".repeat(length), -1).get("x".repeat(length))).toBe(-1);
  });
});
