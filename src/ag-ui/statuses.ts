// Maps status items: the words of the universal events, and progress.
import { defined } from "../core/checks.ts";
import type { UniversalItem } from "../universal/events.ts";
import { fieldsIn, partIn } from "../universal/item-content.ts";
import { type AgUiEvent, agUi, custom } from "./event.ts";

/** Structured content that keeps its place between the messages. The same id replaces it. */
export function activity(
  activityType: string,
  messageId: string,
  content: Record<string, unknown>,
  subagentRunId?: string,
): AgUiEvent {
  return agUi({ type: "ACTIVITY_SNAPSHOT", messageId, activityType, content, subagentRunId });
}

interface StatusPlace {
  readonly messageId: string;
  readonly turn: string;
  readonly subagentRunId: string | undefined;
}

/** What the user reads is an activity. All else is a `CUSTOM` event, because AG-UI's state belongs to the app. */
export function statusEvent(item: UniversalItem, { messageId, turn, subagentRunId }: StatusPlace): AgUiEvent {
  const { label, detail } = partIn(item, "status") ?? { label: "", detail: null };
  const json = fieldsIn(item);
  switch (label) {
    case "plan": // the newest plan of a turn replaces the one before
      return activity("plan", `${turn}:plan`, json, subagentRunId);
    case "notice":
      return activity("notice", messageId, { severity: "info", ...json, text: detail }, subagentRunId);
    case "compaction":
      return activity("compaction", messageId, { ...json, text: detail }, subagentRunId);
    default: {
      const failed = item.status === "failed" ? true : undefined;
      const value = defined({ label, detail, json: partIn(item, "json")?.json, failed });
      return custom("status", value, subagentRunId);
    }
  }
}
