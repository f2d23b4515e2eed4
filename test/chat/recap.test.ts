import { expect, test } from "vitest";
import { messageOf, readPrompt } from "../../src/chat/prompt.ts";
import { recapOf } from "../../src/chat/saving/recap.ts";
import { listOf } from "../../src/universal/transcript/list.ts";

const said = (text: string) => ({ ...messageOf("m", readPrompt(text), 0), status: "sent" as const });

test("the recap of no messages is empty", () => {
  expect(recapOf(listOf([]))).toBe("");
});

test("the recap leaves out prompts that were never sent", () => {
  const waiting = messageOf("m1", readPrompt("Waiting"), 0);
  const failed = { ...waiting, status: "failed" as const };
  expect(recapOf(listOf([waiting, failed]))).toBe("");
});

test("a text that is too long is cut at its start, never within a character", () => {
  const recap = recapOf(listOf([said("too old"), said("😀😀😀")]), 5);
  expect(recap).toContain("User: [...] 😀😀\n");
  expect(recap).not.toContain("too old");
});
