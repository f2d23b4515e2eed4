import { describe, expect, test } from "vitest";
import { UsageCount } from "../../src/codey/usage.ts";

const told = (output_tokens: number) => ({
  output_tokens,
  context_tokens: 110,
  cache_creation_tokens: 3,
  cache_read_tokens: 7,
});

describe("the usage of a turn", () => {
  test("is the growth of the session's count, and the last request's input as reported", () => {
    const count = new UsageCount();
    expect(count.take(told(12))).toEqual({
      usage: {
        outputTokens: 12,
        totalOutputTokens: 12,
        contextTokens: 110,
        cacheCreationTokens: 3,
        cacheReadTokens: 7,
      },
      odd: false,
    });
    expect(count.take(told(30)).usage).toMatchObject({ outputTokens: 18, totalOutputTokens: 30 });
    expect(count.take(told(30))).toMatchObject({ usage: { outputTokens: 0 }, odd: false });
  });

  test("is inexact after a turn without usage, and exact again after that", () => {
    const count = new UsageCount();
    count.take(told(10));
    count.missed();
    count.missed();
    expect(count.take(told(25)).usage).toMatchObject({ outputTokens: 15, inexact: true });
    expect(count.take(told(30)).usage).not.toHaveProperty("inexact");
  });

  test("is the raw count if the count goes down, and is never negative", () => {
    const count = new UsageCount();
    count.take(told(10));
    expect(count.take(told(4))).toMatchObject({
      usage: { outputTokens: 4, totalOutputTokens: 4 },
      odd: true,
    });
    expect(count.take(told(6))).toMatchObject({ usage: { outputTokens: 2 }, odd: false });
  });
});
