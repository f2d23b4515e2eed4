// Frames about memories that the server consolidates now and then.
import type { ProfileName, Settings } from "./profiles.ts";
import type { CassServerFrame } from "./server-frame.ts";
import type { CassConversation } from "./store.ts";

const WISH = "<memory:summarize>";

/** Whether the memories of a conversation are to be consolidated now. */
export function isDue(
  { messages, summarized }: CassConversation,
  raw: string,
  { consolidateAfter }: Settings,
): boolean {
  return (
    raw.includes(WISH) || (consolidateAfter !== "off" && messages.length - summarized >= consolidateAfter)
  );
}

/** What is told of it. */
export function consolidationFrames(
  count: number,
  consolidation: Settings["consolidation"],
  profile: ProfileName,
): readonly CassServerFrame[] {
  const system = (status: string, message: string): CassServerFrame =>
    profile === "documented" ? { type: "system", message } : { type: "system", message, status };
  const evaluating = system("evaluating", `🔍 Evaluating memory consolidation (${count} messages)...`);
  const summarizing = system("summarizing", `📝 Consolidating ${count} messages into memory...`);
  switch (consolidation) {
    case "deferred":
      return [evaluating, system("deferred", "⏸ Deferring memory consolidation: the topic is still open")];
    case "failed":
      return [evaluating, summarizing, system("error", "❌ Memory consolidation failed")];
    case "complete":
      return [
        evaluating,
        summarizing,
        system("complete", `✓ Memory consolidated (${count} messages summarized)`),
        system("working_summary", "🔄 Updating working summary..."),
        system("complete", "✓ Working summary updated"),
      ];
  }
}
