// The end of a turn: the last attributes of its span, and its metrics.
import type { Attributes } from "@opentelemetry/api";
import * as api from "@opentelemetry/api";
import { defined } from "../core/checks.ts";
import type { TurnEnded, UniversalUsage } from "../universal/events.ts";
import { messagesText } from "./content.ts";
import { CONTENT, GEN_AI, INVOKE_AGENT } from "./names.ts";
import { errorTypeOf, ours } from "./span-events.ts";
import { secondsSince, type Telemetry, type TurnSpan } from "./telemetry.ts";

/** `event`: absent if the stream has ended without the end of the turn. */
export function endOfTurn(turn: TurnSpan, telemetry: Telemetry, event?: TurnEnded): void {
  const { span, parts, model: requested, error, at } = turn;
  const { status, stop_reason, usage = {}, cost, model } = event?.data.metadata ?? { status: "cancelled" };
  // The error that ends a turn comes right before the end.
  const isOfEnd = error !== undefined && error.sequence + 1 === event?.sequence;
  const failure = status === "failed" ? errorTypeOf(isOfEnd ? error.type : undefined) : undefined;
  const firstChunk = telemetry.streams ? turn.firstChunk : undefined;
  span.setAttributes({
    ...defined({
      [GEN_AI.responseModel]: model,
      [GEN_AI.finishReasons]: stop_reason === undefined ? undefined : [stop_reason],
      [GEN_AI.firstChunk]: firstChunk,
      [GEN_AI.errorType]: failure,
      [GEN_AI.conversation]: event?.native_session_id ?? undefined, // known now, if not at the start
    }),
    ...tokensOf(usage),
    ...ours("turn", { status }),
    ...ours("context", { tokens: usage.context_tokens, window: usage.context_window }),
    ...ours("cost", { ...cost }),
  });
  if (failure !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
  if (parts.length > 0)
    span.setAttribute(CONTENT.output, messagesText("assistant", parts, stop_reason ?? "stop"));
  const { duration, firstChunk: first, tokens } = telemetry.instruments;
  const of: Attributes = {
    [GEN_AI.operation]: INVOKE_AGENT,
    [GEN_AI.provider]: telemetry.source,
    ...defined({ [GEN_AI.requestModel]: requested, [GEN_AI.responseModel]: model }),
  };
  duration.record(secondsSince(at), { ...of, ...defined({ [GEN_AI.errorType]: failure }) });
  if (firstChunk !== undefined) first.record(firstChunk, of);
  for (const [type, count] of [
    ["input", usage.input_tokens],
    ["output", usage.output_tokens],
  ] as const)
    if (count !== undefined) tokens.record(count, { ...of, [GEN_AI.tokenType]: type });
}

function tokensOf({
  input_tokens,
  output_tokens,
  cache_read_tokens,
  cache_write_tokens,
}: UniversalUsage): Attributes {
  return defined({
    [GEN_AI.inputTokens]: input_tokens,
    [GEN_AI.outputTokens]: output_tokens,
    [GEN_AI.cacheRead]: cache_read_tokens,
    [GEN_AI.cacheCreation]: cache_write_tokens,
  });
}
