import type { ChatMessage } from "agentwire/chat";

/** How many memories an answer began with. Absent where the backend does not tell. */
export function memoriesOf({ parts }: ChatMessage): number | undefined {
  for (const part of parts) {
    if (part.type !== "status" || !isObject(part.json)) continue;
    const { memories } = part.json;
    if (isObject(memories)) return countIn(memories);
  }
  return undefined;
}

/** The record is open: newer servers count more, and every count is called so. Tools are no memories. */
function countIn(memories: Readonly<Record<string, unknown>>): number {
  const counts = Object.entries(memories).filter(
    ([name]) => name.endsWith("_count") && name !== "tool_count",
  );
  return counts.reduce((sum, [, count]) => sum + (typeof count === "number" ? count : 0), 0);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
