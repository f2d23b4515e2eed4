import { expect, test } from "vitest";
import { Recent } from "../../src/core/recent.ts";

test("remembers as many as its limit, and forgets the oldest first", () => {
  const recent = new Recent<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("c", 3);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([undefined, 2, 3]);
  expect([...recent.keys()]).toEqual(["b", "c"]);
});

test("a key that is set again counts as new, and takes no second place", () => {
  const recent = new Recent<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("a", 3);
  recent.set("c", 4);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([3, undefined, 4]);
});
