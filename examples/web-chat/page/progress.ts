import type { CassEvent } from "agentwire/cass";

type Thinking = Extract<CassEvent, { type: "thinking" }>;

/** What Cass is doing, for people; nothing that a server may say is left out. */
export function progressOf({ progress, status }: Thinking): string {
  switch (progress.kind) {
    case "retrieving":
      return "Looks through her memories";
    case "processing":
      return "Begins to think";
    case "generating":
      return `Thinks, with ${progress.by}`;
    case "tools":
      return `Uses ${progress.tools.join(", ")}`;
    case "intro":
      return "Prepares to introduce herself";
    case "demo":
      return "Thinks";
    case "other":
      return status.replace(/(\.\.\.|…)$/, ""); // the page has dots of its own
  }
}

/** How many memories a turn began with; undefined where the server does not tell. */
export function countOf(memories: Thinking["memories"]): number | undefined {
  if (memories === undefined) return undefined;
  // The record is open: newer servers count more, and every count is called so. Tools are no memories.
  const counts = Object.entries(memories).filter(
    ([name]) => name.endsWith("_count") && name !== "tool_count",
  );
  return counts.reduce((sum, [, count]) => sum + (typeof count === "number" ? count : 0), 0);
}
