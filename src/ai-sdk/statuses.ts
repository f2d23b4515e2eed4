// Status items and the end of a turn, in the AI SDK's words.
import { defined, fieldsOf } from "../core/checks.ts";
import type { ItemCompleted, TurnEndMetadata } from "../universal/events.ts";
import { reduce } from "../universal/transcript/reduce.ts";
import { emptyTranscript } from "../universal/transcript/transcript.ts";
import type { AgentwireMetadata, Chunk, Sink } from "./message.ts";

/** The chunk of a status that is no sub-agent. The reducer reads its data, as it does for a chat. */
export function statusChunk(event: ItemCompleted, { key }: Pick<Sink, "key">): Chunk {
  const { item } = event.data;
  const [status] = item.content;
  const { label, detail } = status?.type === "status" ? status : { label: "", detail: null };
  const json = item.content.find((part) => part.type === "json")?.json;
  const { plan, context, modes, models, commands, messages } = reduce(emptyTranscript, event);
  const part = messages.at(0)?.parts.at(0);
  if (plan) return { type: "data-plan", id: "plan", data: { entries: plan } };
  if (context) return { type: "message-metadata", messageMetadata: { context } };
  if (modes) return { type: "data-mode", data: modes, transient: true };
  if (models) return { type: "data-model", data: models, transient: true };
  if (commands) return { type: "data-commands", data: { available: commands }, transient: true };
  if (part?.type === "status" && part.severity)
    return {
      type: "data-notice",
      id: key(item.item_id),
      data: { severity: part.severity, text: detail ?? "" },
    };
  if (label === "compaction") {
    const { state, summary } = fieldsOf(json);
    const data = {
      state: state === "started" ? state : "completed",
      ...(typeof summary === "string" ? { summary } : {}),
    } as const;
    return { type: "data-compaction", id: label, data };
  }
  if (label === "title") return { type: "data-title", id: label, data: { title: detail ?? "" } };
  const failed = item.status === "failed" ? ({ failed: true } as const) : {};
  return { type: "data-status", data: { label, detail, ...defined({ json }), ...failed }, transient: true };
}

export function metadataOf({ status, stop_reason, model, usage, cost }: TurnEndMetadata): AgentwireMetadata {
  const { input_tokens: inputTokens, output_tokens: outputTokens, context_tokens: used } = usage ?? {};
  const tokens = defined({
    inputTokens,
    outputTokens,
    totalTokens:
      inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens,
    cacheReadTokens: usage?.cache_read_tokens,
    cacheWriteTokens: usage?.cache_write_tokens,
  });
  return {
    status,
    ...defined({ stopReason: stop_reason, model, cost }),
    ...(Object.keys(tokens).length > 0 ? { usage: tokens } : {}),
    ...(used === undefined ? {} : { context: { used, ...defined({ size: usage?.context_window }) } }),
  };
}

export function finishReasonOf(stopReason: string | undefined): "stop" | "length" | "content-filter" {
  if (stopReason === "max_tokens" || stopReason === "length") return "length";
  return stopReason === "refusal" || stopReason === "content_filter" ? "content-filter" : "stop";
}
