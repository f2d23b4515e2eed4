import { expect, test } from "vitest";
import { messageOf, readPrompt } from "../../src/chat/prompt.ts";
import { recapOf } from "../../src/chat/saving/recap.ts";
import { listOf } from "../../src/universal/transcript/list.ts";

const said = (text: string) => ({ ...messageOf("m", readPrompt(text), 0), status: "sent" as const });

test("a recap of nothing is nothing", () => {
  expect(recapOf(listOf([]))).toBe("");
});

test("prompts that never left are no part of it", () => {
  const waiting = messageOf("m1", readPrompt("Waiting"), 0);
  const failed = { ...waiting, status: "failed" as const };
  expect(recapOf(listOf([waiting, failed]))).toBe("");
});

test("a text that does not fit is cut at its front, and never inside of a character", () => {
  const recap = recapOf(listOf([said("too old"), said("😀😀😀")]), 5);
  expect(recap).toContain("User: [...] 😀😀\n");
  expect(recap).not.toContain("too old");
});
