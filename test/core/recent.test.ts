import { expect, test } from "vitest";
import { Recent } from "../../src/core/recent.ts";

test("`Recent` keeps as many entries as its limit, and drops the oldest first", () => {
  const recent = new Recent<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("c", 3);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([undefined, 2, 3]);
  expect([...recent.keys()]).toEqual(["b", "c"]);
});

test("`Recent` moves a key that is set again to the end, without a second entry", () => {
  const recent = new Recent<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("a", 3);
  recent.set("c", 4);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([3, undefined, 4]);
});
