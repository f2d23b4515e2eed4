import { expect, test, vi } from "vitest";
import { randomId } from "../../src/core/random-id.ts";

test("a random id is its prefix and 128 bits in hex, most of them random", () => {
  expect(randomId("prompt")).toMatch(/^prompt-[0-9a-f]{32}$/);
});

test("a platform without `randomUUID` makes ids of random bytes, with their leading zeros", () => {
  vi.stubGlobal("crypto", { getRandomValues: (array: Uint8Array) => array });
  try {
    expect(randomId("a")).toBe(`a-${"0".repeat(32)}`);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("ten thousand random ids are all different", () => {
  expect(new Set(Array.from({ length: 10_000 }, () => randomId("p"))).size).toBe(10_000);
});
