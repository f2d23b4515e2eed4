import type {
  CodebuffRunOptions,
  CodebuffRunPromptOptions,
  RunMessage,
  RunState,
} from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { toWire, withoutOrphans } from "../../src/codebuff-run/state/history.ts";
import { errorSaying } from "../helpers/errors.ts";
import { AGENT, agentWith, json, read, runWorld, textIn } from "./world.ts";

// What a run leaves behind, and what the next one makes of it.

const text = (role: "user" | "assistant", words: string): RunMessage => ({
  role,
  content: [{ type: "text", text: words }],
});
const called = (id: string): RunMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: "glob", input: {} }],
});
const result = (id: string, ...content: readonly object[]): RunMessage =>
  ({
    role: "tool",
    toolName: "glob",
    toolCallId: id,
    content: content.length > 0 ? content : json(id),
  }) as RunMessage;

/** An agent whose prompts get too long. */
const LONG = { ...AGENT, systemPrompt: "{CODEBUFF_KNOWLEDGE_FILES_CONTENTS}".repeat(17) };

/** A state as Codebuff's own SDK leaves it. */
const foreign = (...messageHistory: readonly object[]) =>
  ({
    sessionState: {
      mainAgentState: {
        agentId: "main-agent",
        agentType: "base2",
        messageHistory,
        stepsRemaining: 3,
        agentContext: { goal: 1 },
        mine: "kept",
        output: { old: true },
      },
      fileContext: { projectRoot: "/p", theirs: [1], customToolDefinitions: { a: 1 } },
    },
    output: { type: "lastMessage", value: [] },
  }) as unknown as RunState;

describe("the history on the wire", () => {
  /** Each message in short: role, text, ids of calls. */
  const short = (history: readonly RunMessage[]) =>
    toWire("", history).map((message) => {
      const calls = "tool_calls" in message ? (message.tool_calls ?? []).map(({ id }) => id).join() : "";
      const id = "tool_call_id" in message ? message.tool_call_id : "";
      return [message.role, typeof message.content === "string" ? message.content : "", calls, id]
        .filter(Boolean)
        .join(" ");
    });

  test.each<[string, readonly RunMessage[], readonly string[]]>([
    [
      "answers in a row are one",
      [text("assistant", "a"), text("assistant", "b"), called("1"), result("1")],
      ["assistant ab 1", 'tool "1" 1'],
    ],
    ["a call without a result is dropped", [text("assistant", "a"), called("1")], ["assistant a"]],
    ["a result without a call is dropped", [result("1"), text("user", "u")], ["user"]],
    ["a result before its call is none", [result("1"), called("1"), text("user", "u")], ["user"]],
    [
      "a second result is dropped",
      [called("1"), result("1"), result("1", { type: "json", value: 2 })],
      ["assistant 1", 'tool "1" 1'],
    ],
    [
      "a second call with the same id is dropped",
      [called("1"), result("1"), called("1"), result("1")],
      ["assistant 1", 'tool "1" 1'],
    ],
    [
      "a result stands behind its call, wherever it was",
      [called("1"), called("2"), text("user", "u"), result("2"), result("1")],
      ["assistant 1,2", 'tool "1" 1', 'tool "2" 2', "user"],
    ],
    [
      "several values are a list",
      [called("1"), result("1", ...json(1), ...json({ a: 2 }))],
      ["assistant 1", 'tool [1,{"a":2}] 1'],
    ],
    [
      "no value is an empty list",
      [called("1"), { ...result("1"), content: [] } as RunMessage],
      ["assistant 1", "tool [] 1"],
    ],
    [
      "thoughts are left out",
      [{ role: "assistant", content: [{ type: "reasoning", text: "hm" }] }, text("user", "u")],
      ["user"],
    ],
    [
      "a message of unknown parts is left out",
      [{ role: "user", content: [{ type: "video" } as never] }, text("assistant", "a")],
      ["assistant a"],
    ],
  ])("%s", (_, history, wire) => {
    expect(short(history)).toEqual(wire);
  });

  test("sends the pictures in tool results after all results of an answer", () => {
    const media = { type: "media", data: "AA==", mediaType: "image/png" };
    expect(
      short([called("1"), called("2"), result("1", media), result("2"), text("assistant", "a")]),
    ).toEqual(["assistant 1,2", "tool [] 1", 'tool "2" 2', "user", "assistant a"]);
    expect(short([called("1"), result("1", { type: "media" })])).toEqual(["assistant 1", "tool [] 1"]); // of an older build
  });

  test("keeps a history without orphans unchanged", () => {
    const history = [text("user", "u"), called("1"), result("1"), text("assistant", "a")];
    expect(withoutOrphans(history)).toEqual(history);
  });
});

describe("`previousRun`", () => {
  test("is continued, is not modified, and keeps its unknown fields", async () => {
    await using at = await runWorld({ answer: () => "Hello" });
    const odd = { ...text("user", "before"), theirs: { a: 1 } };
    const previousRun = foreign(odd, text("assistant", "said"));
    const before = structuredClone(previousRun);
    const events = await read(at.client.prompt("hi", { previousRun }));
    const { state } = await at.client.prompt("hi", { previousRun }).result;
    expect(previousRun).toEqual(before);
    expect(events[0]).toEqual({
      type: "start",
      messageHistoryLength: 2,
      agentId: "base2",
      model: AGENT.model,
    });
    expect(at.chats()[0]?.messages.map(textIn)).toEqual([
      "before",
      "said",
      "<user_message>hi</user_message>",
    ]);
    expect(state.sessionState?.mainAgentState).toMatchObject({
      agentType: "tester",
      mine: "kept",
      agentContext: { goal: 1 },
      stepsRemaining: 99,
      creditsUsed: 0,
    });
    expect(state.sessionState?.mainAgentState).not.toHaveProperty("output");
    expect(state.sessionState?.fileContext).toMatchObject({
      projectRoot: "/p",
      theirs: [1],
      customToolDefinitions: { a: 1 },
    });
    expect(state.sessionState?.mainAgentState.messageHistory[0]).toEqual(odd);
  });

  test("survives JSON round trips; steps and credits start anew with each run", async () => {
    const toolCalls = [{ name: "glob", arguments: { pattern: "*" } }];
    await using at = await runWorld(
      { answer: [{ reasoning: "hm", text: "So", toolCalls, usage: { cost: 0.05 } }, "Done"] },
      { agent: agentWith("glob"), overrideTools: { glob: () => json([]) } },
    );
    let previousRun: RunState | undefined;
    for (let round = 0; round < 3; round++) {
      const { state, cost } = await at.client.prompt("hi", previousRun ? { previousRun } : {}).result;
      expect(cost?.amount).toBe(5);
      expect(state.sessionState?.mainAgentState).toMatchObject({ stepsRemaining: 98, creditsUsed: 5 });
      previousRun = JSON.parse(JSON.stringify(state)) as RunState;
      expect(previousRun).toEqual(state);
    }
    const ids =
      at
        .chats()
        .at(-1)
        ?.messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)) ?? [];
    expect(new Set(ids).size).toBe(3);
  });

  test.each<[string, unknown]>([
    ["a run that failed before it began", { output: { type: "error", message: "x" } }],
    ["null as `sessionState`", { sessionState: null }],
  ])("starts a fresh history: %s", async (_, previousRun) => {
    await using at = await runWorld();
    const events = await read(at.client.prompt("hi", { previousRun: previousRun as RunState }));
    expect(events[0]).toMatchObject({ messageHistoryLength: 0 });
  });

  test("with orphans and unknown parts is cleaned before it is sent", async () => {
    await using at = await runWorld();
    await at.client.prompt("hi", {
      previousRun: foreign(called("1"), result("2"), { role: "user", content: [{ type: "video" }] }),
    }).result;
    expect(at.chats()[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
  });

  test("may be the state of a conversation without a turn", async () => {
    await using at = await runWorld();
    const { state } = at.client.conversation();
    expect((await at.client.conversation({ from: state }).prompt("hi").result).text).toBe("Hello!");
  });

  test("may be the state of a failed run, which has the prompt and the reason", async () => {
    await using at = await runWorld({ balance: 0 });
    const outcome = await at.client.prompt("hi").outcome;
    const { state } = (outcome as { partial: { state: RunState } }).partial;
    expect(state.sessionState?.mainAgentState.messageHistory.map(({ content }) => content[0])).toMatchObject([
      { text: "<user_message>hi</user_message>" },
      { text: expect.stringMatching(/^<system>Out of credits/) },
    ]);
    at.backend.set({ balance: 9 });
    expect((await at.client.prompt("again", { previousRun: state }).result).text).toBe("Hello!");
  });

  test.each<[string, CodebuffRunOptions, RegExp]>([
    ["an unknown agent", { agent: "gone" }, /Invalid agent ID/],
    [
      "prompts that get too long",
      { agent: LONG, knowledgeFiles: { a: "x".repeat(2 ** 20) } },
      /placeholders/,
    ],
  ])(
    "%s: the failed run's state has the earlier history, the prompt and the reason",
    async (_, options, why) => {
      await using at = await runWorld({ answer: () => "Hi." });
      const { state: earlier } = await at.client.prompt("one").result;
      const client = at.another(options);
      const outcome = await client.prompt("two", { previousRun: earlier }).outcome;
      const { state } = (outcome as { partial: { state: RunState } }).partial;
      expect(state).toMatchObject({
        output: { type: "error", message: expect.stringMatching(why) },
        stopReason: "error",
        sessionState: { mainAgentState: { agentId: "main-agent", agentType: "tester", creditsUsed: 0 } },
      });
      const history = state.sessionState?.mainAgentState.messageHistory ?? [];
      expect(history.map(({ content }) => (content[0] as { text: string }).text)).toEqual([
        "<user_message>one</user_message>",
        "Hi.",
        "<user_message>two</user_message>",
        expect.stringMatching(why),
      ]);
      expect((await at.client.prompt("three", { previousRun: state }).result).text).toBe("Hi.");
    },
  );

  test.each<[string, unknown, RegExp]>([
    ["a list", [], /previousRun/],
    ["a text as `sessionState`", { sessionState: "x" }, /sessionState/],
    ["no `mainAgentState`", { sessionState: {} }, /mainAgentState/],
    ["a history that is no list", foreignWith({}), /no list/],
    ["a message without a role", foreignWith([{ content: [] }]), /message 0/],
    ["a message whose content is a text", foreignWith([{ role: "user", content: "x" }]), /message 0/],
    ["a result without an id", foreignWith([{ role: "tool", content: [] }]), /message 0/],
    ["a BigInt", { a: 1n }, /JSON/],
    ["the state of a conversation", { protocol: "codebuff-run", version: 1 }, /pass its `run`/],
  ])("is refused: %s", async (_, previousRun, words) => {
    await using at = await runWorld();
    expect(() => at.client.prompt("hi", { previousRun } as CodebuffRunPromptOptions)).toThrow(
      errorSaying("invalid-input", words),
    );
  });
});

test("`extraToolResults` come after the history; other messages are refused there", async () => {
  await using at = await runWorld();
  const extra = result("1") as Extract<RunMessage, { role: "tool" }>;
  await at.client.prompt("hi", { previousRun: foreign(called("1")), extraToolResults: [extra] }).result;
  expect(at.chats()[0]?.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
  expect(() => at.client.prompt("hi", { extraToolResults: [{ role: "tool" } as never] })).toThrow(
    errorSaying("invalid-input", /extraToolResults/),
  );
  expect(() => at.client.prompt("hi", { extraToolResults: [text("user", "x") as never] })).toThrow(
    errorSaying("invalid-input", /extraToolResults/),
  );
});

describe("a conversation", () => {
  test("has the text around an agent's tool calls as one message, also after a restore", async () => {
    await using at = await runWorld(
      { answer: [{ text: "One moment. ", toolCalls: [{ name: "look", arguments: {} }] }, "Done."] },
      { tools: { look: { description: "Looks.", parameters: { type: "object" }, execute: () => json(1) } } },
    );
    const talk = at.client.conversation();
    await talk.prompt("Go").result;
    expect(talk.messages).toEqual([
      { role: "user", content: "Go" },
      { role: "assistant", content: "One moment. Done." },
    ]);
    const from = JSON.parse(JSON.stringify(talk.state));
    expect(at.client.conversation({ from }).messages).toEqual(talk.messages);
  });

  test.each([
    [{ protocol: "codey", version: 1 }],
    [{ protocol: "codebuff-run", version: 2 }],
    [{}],
    [{ protocol: "codebuff-run", version: 1, run: 7 }],
  ])("is not created from %j", async (from) => {
    await using at = await runWorld();
    expect(() => at.client.conversation({ from: from as never })).toThrow(
      errorSaying("invalid-input", /from/),
    );
  });
});

function foreignWith(messageHistory: unknown): object {
  return { sessionState: { mainAgentState: { messageHistory }, fileContext: {} } };
}
