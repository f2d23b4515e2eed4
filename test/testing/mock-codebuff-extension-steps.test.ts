import { MockCodebuffServer, type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

const CONFIG = { type: "stdio", command: "npx", args: ["srv"], env: {} } as const;

/** One step each, and the data of the action that it becomes. */
const ACTIONS: readonly { readonly title: string; readonly taken: Step; readonly data: string }[] = [
  {
    title: "toolCall",
    taken: step.toolCall({
      toolName: "write_file",
      input: { path: "n.txt" },
      requestId: "r1",
      timeout: 30000,
      wait: false,
    }),
    data: '{"type":"tool-call-request","userInputId":"p-1","requestId":"r1","toolName":"write_file","input":{"path":"n.txt"},"timeout":30000}',
  },
  {
    title: "toolCall of a sub-agent, on an MCP server",
    taken: step.toolCall({
      toolName: "search",
      input: {},
      requestId: "r1",
      userInputId: "p-1-base-7",
      mcpConfig: { command: "npx" },
      wait: false,
    }),
    data: '{"type":"tool-call-request","userInputId":"p-1-base-7","requestId":"r1","toolName":"search","input":{},"mcpConfig":{"command":"npx"}}',
  },
  {
    title: "plannedToolCall",
    taken: step.plannedToolCall({
      toolCallId: "r1",
      toolName: "write_file",
      toolArgs: { path: "n.txt" },
      wait: false,
    }),
    data: '{"type":"tool-call-request","toolCallId":"r1","toolName":"write_file","toolArgs":{"path":"n.txt"}}',
  },
  {
    title: "readFiles",
    taken: step.readFiles(["a.txt", "missing.txt"], { requestId: "rf-1", wait: false }),
    data: '{"type":"read-files","requestId":"rf-1","filePaths":["a.txt","missing.txt"]}',
  },
  {
    title: "readFiles with the planned name",
    taken: step.readFiles(["a.txt"], { requestId: "rf-1", name: "read-files-request", wait: false }),
    data: '{"type":"read-files-request","requestId":"rf-1","filePaths":["a.txt"]}',
  },
  {
    title: "requestMcpTools",
    taken: step.requestMcpTools({ mcpConfig: CONFIG, toolNames: ["search"], requestId: "m1", wait: false }),
    data: '{"type":"request-mcp-tool-data","requestId":"m1","mcpConfig":{"type":"stdio","command":"npx","args":["srv"],"env":{}},"toolNames":["search"]}',
  },
  {
    title: "subAgentChunk",
    taken: step.subAgentChunk({ agentId: "a7", agentType: "file-picker", chunk: "look", prompt: "find it" }),
    data: '{"type":"subagent-response-chunk","userInputId":"p-1","agentId":"a7","agentType":"file-picker","chunk":"look","prompt":"find it"}',
  },
  {
    title: "usage",
    taken: step.usage({ usage: 12, remainingBalance: 488, balanceBreakdown: { admin: 488 } }),
    data: '{"type":"usage-response","usage":12,"remainingBalance":488,"balanceBreakdown":{"admin":488},"next_quota_reset":"2025-11-01T00:00:00.000Z"}',
  },
  {
    title: "usage without a reset",
    taken: step.usage({ next_quota_reset: null, autoTopupAdded: 5 }),
    data: '{"type":"usage-response","usage":0,"remainingBalance":500,"balanceBreakdown":{"free":500},"next_quota_reset":null,"autoTopupAdded":5}',
  },
  {
    title: "cost",
    taken: step.cost(3, "a7"),
    data: '{"type":"message-cost-response","promptId":"p-1","credits":3,"agentId":"a7"}',
  },
  {
    title: "cost without an agent",
    taken: step.cost(3),
    data: '{"type":"message-cost-response","promptId":"p-1","credits":3}',
  },
  { title: "requestReconnect", taken: step.requestReconnect(), data: '{"type":"request-reconnect"}' },
  {
    title: "log",
    taken: step.log({ agentId: "a7", level: "info", data: { n: 1 }, message: "step" }),
    data: '{"type":"handlesteps-log-chunk","userInputId":"p-1","agentId":"a7","level":"info","data":{"n":1},"message":"step"}',
  },
  {
    title: "actionError",
    taken: step.actionError({ message: "Authentication failed", error: "Invalid auth token" }),
    data: '{"type":"action-error","message":"Authentication failed","error":"Invalid auth token"}',
  },
  {
    title: "action",
    taken: step.action({ type: "weather-report", temperature: null }),
    data: '{"type":"weather-report","temperature":null}',
  },
  {
    title: "subAgent with a text",
    taken: step.subAgent("base-7", "from below"),
    data: '{"type":"response-chunk","userInputId":"p-1-base-7","chunk":"from below"}',
  },
  {
    title: "subAgent with an event",
    taken: step.subAgent("async-7", step.chunk({ type: "start", agentId: "a7" })),
    data: '{"type":"response-chunk","userInputId":"p-1-async-7","chunk":{"type":"start","agentId":"a7"}}',
  },
  {
    title: "subAgent with a prompt-error",
    taken: step.subAgent("inline-7", step.promptError({ message: "lost" })),
    data: '{"type":"prompt-error","userInputId":"p-1-inline-7","message":"lost"}',
  },
  {
    title: "subAgent with a prompt-response",
    taken: step.subAgent(
      "base-7",
      step.respond({ sessionState: {}, output: { type: "allMessages", value: [] } }),
    ),
    data: '{"type":"prompt-response","promptId":"p-1-base-7","sessionState":{},"output":{"type":"allMessages","value":[]}}',
  },
];

/** What a script of one step sends between the ack and the prompt-response. */
async function sentBy(taken: Step): Promise<string[]> {
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    chunks: "text",
    usage: "none",
    answer: () => [taken],
  });
  using client = await RawClient.connect(server.url);
  client.agentPrompt(1, "p-1");
  const frames: string[] = [];
  for (;;) {
    const frame = await client.next();
    if (frame.includes('"promptId":"p-1",') && frame.includes('"prompt-response"')) return frames.slice(1);
    frames.push(frame);
  }
}

describe("steps of the original server: each sends one frame, and the prompt continues", () => {
  test.each(ACTIONS)("$title", async ({ taken, data }) => {
    expect(await sentBy(taken)).toEqual([`{"type":"action","data":${data}}`]);
  });

  test("a sub-agent can send text after the end of its prompt", async () => {
    await using server = await MockCodebuffServer.start({
      profile: "codebuff",
      usage: "none",
      answer: () => [step.respond(), step.subAgent("async-7", "late")],
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    await client.untilTerminal("p-1");
    expect(JSON.parse(await client.next()).data).toMatchObject({ userInputId: "p-1-async-7", chunk: "late" });
  });

  test("a sub-agent's text is not part of the answer", async () => {
    await using server = await MockCodebuffServer.start({
      profile: "codebuff",
      answer: () => ["mine", step.subAgent("base-7", "its")],
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    expect(await client.nextAction("prompt-response")).toMatchObject({ output: { value: "mine" } });
  });
});
