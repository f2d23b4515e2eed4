import type { CodebuffServer } from "agentwire/codebuff";
import { describe, expect, test } from "vitest";
import { server, Universal } from "../../helpers/codebuff-universal.ts";

const ORIGINAL_STATE = (text: string) => ({
  mainAgentState: {
    messageHistory: [
      { role: "assistant", content: [{ type: "text", text: "of an earlier turn" }] },
      { role: "user", content: [{ type: "text", text: "go" }] },
      { role: "assistant", content: [{ type: "text", text }] },
      { role: "tool", content: [] },
    ],
  },
});

const sse = (payload: object) => server.chunk(`data: ${JSON.stringify(payload)}\n\n`);
const completion = (delta: object, more: object = {}) =>
  sse({ object: "chat.completion.chunk", choices: [{ delta }], ...more });

interface Row {
  readonly name: string;
  /** @default "codebuff" */
  readonly of?: CodebuffServer;
  readonly says: readonly object[];
}

const ROWS: readonly Row[] = [
  { name: "ack-success", of: "proxy", says: [] },
  {
    name: "chunk-text",
    of: "proxy",
    says: ["Hello", "", ", ", "world é😀"].map((text) => server.chunk(text)),
  },
  {
    name: "chunk-sse",
    of: "proxy",
    says: [
      completion({ role: "assistant", content: "" }),
      completion({ content: "Hel" }),
      completion({ content: "lo" }),
      server.chunk("data: [DONE]\n\n"),
    ],
  },
  {
    name: "chunk-sse-error",
    of: "proxy",
    says: [
      completion({ content: "Hel" }),
      completion(
        {},
        {
          error: {
            message: "The model is overloaded",
            type: "server_error",
            status_code: 503,
            retryable: true,
          },
        },
      ),
    ],
  },
  {
    name: "chunk-bad",
    of: "proxy",
    says: [
      server.chunk("Hel"),
      server.chunk("<src.llm.StreamingChunk object at 0x7f2b1c>"),
      server.chunk("lo"),
    ],
  },
  {
    name: "chunk-snapshot",
    says: [
      server.chunk({ type: "start", agentId: "base", messageHistoryLength: 0 }),
      server.chunk("Hel"),
      server.chunk("lo"),
      server.chunk({ type: "text", text: "Hello" }),
      server.chunk({ type: "text", text: " again" }),
      server.chunk({ type: "finish", agentId: "base", totalCost: 3 }),
    ],
  },
  { name: "chunk-text-event", says: [server.chunk({ type: "text", text: "Hello" })] },
  {
    name: "chunk-tool",
    says: [
      server.chunk("Let me see."),
      server.chunk({
        type: "tool_call",
        toolCallId: "t1",
        toolName: "read_files",
        input: { paths: ["a.txt"] },
      }),
      server.chunk({
        type: "tool_result",
        toolCallId: "t1",
        toolName: "read_files",
        output: [{ type: "json", value: { content: "hello" } }],
      }),
      server.chunk("Done."),
    ],
  },
  {
    name: "chunk-reasoning",
    says: [
      server.chunk({ type: "reasoning_delta", text: "Hm.", runId: "run-1", ancestorRunIds: [] }),
      server.chunk("Yes."),
    ],
  },
  {
    name: "chunk-subagent",
    says: [
      server.chunk({
        type: "subagent_start",
        agentId: "a7",
        agentType: "file-picker",
        displayName: "File Picker",
        onlyChild: true,
        prompt: "find it",
      }),
      server.chunk({ type: "text", text: "look", agentId: "a7" }),
      server.chunk({
        type: "subagent_finish",
        agentId: "a7",
        agentType: "file-picker",
        displayName: "File Picker",
        onlyChild: true,
      }),
    ],
  },
  {
    name: "chunk-error",
    says: [
      server.chunk({ type: "error", message: "Tool `web_search` is not currently available." }),
      server.chunk("Hello"),
    ],
  },
  {
    name: "chunk-malformed",
    says: [server.chunk({ type: "text", text: 1 })],
  },
  {
    name: "subagent-chunk",
    says: [server.chunk("I ask."), server.subagent("look"), server.subagent(" here")],
  },
  {
    name: "message-cost",
    says: [
      { type: "action", data: { type: "message-cost-response", promptId: "p-1", credits: 3 } },
      server.chunk("Hello"),
      { type: "action", data: { type: "message-cost-response", promptId: "p-1", credits: 4, agentId: "a7" } },
    ],
  },
];

describe("universal events of an answer", () => {
  test.each<Row>(ROWS)("$name", async ({ name, of = "codebuff", says }) => {
    const made = await Universal.of(of);
    await made.prompt();
    await made.hears(...says);
    await made.hears(server.response());
    await made.expectGolden(name);
  });

  test("a terminal replaces a missing ack: ack-missing", async () => {
    const made = await Universal.of("proxy");
    const turn = made.client.prompt({ prompt: "go", promptId: "p-1" });
    made.follow(turn);
    await made.settle();
    await made.hears(server.chunk("Hello"), server.response());
    await made.expectGolden("ack-missing");
  });

  test("an infinite number in a chunk of an unknown type becomes null: chunk-unknown", async () => {
    const made = await Universal.of("codebuff");
    await made.prompt();
    made.socket.receives(
      '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":{"type":"sparkle","colour":"red","size":Infinity}}}',
    );
    await made.hears(server.response());
    await made.expectGolden("chunk-unknown");
  });

  test("frames of a sub-agent have the prompt's id with a suffix, even after the end: subagent-suffix", async () => {
    const made = await Universal.of("codebuff");
    const talk = made.talk();
    talk.prompt({ prompt: "go", promptId: "p-1" });
    await made.acknowledge();
    const id = "p-1-file-picker7";
    await made.hears(
      server.chunk("I ask."),
      server.chunk({ type: "start", agentId: "file-picker" }, id),
      server.chunk("look", id),
      server.chunk({ type: "text", text: "look" }, id),
      server.chunk(
        { type: "tool_call", toolCallId: "t1", toolName: "find_files", input: { prompt: "x" } },
        id,
      ),
      server.chunk({ type: "finish", totalCost: 1 }, id),
      server.response({}, id),
      server.response(),
      server.chunk("too late", id),
    );
    made.stream.close();
    await made.expectGolden("subagent-suffix");
  });
});

describe("universal events of the end of a prompt", () => {
  test("the end of the turn has the output: prompt-response-output", async () => {
    const made = await Universal.of("codebuff");
    await made.prompt();
    await made.hears(server.chunk("Hello"));
    made.socket.receives(
      '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{},"output":{"type":"structuredOutput","value":{"n":1,"most":Infinity}}}}',
    );
    await made.settle();
    await made.expectGolden("prompt-response-output");
  });

  const LISTS = {
    toolCalls: [
      { toolCallId: "t1", toolName: "write_file", input: { path: "b" } },
      { toolCallId: "t2", toolName: "act", input: { a: 1 } },
      { toolCallId: "t3", toolName: "act", input: { a: 2 } },
    ],
    toolResults: [
      { toolCallId: "t1", toolName: "write_file", output: [{ type: "json", value: "new" }] },
      { toolCallId: "t2", toolName: "act", output: [{ type: "json", value: { done: true } }] },
      { toolCallId: "t4", output: [1, 2] },
      { output: "of no call" },
    ],
  };

  test.each<{ readonly name: string; readonly of?: CodebuffServer; readonly says: readonly object[] }>([
    {
      name: "prompt-response-unstreamed",
      says: [
        server.chunk({ type: "start" }),
        server.response({ output: { type: "lastMessage", value: "Hello" } }),
      ],
    },
    {
      name: "prompt-response-unstreamed-state",
      says: [server.response({ toolCalls: [], sessionState: ORIGINAL_STATE("Hello") })],
    },
    {
      name: "prompt-response-echo",
      of: "proxy",
      says: [server.response({ toolCalls: null, output: null, sessionState: ORIGINAL_STATE("Hello") })],
    },
    {
      name: "prompt-response-lists",
      says: [
        server.chunk({ type: "tool_call", toolCallId: "t1", toolName: "write_file", input: { path: "a" } }),
        server.chunk({ type: "tool_result", toolCallId: "t1", output: [{ type: "json", value: "old" }] }),
        server.response(LISTS),
      ],
    },
    {
      name: "prompt-response-error",
      says: [
        server.chunk("Hel"),
        server.response({ output: { type: "error", message: "The agent ended without an output" } }),
      ],
    },
    {
      name: "prompt-error",
      says: [
        server.chunk("Hel"),
        server.error({
          message: "You have run out of credits.",
          error: "Insufficient credits",
          remainingBalance: -5,
        }),
      ],
    },
  ])("$name", async ({ name, of = "codebuff", says }) => {
    const made = await Universal.of(of);
    await made.prompt();
    await made.hears(...says);
    await made.expectGolden(name);
  });

  test.each([
    { name: "prompt-error-first", says: [server.error({ message: "no" }), server.response()] },
    { name: "prompt-response-first", says: [server.response(), server.error({ message: "no" })] },
  ])("only the first of two terminals counts: $name", async ({ name, says }) => {
    const made = await Universal.of("codebuff");
    made.talk().prompt({ prompt: "go", promptId: "p-1" });
    await made.acknowledge();
    await made.hears(...says);
    made.stream.close();
    await made.expectGolden(name);
  });

  test("the session state is only in `raw`: prompt-response-raw", async () => {
    const made = await Universal.of("codebuff");
    await made.prompt({ includeRaw: true });
    const sessionState = { fileContext: {}, mainAgentState: {} };
    await made.hears(server.chunk("Hello"), server.response({ sessionState }));
    await made.expectGolden("prompt-response-raw");
  });

  test("`data` never has the session state or the token, whatever ends the prompt", async () => {
    const state = { secret: "the-state" };
    for (const end of [
      server.response({ sessionState: state }),
      server.response({ sessionState: state, output: { type: "lastMessage", value: "hi" }, toolCalls: [] }),
      server.response({ sessionState: state, output: { type: "error", message: "no" } }),
      server.error({ message: "bad token token-1234", error: "token-1234" }),
    ]) {
      const made = await Universal.of("codebuff");
      await made.prompt();
      await made.hears(end);
      const data = JSON.stringify((await made.events()).map((event) => event.data));
      expect(data).not.toMatch(/the-state|token-1234/);
    }
  });
});
