import { readFile } from "node:fs/promises";
import type { FakeCodebuffScenario } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { played } from "./fake.ts";

/** What the real CLI was started with and what it said: `test/fixtures/codebuff-cli`. */
const capture = z.object({
  args: z.array(z.string()),
  code: z.number(),
  stdout: z.string(),
  stderr: z.string(),
});

/** What its agent did behind `json` and `plain`. */
const LOOKING: FakeCodebuffScenario["events"] = [
  { type: "start", model: "openai/gpt-5-mini", messageHistoryLength: 0 },
  { type: "text", text: "Looking. " },
  {
    type: "tool_call",
    toolCallId: "c0",
    toolName: "read_files",
    input: { paths: ["a.txt"] },
    agentId: "main-agent",
  },
  {
    type: "tool_result",
    toolCallId: "c0",
    toolName: "read_files",
    output: [{ type: "json", value: [{ path: "a.txt", content: "hello\n", referencedBy: {} }] }],
  },
  { type: "text", text: "Done." },
  { type: "finish", agentId: "tester", totalCost: 10 },
];

describe("the captured output of the fork", () => {
  test.each<[string, FakeCodebuffScenario]>([
    ["json", { events: LOOKING }],
    ["plain", { events: LOOKING }],
    ["no-key", { requireKey: true }],
    ["unknown-flag", {}],
  ])("is reproduced byte for byte: %s", async (name, scenario) => {
    const url = new URL(`../../fixtures/codebuff-cli/${name}.json`, import.meta.url);
    const { args, ...said } = capture.parse(JSON.parse(await readFile(url, "utf8")));

    const { stdout, stderr, code } = await played({ profile: "fork", ...scenario }, args);

    expect({ stdout, stderr, code }).toEqual(said);
  });
});
