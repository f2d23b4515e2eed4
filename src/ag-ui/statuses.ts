// Maps status items: sub-agents, the words of the universal events, and progress.
import { defined, fieldsOf } from "../core/checks.ts";
import type { UniversalItem } from "../universal/events.ts";
import { partIn } from "../universal/transcript/draft.ts";
import { type AgUiEvent, agUi, custom } from "./event.ts";

const SUBAGENT = "subagent:";

/** The name and the task of a sub-agent. Undefined for any other status. */
export function subagentOf(item: UniversalItem) {
  const { label = "", detail } = partIn(item, "status") ?? {};
  if (!label.startsWith(SUBAGENT)) return undefined;
  const { agent_type = label.slice(SUBAGENT.length), name = detail, prompt } = jsonOf(item);
  return {
    name: String(name ?? agent_type),
    description: typeof prompt === "string" ? prompt : undefined,
    facts: { agentType: String(agent_type) },
  };
}

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
  const json = jsonOf(item);
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

function jsonOf(item: UniversalItem): Readonly<Record<string, unknown>> {
  return fieldsOf(partIn(item, "json")?.json);
}
