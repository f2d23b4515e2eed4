import type { ErrorCode } from "agentwire";
import { expect } from "vitest";

/** An error with this code, whose message has these words. For `toThrow` and other matchers. */
export const errorSaying = (code: ErrorCode, words: RegExp): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(words) });
