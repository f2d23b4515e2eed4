// The client of AG-UI over a real server whose route is ours.
import type { HttpAgent } from "@ag-ui/client";
import { encodeSse } from "agentwire/ag-ui";
import { agentStep } from "agentwire/testing/agent";
import { expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { Bench } from "./support/client.ts";
import { Route } from "./support/route.ts";

const say = (client: HttpAgent, id: string, content: string) =>
  client.addMessage({ id, role: "user", content });

test("HttpAgent gets text, reasoning, tools, a plan and sub-agents as messages", async () => {
  await using bench = new Bench({
    *script() {
      yield agentStep.reasoning("Hm.");
      yield agentStep.plan([{ content: "look", status: "pending" }]);
      yield "Let me look. ";
      yield* agentStep.tool({ name: "ls", input: { path: "." }, output: "a.txt" });
      yield agentStep.subagent({ type: "picker", name: "Picker", steps: ["Found it."] });
      yield "One file \u{1f600}.";
    },
  });
  await using route = new Route(bench.agent);
  const client = await route.client();
  say(client, "m1", "What is here?");
  const started: string[] = [];
  const { newMessages } = await client.runAgent(
    {},
    { onSubagentStartedEvent: ({ event }) => void started.push(event.name) },
  );
  expect(newMessages).toMatchObject([
    { role: "reasoning", content: "Hm." },
    { role: "activity", activityType: "plan", content: { entries: [{ content: "look" }] } },
    { role: "assistant", content: "Let me look. " },
    { role: "assistant", toolCalls: [{ function: { name: "ls", arguments: '{"path":"."}' } }] },
    { role: "tool", content: "a.txt", metadata: { agentwire: { state: "done" } } },
    { role: "assistant", content: "Found it.", subagentRunId: expect.any(String) },
    { role: "assistant", content: "One file \u{1f600}." },
  ]);
  expect(started).toEqual(["Picker"]);
});

test("HttpAgent is interrupted, resumes, and then sends its next message", async () => {
  await using bench = new Bench({
    *script({ text }) {
      if (text === "go") {
        const { state } = yield* agentStep.tool({ name: "rm", approval: true, output: "gone" });
        yield `It is ${state}.`;
      } else yield "As you like.";
    },
  });
  await using route = new Route(bench.agent);
  const client = await route.client();
  say(client, "m1", "go");
  await client.runAgent();
  expect(client.pendingInterrupts).toMatchObject([{ reason: "tool_call", message: "Allow rm?" }]);
  const interruptId = client.pendingInterrupts[0]?.id ?? "";
  await client.runAgent({ resume: [{ interruptId, status: "resolved", payload: { approved: true } }] });
  expect(client.pendingInterrupts).toEqual([]);
  say(client, "m2", "thanks");
  await client.runAgent();
  expect(client.messages.map(({ role, content }) => `${role} ${content ?? ""}`)).toEqual([
    "user go",
    "assistant ",
    "tool gone",
    "assistant It is done.",
    "user thanks",
    "assistant As you like.",
  ]);
});

test("HttpAgent drops its interrupts for a new message", async () => {
  await using bench = new Bench({
    script: ({ text }) => (text === "go" ? [agentStep.tool({ name: "rm", approval: true })] : ["Fine."]),
  });
  await using route = new Route(bench.agent);
  const client = await route.client();
  say(client, "m1", "go");
  await client.runAgent();
  say(client, "m2", "never mind");
  const resume = client.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: "cancelled" as const,
  }));
  const { newMessages } = await client.runAgent({ resume });
  expect(newMessages.at(-1)).toMatchObject({ content: "Fine." });
  expect(client.pendingInterrupts).toEqual([]);
});

test("HttpAgent that aborts its run cancels the turn", async () => {
  await using bench = new Bench({ script: () => ["Hi", agentStep.hang()] });
  await using route = new Route(bench.agent);
  const client = await route.client();
  say(client, "m1", "go");
  const run = client.runAgent({}, { onTextMessageContentEvent: () => client.abortRun() });
  await run;
  await until(bench.chat, ({ busy }) => !busy);
  expect(bench.chat.getSnapshot().messages.at(-1)?.status).toBe("cancelled");
});

test("HttpAgent hears why a run was refused", async () => {
  await using bench = new Bench();
  await using route = new Route(bench.agent);
  const client = await route.client();
  const codes: (string | undefined)[] = [];
  await client.runAgent({}, { onRunErrorEvent: ({ event }) => void codes.push(event.code) });
  expect(codes).toEqual(["invalid-input"]);
});

test("the encoder reads an event only when the body is read, and a cancelled body leaves the loop", async () => {
  let asked = 0;
  let isLeft = false;
  const events = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({
        done: false as const,
        value: { type: "CUSTOM", name: "a", value: ++asked } as never,
      }),
      return: async () => {
        isLeft = true;
        return { done: true as const, value: undefined };
      },
    }),
  };
  const reader = encodeSse(events).getReader();
  expect(asked).toBe(0);
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe('data: {"type":"CUSTOM","name":"a","value":1}\n\n');
  expect(asked).toBe(1);
  await reader.cancel();
  expect(isLeft).toBe(true);
});

test("the body fails if the events do", async () => {
  const failing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("lost")) }) };
  await expect(encodeSse(failing).getReader().read()).rejects.toThrow("lost");
});

const circular: Record<string, unknown> = { type: "CUSTOM", name: "a" };
circular["value"] = circular;

test.each([
  ["nothing", undefined, /an event is undefined\. Pass events of AG-UI/],
  ["null", null, /an event is null/],
  ["a text", "data", /an event is a string/],
  ["an array", [], /an event is an array/],
  ["a circular event", circular, /an event of the type CUSTOM cannot be written as JSON/],
  [
    "a BigInt",
    { type: "CUSTOM", name: "a", value: 1n },
    /an event of the type CUSTOM cannot be written as JSON/,
  ],
])("the body fails with a typed error for %s, and the loop is left", async (_, value, message) => {
  let isLeft = false;
  async function* odd() {
    try {
      yield value as never;
    } finally {
      isLeft = true;
    }
  }
  const error: unknown = await encodeSse(odd())
    .getReader()
    .read()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "invalid-input", message: expect.stringMatching(message) });
  expect(isLeft).toBe(true);
});
