import { describe, expect, test } from "vitest";
import { Recent } from "../../src/core/recent.ts";

const known = (recent: Recent<number>, values: readonly number[]) =>
  values.filter((value) => recent.has(value));

describe("Recent", () => {
  test("remembers the last values up to its limit and forgets the oldest", () => {
    const recent = new Recent<number>(3);
    for (const value of [1, 2, 3, 4, 5]) recent.add(value);
    expect(known(recent, [1, 2, 3, 4, 5, 6])).toEqual([3, 4, 5]);
  });

  test("a value that is added again counts as new, and takes one place", () => {
    const recent = new Recent<number>(3);
    for (const value of [1, 2, 3, 1, 1, 4]) recent.add(value);
    expect(known(recent, [1, 2, 3, 4])).toEqual([1, 3, 4]);
  });

  test("a limit of 0 remembers nothing", () => {
    const recent = new Recent<number>(0);
    recent.add(1);
    expect(recent.has(1)).toBe(false);
  });
});
