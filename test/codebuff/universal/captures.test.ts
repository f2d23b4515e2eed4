import { CodebuffClient, type CodebuffClientOptions, toUniversal } from "agentwire/codebuff";
import { ManualClock, Replayer, type ReplayerOptions } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { json } from "../../helpers/codebuff-requests.ts";
import { allOf } from "../../universal/all-of.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { expectInvariants } from "../../universal/invariants.ts";

/** The universal events of one prompt to a recorded server. */
async function play(
  file: string,
  options: Partial<CodebuffClientOptions> = {},
  replay: ReplayerOptions = {},
): Promise<readonly UniversalEvent[]> {
  await using replayer = await Replayer.start(
    { file: new URL(`../../fixtures/${file}`, import.meta.url) },
    replay,
  );
  const clock = new ManualClock();
  await using client = new CodebuffClient({ url: replayer.url, clock, settleWindow: 0, ...options });
  const turn = client.prompt("hi", { read: false });
  const events = await allOf(toUniversal(turn, goldenOptions()));
  expectInvariants(events);
  return events;
}

const text = (events: readonly UniversalEvent[]): string =>
  events.flatMap((event) => (event.type === "item.delta" ? [event.data.delta] : [])).join("");

const end = (events: readonly UniversalEvent[]) => {
  const last = events.at(-1);
  return last?.type === "turn.ended" ? last.data.metadata.status : undefined;
};

describe("a capture of the real proxy gives a valid transcript", () => {
  test.each([
    ["06-prompt-ok", "Hello, world é😀", "completed"],
    ["07-prompt-ok-dict-chunks", undefined, "completed"],
    ["09-prompt-empty-stream", "", "completed"],
    ["11-prompt-error-call", "", "failed"],
    ["12-prompt-error-midstream", undefined, "failed"],
    ["44-content-image-text-system", undefined, "completed"],
    ["f2-prompt-openai-gpt4", undefined, "completed"],
  ] as const)("%s", async (name, said, status) => {
    const events = await play(`codebuff-proxy/${name}.jsonl`);
    expect(end(events)).toBe(status);
    if (said !== undefined) expect(text(events)).toBe(said);
  });
});

describe("a capture of the original server gives a valid transcript", () => {
  const ORIGINAL: Partial<CodebuffClientOptions> = {
    profile: "codebuff",
    tools: { "*": () => json({ done: true }) },
    onReadFiles: () => ({ "a.txt": "hello\n" }),
  };

  test("basic: the text once, a sub-agent, files, tools and the cost", async () => {
    const events = await play("codebuff-ws-sdk/basic.frames.jsonl", ORIGINAL, { connections: [1] });
    expect(text(events)).toBe("Hellosub");
    const items = events.flatMap((event) => (event.type === "item.completed" ? [event.data.item] : []));
    const calls = items.filter(({ kind }) => kind === "tool_call").map(({ content: [part] }) => part);
    expect(calls).toMatchObject(
      ["read_files", "write_file", "run_terminal_command", "get_weather", "str_replace", "browser_logs"].map(
        (name) => ({ name }),
      ),
    );
    expect(items.filter(({ kind }) => kind === "tool_result")).toHaveLength(calls.length);
    expect(items.filter(({ kind }) => kind === "status")).toMatchObject([
      { content: [{ label: "subagent:child" }, {}] },
    ]);
    expect(events.at(-1)).toMatchObject({
      data: {
        metadata: { status: "completed", cost: { total: 3, currency: "credits" }, agent_id: "tester" },
      },
    });
  });

  test("prompt-error", async () => {
    const events = await play("codebuff-ws-sdk/prompt-error.frames.jsonl", ORIGINAL);
    expect(events.at(-2)).toMatchObject({
      type: "error",
      data: { code: "codebuff.prompt_error", details: { error: "boom", remaining_balance: null } },
    });
  });

  test("request-reconnect", async () => {
    const events = await play("codebuff-ws-sdk/request-reconnect.frames.jsonl", ORIGINAL);
    expect(end(events)).toBe("completed");
    expect(JSON.stringify(events)).toContain("connection.reconnect_requested");
  });
});
