import type { CodeyEvent, CodeyResult } from "agentwire/codey";
import fc from "fast-check";
import { codeyTurnError } from "../../../src/codey/errors.ts";
import { callId, type FactSource, json, text } from "../../universal/arbitrary-facts.ts";

const agent_id = fc.constantFrom(0, 0, 0, 1, 2);
const count = fc.nat(1_000);
const name = fc.constantFrom("mcp_shell", "mcp_read_file");
const params = json;
const requested = fc.record({ call_id: callId, name, params, background: fc.boolean() });

const of = <Type extends CodeyEvent["type"], Rest>(type: Type, rest: fc.Arbitrary<Rest>) =>
  rest.map((fields) => ({ type, ...fields }));

const event: fc.Arbitrary<CodeyEvent> = fc.oneof(
  { weight: 6, arbitrary: of("TextDelta", fc.record({ agent_id, content: text })) },
  { weight: 4, arbitrary: of("ThinkingDelta", fc.record({ agent_id, content: text })) },
  of("ToolRequest", fc.record({ agent_id, calls: fc.array(requested, { maxLength: 3 }) })),
  of(
    "ToolAwaitingApproval",
    fc.tuple(agent_id, requested).map(([id, rest]) => ({ agent_id: id, ...rest })),
  ),
  of("ToolStarted", fc.record({ agent_id, call_id: callId, name })),
  of("ToolDelta", fc.record({ agent_id, call_id: callId, content: text })),
  of("ToolCompleted", fc.record({ agent_id, call_id: callId, content: text })),
  of("ToolError", fc.record({ agent_id, call_id: callId, error: text })),
  of("Retrying", fc.record({ agent_id, attempt: count, error: text })),
  of(
    "Finished",
    fc.record({
      agent_id,
      usage: fc.option(
        fc.record({
          output_tokens: count,
          context_tokens: count,
          cache_creation_tokens: count,
          cache_read_tokens: count,
        }),
        { nil: undefined },
      ),
    }),
  ),
);

const result: fc.Arbitrary<CodeyResult> = fc.record(
  {
    text,
    sessionId: fc.constant("session-1"),
    rounds: fc.constant([]),
    thinking: text,
    toolCalls: fc.constant([]),
    usage: fc.record(
      {
        outputTokens: count,
        totalOutputTokens: count,
        contextTokens: count,
        cacheCreationTokens: count,
        cacheReadTokens: count,
        inexact: fc.constant(true),
      },
      {
        requiredKeys: [
          "outputTokens",
          "totalOutputTokens",
          "contextTokens",
          "cacheCreationTokens",
          "cacheReadTokens",
        ],
      },
    ),
  },
  { requiredKeys: ["text", "sessionId", "rounds", "thinking", "toolCalls"] },
);

const ERRORS = [
  'Stream error: ApiError { status: 529, body: "overloaded" }',
  "Stream error: ReqwestEventSource(StreamEnded)",
  "API error (no key)",
  "broke",
];

/** The facts of Codey. */
export const codeyFacts: FactSource<CodeyEvent, CodeyResult> = {
  event,
  result,
  error: fc
    .tuple(fc.constantFrom(...ERRORS), fc.boolean())
    .map(([message, fatal]) => codeyTurnError(message, fatal)),
  notice: fc.oneof(
    fc.record({ name: fc.constant("unknownMessage"), value: json }),
    fc.record({
      name: fc.constant("serverError"),
      value: fc.record({ type: fc.constant("Error"), message: text, fatal: fc.boolean() }),
    }),
  ),
};
