import type { ContentPart, DeltaPart, ItemDeltaData, UniversalItem } from "../events.ts";

/**
 * The content of an item, with one more delta. The last part of the delta's stream grows, and the first delta of a stream adds a part. So the
 * work is bounded by the content that the item started with, which is empty for an item with deltas.
 *
 * @param callId of the call, for the first output of its result
 */
export function grown(item: UniversalItem, data: ItemDeltaData, callId: string): readonly ContentPart[] {
  const { content } = item;
  const { delta, part } = data;
  const type = partType(streamOf(item, part));
  for (let at = content.length - 1; at >= 0; at--) {
    const old = content[at];
    if (old?.type === type) return content.map((each, index) => (index === at ? longer(old, delta) : each));
  }
  return [...content, longer(emptyPart(type, part, callId), delta)];
}

type Stream = DeltaPart["type"];
type GrowingPart = Extract<
  ContentPart,
  { readonly type: "text" | "reasoning" | "tool_call" | "tool_result" }
>;

/** A delta of the base schema does not name its stream. */
function streamOf({ kind, content }: UniversalItem, part: DeltaPart | undefined): Stream {
  if (part) return part.type;
  switch (kind) {
    case "tool_call":
      return "tool_arguments";
    case "tool_result":
      return "tool_output";
    case "message":
    case "system":
    case "status":
    case "unknown":
      return content.at(-1)?.type === "reasoning" ? "reasoning" : "text";
  }
}

function partType(stream: Stream): GrowingPart["type"] {
  switch (stream) {
    case "text":
    case "reasoning":
      return stream;
    case "tool_arguments":
      return "tool_call";
    case "tool_output":
      return "tool_result";
  }
}

function emptyPart(type: GrowingPart["type"], part: DeltaPart | undefined, callId: string): GrowingPart {
  switch (type) {
    case "text":
      return { type, text: "" };
    case "reasoning":
      return { type, text: "", visibility: part?.visibility ?? "public" };
    case "tool_call":
      return { type, name: "unknown", arguments: "", call_id: callId };
    case "tool_result":
      return { type, call_id: callId, output: "" };
  }
}

function longer(part: ContentPart, delta: string): ContentPart {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: part.text + delta };
    case "tool_call":
      return { ...part, arguments: part.arguments + delta };
    case "tool_result":
      return { ...part, output: part.output + delta };
    case "file_ref":
    case "image":
    case "json":
    case "status":
      return part;
  }
}
