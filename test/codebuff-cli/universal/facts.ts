import { CodebuffCliError, type CodebuffCliEvent, type CodebuffCliResult } from "agentwire/codebuff-cli";
import fc from "fast-check";
import { callId, type FactSource, text } from "../../universal/arbitrary-facts.ts";

const agentId = fc.constantFrom("main-agent", "root", "a1", "a2", "run-1");
const agentType = fc.constantFrom("file-picker", "thinker");
const ancestorRunIds = fc.constantFrom<(readonly string[])[]>([], ["run-1"]);
const toolName = fc.constantFrom("glob", "ask_user");
const value = fc.constantFrom<unknown[]>(
  { errorMessage: "no" },
  { error: null },
  { answers: [{ questionIndex: 0, selectedOption: "A" }] },
  "done",
  null,
);
const output = fc.array(
  fc.oneof(
    value.map((json) => ({ type: "json", value: json }) as const),
    fc.constant({ type: "media", data: "AAAA", mediaType: "image/png" } as const),
    fc.constant({ type: "unknown", part: { type: "odd" } } as const),
  ),
  { maxLength: 2 },
);

const of = <Type extends CodebuffCliEvent["type"], Rest>(type: Type, rest: fc.Arbitrary<Rest>) =>
  rest.map((fields) => ({ type, ...fields }));

const subagent = fc.record(
  { agentId, agentType, displayName: text, onlyChild: fc.boolean(), parentAgentId: agentId, prompt: text },
  { requiredKeys: ["agentId", "agentType", "displayName", "onlyChild"] },
);

const event: fc.Arbitrary<CodebuffCliEvent> = fc.oneof(
  of(
    "start",
    fc.record(
      { agentId, model: fc.constant("m-1"), messageHistoryLength: fc.nat(9), session_id: fc.constant("s-1") },
      { requiredKeys: [] },
    ),
  ),
  {
    weight: 4,
    arbitrary: of("text", fc.record({ text, agentId, delta: text }, { requiredKeys: ["text", "delta"] })),
  },
  { weight: 4, arbitrary: of("chunk", fc.record({ delta: text })) },
  { weight: 3, arbitrary: of("subagent_chunk", fc.record({ agentId, agentType, chunk: text })) },
  of(
    "reasoning_delta",
    fc.record(
      { text, ancestorRunIds, runId: fc.constantFrom("run-1", "run-2"), agentId },
      { requiredKeys: ["text", "ancestorRunIds", "runId"] },
    ),
  ),
  of("reasoning_chunk", fc.record({ agentId, ancestorRunIds, chunk: text })),
  {
    weight: 3,
    arbitrary: of(
      "tool_call",
      fc.record(
        { toolCallId: callId, toolName, input: fc.constant({}), agentId, parentAgentId: agentId },
        { requiredKeys: ["toolCallId", "toolName", "input"] },
      ),
    ),
  },
  {
    weight: 2,
    arbitrary: of(
      "tool_progress",
      fc.record({ toolCallId: callId, output: text, toolName }, { requiredKeys: ["toolCallId", "output"] }),
    ),
  },
  {
    weight: 2,
    arbitrary: of(
      "tool_result",
      fc.record(
        {
          toolCallId: callId,
          output,
          toolName,
          answer: fc.constantFrom(
            { status: "answered", answers: [["A"]] } as const,
            { status: "skipped" } as const,
            { status: "unanswered", reason: "no" } as const,
          ),
        },
        { requiredKeys: ["toolCallId", "output"] },
      ),
    ),
  },
  { weight: 3, arbitrary: of("subagent_start", subagent) },
  { weight: 2, arbitrary: of("subagent_finish", subagent) },
  of(
    "error",
    fc.record({ message: text, source: fc.constant("output-limit") }, { requiredKeys: ["message"] }),
  ),
  of("download", fc.record({ version: text, status: fc.constantFrom("complete", "failed") })),
  of("finish", fc.record({ totalCost: fc.nat(9), agentId: agentType }, { requiredKeys: [] })),
  of("unknown", fc.constant({ event: { type: "novelty" } })),
);

const stderr = fc.record({
  head: fc.array(text, { maxLength: 2 }),
  tail: fc.array(text, { maxLength: 2 }),
  truncated: fc.boolean(),
  totalLines: fc.nat(90),
});

const exitCode = fc.constantFrom(0, 1, 137, null);

const result: fc.Arbitrary<CodebuffCliResult> = fc.record(
  {
    text,
    toolCalls: fc.constant([]),
    exitCode,
    stderr,
    cost: fc.constant({ amount: 3, unit: "credits" }),
    sessionId: fc.constant("s-1"),
    missingFinish: fc.constant(true as const),
  },
  { requiredKeys: ["text", "toolCalls", "exitCode", "stderr"] },
);

const error = fc
  .record({
    kind: fc.constantFrom("process_exit", "run_failed", "interactive_cli", "protocol_error", "auth"),
    exitCode,
    signal: fc.constantFrom(undefined, "SIGKILL"),
    stderr,
    serverMessage: text,
  })
  .map((given) => new CodebuffCliError({ origin: "process", ...given }));

export const cliFacts: FactSource<CodebuffCliEvent, CodebuffCliResult> = { event, result, error };
