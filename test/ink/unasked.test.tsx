import { CodebuffClient } from "agentwire/codebuff";
import { CodebuffRun } from "agentwire/codebuff-run";
import { ManualClock, MockCodebuffBackend, MockCodebuffServer, step } from "agentwire/testing";
import { renderToString } from "ink";
import { expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { toUniversal as ofCodebuff } from "../../src/codebuff/universal.ts";
import { toUniversal as ofRun } from "../../src/codebuff-run/universal.ts";
import { ToolCall } from "../../src/ink/components/exports.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import type { AgentSource } from "../../src/universal/stream.ts";
import type { ChatToolPart } from "../../src/universal/transcript/message.ts";

/** The tool calls of the answer to one prompt. */
async function callsOf(source: AgentSource, clock: ManualClock): Promise<readonly ChatToolPart[]> {
  const chat = createChat(source);
  const over = new Promise<void>((resolve) => {
    chat.subscribe(() => {
      if (!chat.getSnapshot().busy) resolve();
    });
  });
  chat.send("go");
  await over;
  const parts = chat.getSnapshot().messages.at(-1)?.parts.toArray() ?? [];
  await Promise.all([chat.close(), clock.advance(10_000)]);
  return parts.filter((part) => part.type === "tool");
}

/** A call that has failed, about which nobody was asked, and that says why, in the snapshot and on the screen. */
function expectUnasked(calls: readonly ChatToolPart[], name: string, title: string, why: string): void {
  const output = `nobody was asked: ${why}`;
  expect(calls).toMatchObject([{ name, state: "failed", output }]);
  expect(calls[0]).not.toHaveProperty("approval");
  for (const part of calls) {
    const screen = renderToString(<ToolCall part={part} theme={plainTheme} columns={90} />);
    expect(screen.split("\n")).toEqual(expect.arrayContaining([`x ${title} has failed`, `  | ${output}`]));
  }
}

test("a call without a handler fails under `manual` without asking, with the reason: Codebuff", async () => {
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    heartbeat: false,
    answer: function* () {
      yield step.toolCall({ toolName: "act", input: {} });
    },
  });
  const clock = new ManualClock();
  const options = { url: server.url, clock, authToken: "token-1234", keepalive: false } as const;
  const client = () => new CodebuffClient({ ...options, onToolApproval: "manual" });
  const calls = await callsOf({ name: "codebuff", client, toUniversal: ofCodebuff }, clock);
  expectUnasked(calls, "act", "act", 'no handler is registered for the tool "act"');
  expect(server.answers[0]?.data).toMatchObject({
    output: [{ value: { errorMessage: 'no handler is registered for the tool "act"' } }],
  });
});

test.each([
  ["read_files", "Read a.txt", ["read_files"], "no handler is registered for the tool `read_files`"],
  ["glob", "glob", [], "the agent may not call the tool `glob`"],
])(
  "a call without a handler fails under `manual` without asking, with the reason: %s in a run",
  async (name, title, toolNames, why) => {
    await using backend = await MockCodebuffBackend.start({
      answer: [{ toolCalls: [{ name, arguments: { paths: ["a.txt"] } }] }, "Done"],
    });
    const clock = new ManualClock();
    const client = () =>
      new CodebuffRun({
        apiKey: backend.apiKey,
        baseUrl: backend.url,
        clock,
        agent: { id: "tester", displayName: "Tester", model: "m", toolNames },
        overrideTools: { glob: () => [] },
        onToolApproval: "manual",
      });
    const calls = await callsOf({ name: "codebuff-run", client, toUniversal: ofRun }, clock);
    expectUnasked(calls, name, title, why);
  },
);
