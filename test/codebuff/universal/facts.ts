import type { CodebuffEvent, CodebuffResult } from "agentwire/codebuff";
import fc from "fast-check";
import { CodebuffTurnError } from "../../../src/codebuff/errors.ts";
import { callId, type FactSource, garbled, json, text, turnId } from "../../universal/arbitrary-facts.ts";

/** The id of a prompt, or of a sub-agent of the prompt. */
const promptId = fc.oneof(
  { weight: 6, arbitrary: turnId },
  turnId.map((id) => `${id}-file-picker7`),
);
const agentId = fc.constantFrom("a1", "a2", "main-agent");
const runIds = fc.array(fc.constantFrom("run-1", "run-2"), { maxLength: 2 });
const amount = fc.constantFrom(0, 3, -1, Number.POSITIVE_INFINITY, Number.NaN);
const toolName = fc.constantFrom("mcp_shell", "unknown", "ask_user");
const fields = fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(json, amount), { maxKeys: 2 });
const output = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("json"), value: fc.oneof(json, amount) }),
    fc.record({ type: fc.constant("media"), data: text, mediaType: fc.constant("image/png") }),
  ),
  { maxLength: 2 },
);

/** An object of a type; some fields may be missing. */
function of(
  type: string,
  required: Fields,
  optional: Fields = {},
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const requiredKeys = ["type", ...Object.keys(required)];
  const all: Fields = { type: fc.constant(type), ...required, ...optional };
  return fc.record(all, { requiredKeys });
}

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const subagent = { agentId, agentType: text, displayName: text, onlyChild: fc.boolean() };

/** The object chunks of the original server. */
const agentEvent = fc.oneof(
  of("start", {}, { agentId, model: text, messageHistoryLength: fc.nat(9) }),
  { weight: 4, arbitrary: of("text", { text }, { agentId }) },
  of("error", { message: text }, { source: text }),
  of("download", { version: text, status: fc.constantFrom("complete", "failed") }),
  {
    weight: 3,
    arbitrary: of(
      "tool_call",
      { toolCallId: callId, toolName, input: fields },
      { agentId, parentAgentId: agentId },
    ),
  },
  of("tool_progress", { toolCallId: callId, output: text }, { toolName }),
  { weight: 2, arbitrary: of("tool_result", { toolCallId: callId, output }, { toolName }) },
  of("finish", { totalCost: amount }, { agentId }),
  of("subagent_start", subagent, { parentAgentId: agentId, prompt: text }),
  of("subagent_finish", subagent),
  of("reasoning_delta", { text, ancestorRunIds: runIds, runId: text }, { agentId }),
  of("subagent_chunk", { agentId, agentType: text, chunk: text }),
  of("reasoning_chunk", { agentId, ancestorRunIds: runIds, chunk: text }),
  of("sparkle", { n: amount }),
);

const listed = { toolCallId: callId, toolName };

/** Well-formed events, which the schemas of the wire would let pass. */
const event = fc.oneof(
  {
    weight: 5,
    arbitrary: of("response-chunk", { userInputId: promptId, chunk: text }).map((chunk) => ({
      ...chunk,
      text: chunk["chunk"],
    })),
  },
  {
    weight: 6,
    arbitrary: of("response-chunk", {
      userInputId: promptId,
      chunk: fc.oneof({ weight: 5, arbitrary: agentEvent }, garbled(agentEvent)),
      text: fc.constant(""),
    }).filter(hasType),
  },
  of("response-chunk", {
    userInputId: promptId,
    chunk: fc.constant("<src.llm.Chunk object at 0x7f>"),
    text: fc.constant(""),
  }),
  of("subagent-response-chunk", { userInputId: promptId, agentId, agentType: text, chunk: text }),
  of("message-cost-response", { promptId, credits: amount }),
  of("handlesteps-log-chunk", { userInputId: promptId, agentId, level: text }, { data: json, message: text }),
  of("tool-call-request", { userInputId: promptId, requestId: callId, toolName, input: fields }),
  of("prompt-error", { userInputId: promptId, message: text }, { error: text, remainingBalance: amount }),
  of(
    "prompt-response",
    { promptId, sessionState: fields },
    {
      toolCalls: fc.array(fc.record({ ...listed, input: json }), { maxLength: 2 }),
      toolResults: fc.array(garbled(fc.record({ ...listed, output })), { maxLength: 2 }),
      output: of("lastMessage", { value: fc.oneof(json, text, amount) }),
    },
  ),
) as unknown as fc.Arbitrary<CodebuffEvent>; // the shapes above are those of the wire

function hasType({ chunk }: { readonly [name: string]: unknown }): boolean {
  return typeof chunk === "object" && chunk !== null && typeof Reflect.get(chunk, "type") === "string";
}

const result: fc.Arbitrary<CodebuffResult> = fc.record(
  {
    text,
    promptId: turnId,
    sessionState: fc.constant({}),
    toolCalls: fc.constant([]),
    toolResults: fc.constant([]),
    output: fc.option(fields),
    cost: fc.record({ amount, unit: fc.constant("credits") }),
  },
  { requiredKeys: ["text", "promptId", "sessionState", "toolCalls", "toolResults", "output"] },
);

const account = { usage: amount, remainingBalance: amount };

/** The facts of a Codebuff WebSocket. */
export const codebuffFacts: FactSource<CodebuffEvent, CodebuffResult> = {
  event,
  result,
  error: fc
    .record({
      origin: fc.constantFrom("action", "stream", "output", "silent-end"),
      kind: fc.constantFrom("prompt-error", "unreadable-chunk"),
      message: text,
      error: fc.option(text),
      remainingBalance: fc.option(amount),
    })
    .map((failure) => new CodebuffTurnError("t1", failure)),
  notice: fc.oneof(
    fc.record({ name: fc.constant("initResponse"), value: of("init-response", account, { message: text }) }),
    fc.record({ name: fc.constant("usage"), value: of("usage-response", account) }),
    fc.record({ name: fc.constant("reconnectRequested"), value: of("request-reconnect", {}) }),
    fc.record({ name: fc.constant("actionError"), value: of("action-error", { message: text }) }),
    fc.record({ name: fc.constant("refusal"), value: of("refusal", { message: text }) }),
    fc.record({ name: fc.constant("late"), value: event }),
    fc.record({ name: fc.constant("unknownAction"), value: fields }),
    fc.record({ name: fc.constant("unknownMessage"), value: json }),
  ),
};
