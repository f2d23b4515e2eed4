// The end of a turn: the last attributes of its span, and its metrics.
import type { Attributes } from "@opentelemetry/api";
import { defined } from "../core/checks.ts";
import type { UniversalEvent } from "../universal/events.ts";
import {
  AGENTWIRE_STATUS,
  ERROR_TYPE,
  GEN_AI_CACHE_CREATION_TOKENS,
  GEN_AI_CACHE_READ_TOKENS,
  GEN_AI_CONVERSATION_ID,
  GEN_AI_FINISH_REASONS,
  GEN_AI_INPUT_TOKENS,
  GEN_AI_OPERATION_NAME,
  GEN_AI_OUTPUT_TOKENS,
  GEN_AI_PROVIDER_NAME,
  GEN_AI_REQUEST_MODEL,
  GEN_AI_RESPONSE_MODEL,
  GEN_AI_TIME_TO_FIRST_CHUNK,
  GEN_AI_TOKEN_TYPE,
  INVOKE_AGENT,
  OTHER_ERROR,
} from "./names.ts";
import { ours } from "./span-events.ts";
import { secondsSince, type Telemetry, type TurnFacts } from "./telemetry.ts";

const NO_ERROR = ["", 0] as const;

/** `event`: what ends the turn. Only `turn.ended` says how. */
export function endOfTurn(
  { firstChunk, error: [type, sequence] = NO_ERROR }: TurnFacts,
  event: UniversalEvent | undefined,
): Attributes {
  const metadata = event?.type === "turn.ended" ? event.data.metadata : undefined;
  const { status = "cancelled", stop_reason: finish, usage = {}, cost, model } = metadata ?? {};
  // The error that ends a turn comes right before the end.
  const error = sequence + 1 === event?.sequence ? type : OTHER_ERROR;
  return {
    [AGENTWIRE_STATUS]: status,
    [ERROR_TYPE]: status === "failed" ? error : undefined,
    [GEN_AI_CONVERSATION_ID]: event?.native_session_id ?? undefined, // may be known only now
    [GEN_AI_RESPONSE_MODEL]: model,
    [GEN_AI_FINISH_REASONS]: finish === undefined ? finish : [finish],
    [GEN_AI_TIME_TO_FIRST_CHUNK]: firstChunk,
    [GEN_AI_INPUT_TOKENS]: usage.input_tokens,
    [GEN_AI_OUTPUT_TOKENS]: usage.output_tokens,
    [GEN_AI_CACHE_READ_TOKENS]: usage.cache_read_tokens,
    [GEN_AI_CACHE_CREATION_TOKENS]: usage.cache_write_tokens,
    ...ours("context", { tokens: usage.context_tokens, window: usage.context_window }),
    ...ours("cost", { ...cost }),
  };
}

export function recordTurn(
  { at, model, firstChunk }: TurnFacts,
  attributes: Attributes,
  { instruments, source }: Telemetry,
): void {
  const of = defined({
    [GEN_AI_OPERATION_NAME]: INVOKE_AGENT,
    [GEN_AI_PROVIDER_NAME]: source,
    [GEN_AI_REQUEST_MODEL]: model,
    [GEN_AI_RESPONSE_MODEL]: attributes[GEN_AI_RESPONSE_MODEL],
    [ERROR_TYPE]: attributes[ERROR_TYPE],
  });
  instruments.duration.record(secondsSince(at), of);
  if (firstChunk !== undefined) instruments.firstChunk.record(firstChunk, of);
  const counts = { input: attributes[GEN_AI_INPUT_TOKENS], output: attributes[GEN_AI_OUTPUT_TOKENS] };
  for (const [type, count] of Object.entries(counts))
    if (typeof count === "number") instruments.tokens.record(count, { ...of, [GEN_AI_TOKEN_TYPE]: type });
}
