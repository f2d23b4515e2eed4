// The last event of a run whose turn has ended.
import type { TokenUsage } from "@ag-ui/core";
import { defined } from "../core/checks.ts";
import type { ErrorData, TurnEndMetadata } from "../universal/events.ts";
import { describeErrorData } from "../universal/words/describe-error-data.ts";
import { type AgUiEvent, type AgUiRun, agUi, facts, sentences } from "./event.ts";

/** @param metadata undefined if the stream ended before the turn @param error the error that ended the turn */
export function runEnd(
  run: AgUiRun,
  turnId: string,
  metadata: TurnEndMetadata | undefined,
  error: ErrorData | undefined,
): AgUiEvent {
  const usage = metadata && usageOf(metadata);
  const { status = "failed", cost, model, stop_reason: stopReason, usage: tokens } = metadata ?? {};
  const own = { turnId, cost, model, stopReason, usage: tokens };
  if (status !== "failed") {
    const outcome = { type: status === "completed" ? ("success" as const) : ("cancelled" as const) };
    return agUi({ type: "RUN_FINISHED", ...run, outcome, usage, metadata: facts(own) });
  }
  const { title, detail, retry, code } = error
    ? { ...describeErrorData(error), code: error.code ?? undefined }
    : { title: "The turn has no end", detail: "", retry: "ask", code: "incomplete" };
  return agUi({
    type: "RUN_ERROR",
    message: sentences(title, detail),
    code,
    usage,
    metadata: facts({ ...own, retry, error: error?.message }),
  });
}

/** The tokens of a turn. Counts that are not whole numbers are left out, because AG-UI refuses them. */
function usageOf({ usage = {}, model }: TurnEndMetadata): TokenUsage[] | undefined {
  const [input, output] = [count(usage.input_tokens), count(usage.output_tokens)];
  const counts = defined({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input === undefined || output === undefined ? undefined : count(input + output),
    cachedInputTokens: count(usage.cache_read_tokens),
    cacheWriteInputTokens: count(usage.cache_write_tokens),
  });
  if (Object.keys(counts).length === 0) return undefined;
  return [typeof model === "string" ? { model, ...counts } : counts];
}

function count(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
}
