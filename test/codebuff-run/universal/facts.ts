import { CodebuffRunError, type CodebuffRunEvent, type CodebuffRunResult } from "agentwire/codebuff-run";
import fc from "fast-check";
import { callId, type FactSource, json, text } from "../../universal/arbitrary-facts.ts";

const agentId = fc.constantFrom("main-agent", "helper", "a1", "a2", "run-1");
const agentType = fc.constantFrom("picker", "thinker");
const ancestorRunIds = fc.constantFrom<(readonly string[])[]>([], ["run-1"]);
const toolName = fc.constantFrom("glob", "ask_user", "mcp_shell");
const output = fc.array(
  fc.oneof(
    fc
      .oneof(json, fc.constantFrom<unknown[]>({ errorMessage: "no" }, { error: null }, { skipped: true }))
      .map((value) => ({ type: "json", value }) as const),
    fc.constant({ type: "media", data: "AAAA", mediaType: "image/png" } as const),
  ),
  { maxLength: 2 },
);

const of = <Type extends CodebuffRunEvent["type"], Rest>(type: Type, rest: fc.Arbitrary<Rest>) =>
  rest.map((fields) => ({ type, ...fields }));

const subagent = fc.record(
  { agentId, agentType, displayName: text, onlyChild: fc.boolean(), parentAgentId: agentId, prompt: text },
  { requiredKeys: ["agentId", "agentType", "displayName", "onlyChild"] },
);

const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

const event: fc.Arbitrary<CodebuffRunEvent> = fc.oneof(
  of(
    "start",
    fc.record(
      { messageHistoryLength: fc.nat(9), agentId, model: fc.constant("m-1") },
      { requiredKeys: ["messageHistoryLength"] },
    ),
  ),
  weighted(5, of("chunk", fc.record({ chunk: text }))),
  weighted(4, of("text", fc.record({ text, agentId }, { requiredKeys: ["text"] }))),
  weighted(3, of("subagent_chunk", fc.record({ agentId, agentType, chunk: text }))),
  of("reasoning_chunk", fc.record({ agentId, ancestorRunIds, chunk: text })),
  of(
    "reasoning_delta",
    fc.record(
      { text, ancestorRunIds, runId: fc.constantFrom("run-1", "run-2"), agentId },
      { requiredKeys: ["text", "ancestorRunIds", "runId"] },
    ),
  ),
  weighted(
    3,
    of(
      "tool_call",
      fc.record(
        { toolCallId: callId, toolName, input: fc.constant({}), agentId, parentAgentId: agentId },
        { requiredKeys: ["toolCallId", "toolName", "input"] },
      ),
    ),
  ),
  weighted(2, of("tool_progress", fc.record({ toolCallId: callId, toolName, output: text }))),
  weighted(3, of("tool_result", fc.record({ toolCallId: callId, toolName, output }))),
  weighted(3, of("subagent_start", subagent)),
  weighted(2, of("subagent_finish", subagent)),
  of(
    "error",
    fc.record(
      { message: text, source: fc.constant("stream-interrupted" as const) },
      { requiredKeys: ["message"] },
    ),
  ),
  of(
    "download",
    fc.record({ version: text, status: fc.constantFrom("complete" as const, "failed" as const) }),
  ),
  of("finish", fc.record({ totalCost: fc.nat(9), agentId: agentType }, { requiredKeys: ["totalCost"] })),
);

const amount = fc.constantFrom(0, 3, Number.NaN, Number.POSITIVE_INFINITY);
const message = text.map((said) => ({ role: "assistant", content: [{ type: "text", text: said }] }) as const);

const state = fc.constantFrom<CodebuffRunResult["state"][]>(
  { output: { type: "error", message: "" } },
  {
    sessionState: {
      mainAgentState: {
        agentId: "main-agent",
        agentType: "helper",
        messageHistory: [],
        stepsRemaining: 1,
        creditsUsed: 0,
        directCreditsUsed: 0,
        runId: "run-1",
      },
      fileContext: {},
    },
    output: { type: "structuredOutput", value: null },
  },
);

const result: fc.Arbitrary<CodebuffRunResult> = fc.record(
  {
    text,
    toolCalls: fc.constant([]),
    output: fc.oneof(
      fc.record({ type: fc.constant("lastMessage" as const), value: fc.array(message, { maxLength: 2 }) }),
      fc.record({
        type: fc.constant("structuredOutput" as const),
        value: fc.constantFrom(null, { a: Number.NaN }),
      }),
    ),
    stopReason: fc.constantFrom("completed" as const, "max_steps" as const),
    steps: fc.nat(3),
    state,
    runId: fc.constant("run-1"),
    cost: amount.map((total) => ({ amount: total, unit: "credits" })),
    usage: fc.record({ inputTokens: amount, outputTokens: amount }, { requiredKeys: [] }),
  },
  { requiredKeys: ["text", "toolCalls", "output", "stopReason", "steps", "state"] },
);

const error = fc
  .record({
    kind: fc.constantFrom("auth" as const, "network" as const, "quota_exceeded" as const, "server" as const),
    message: fc.oneof(text, fc.constant("first\n\nsecond")),
    status: fc.constantFrom(undefined, 401, 429, 500),
    serverCode: fc.constantFrom(undefined, "account_suspended"),
  })
  .map((given) => new CodebuffRunError(given));

export const runFacts: FactSource<CodebuffRunEvent, CodebuffRunResult> = { event, result, error };
