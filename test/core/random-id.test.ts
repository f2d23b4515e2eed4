import { expect, test, vi } from "vitest";
import { randomId } from "../../src/core/random-id.ts";

test("a random id is its prefix and 128 bits in hex", () => {
  expect(randomId("prompt")).toMatch(/^prompt-[0-9a-f]{32}$/);
});

test("a random id keeps leading zeros", () => {
  const spy = vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => array);
  try {
    expect(randomId("a")).toBe(`a-${"0".repeat(32)}`);
  } finally {
    spy.mockRestore();
  }
});

test("ten thousand random ids are all different", () => {
  expect(new Set(Array.from({ length: 10_000 }, () => randomId("p"))).size).toBe(10_000);
});
