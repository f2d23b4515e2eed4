import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAgentwireError } from "../../src/core/errors.ts";
import { emptyDictionary } from "../../src/universal/transcript/dictionary.ts";
import {
  append,
  differences,
  emptyList,
  type List,
  listOf,
  removeLast,
  replace,
} from "../../src/universal/transcript/list.ts";
import { callsDuring } from "../core/support/costs.ts";
import { runs } from "../helpers/runs.ts";
import { newSlots } from "./support/slots.ts";

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

type Call =
  | { readonly do: "append"; readonly times: number }
  | { readonly do: "replace"; readonly at: number }
  | { readonly do: "removeLast"; readonly times: number };

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("append" as const), times: fc.nat(1_100) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("replace" as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("removeLast" as const), times: fc.nat(700) }) },
);

test("a list behaves like a plain array for any calls, and no call changes an earlier list", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
      let list = emptyList<number>();
      let model: readonly number[] = [];
      let next = 0;
      const history: (readonly [List<number>, readonly number[]])[] = [];
      for (const call of calls) {
        switch (call.do) {
          case "append":
            for (let time = 0; time < call.times; time++) list = append(list, next + time);
            model = [...model, ...range(call.times).map((time) => next + time)];
            next += call.times;
            break;
          case "replace":
            if (model.length === 0) break;
            list = replace(list, call.at % model.length, -1);
            model = model.with(call.at % model.length, -1);
            break;
          case "removeLast":
            for (let time = 0; time < call.times; time++) list = removeLast(list);
            model = model.slice(0, Math.max(0, model.length - call.times));
            break;
        }
        history.push([list, model]);
      }
      for (const [each, expected] of history) {
        expect(each.length).toBe(expected.length);
        expect([...each]).toEqual(expected);
        expect(range(expected.length).map((index) => each.at(index))).toEqual(expected);
        expect(each).toEqual(listOf(expected));
        expect(differences(each, list)).toEqual(
          range(Math.min(each.length, list.length)).filter((at) => expected[at] !== model[at]),
        );
      }
    }),
    runs(100),
  );
});

describe("a list", () => {
  test("counts negative positions from its end, and gives undefined outside", () => {
    const list = listOf(range(100));
    expect(list.at(-1)).toBe(99);
    expect(list.at(-100)).toBe(0);
    for (const outside of [100, -101]) expect(list.at(outside)).toBeUndefined();
  });

  test("refuses to replace an entry that does not exist", () => {
    const list = listOf(range(100));
    expect(replace(list, -1, 7).at(99)).toBe(7);
    for (const outside of [100, -101, 1.5, Number.NaN]) {
      expect(() => replace(list, outside, 0)).toThrow(
        expect.toSatisfy((error) => isAgentwireError(error, "invalid-input")),
      );
    }
  });

  test("stays the same object when nothing changes", () => {
    const list = listOf(range(100));
    expect(replace(list, 3, 3)).toBe(list);
    expect(listOf(list)).toBe(list);
    expect(listOf([])).toBe(emptyList());
    expect(removeLast(emptyList())).toBe(emptyList());
    expect(removeLast(listOf([1]))).toBe(emptyList());
  });

  test("returns the same array from each `toArray()`, and is that array in JSON", () => {
    const list = listOf(range(100));
    expect(list.toArray()).toBe(list.toArray());
    expect(JSON.stringify({ list })).toBe(JSON.stringify({ list: range(100) }));
  });

  test("maps its entries with their positions", () => {
    expect(listOf(range(40)).map((value, index) => value + index)).toEqual(
      range(40).map((value) => 2 * value),
    );
  });

  test("can hold undefined", () => {
    const list = append(append(emptyList<number | undefined>(), undefined), 1);
    expect([...replace(list, 1, undefined)]).toEqual([undefined, undefined]);
  });
});

describe("the entries that a change copies", () => {
  /** The list itself, its tree, and for each of four levels a node with at most 32 entries. */
  const MOST = 8 + 4 * (32 + 4);

  test("are at most one path of the tree, anywhere in 100,000 entries", () => {
    const list = listOf(range(100_000));
    const slots = newSlots();
    slots(list);
    for (let place = 0; place < 100_000; place += 997) {
      expect(slots(replace(list, place, -1)), `replace ${place}`).toBeLessThanOrEqual(MOST);
    }
    expect(slots(removeLast(list)), "removeLast").toBeLessThanOrEqual(MOST);
  });

  test("are found with the comparisons of one path, anywhere in 100,000 entries", () => {
    const list = listOf(range(100_000));
    for (let place = 0; place < 100_000; place += 997) {
      const changed = append(replace(list, place, -1), 1);
      const compared = callsDuring(Object, ["is"], () => differences(list, changed));
      expect(compared, `replace ${place}`).toBeLessThanOrEqual(MOST);
    }
    expect(callsDuring(Object, ["is"], () => differences(emptyList(), list))).toBeLessThanOrEqual(MOST);
  });

  test("are as few for append 100,000 as for the first one", () => {
    const slots = newSlots();
    const costs = (length: number) => {
      let list = listOf(range(length));
      slots(list);
      return range(2_000).map((value) => {
        list = append(list, value);
        return slots(list);
      });
    };
    for (const length of [0, 98_000]) {
      const each = costs(length);
      expect(Math.max(...each), `after ${length}`).toBeLessThanOrEqual(MOST);
      expect(each.reduce((sum, cost) => sum + cost, 0) / each.length, `after ${length}`).toBeLessThan(32);
    }
  });
});

test("`console.log` shows the entries of a list instead of its internals", () => {
  expect(inspect(listOf(["a", "b"]))).toBe("[ 'a', 'b' ]");
  expect(inspect({ pending: emptyDictionary<string>().with("k", "v") })).toBe("{ pending: [ 'v' ] }");
});
