import { defined } from "../../core/checks.ts";
import type { UniversalCost } from "../events.ts";
import type { NoticeSeverity } from "../transcript/message.ts";
import type {
  PlanEntry,
  TranscriptChoice,
  TranscriptCommand,
  TranscriptContext,
} from "../transcript/transcript.ts";
import type { Session } from "./session.ts";
import type { StatusDetails } from "./session-details.ts";

// What a mapping says by status items with JSON. A reader that does not know the label shows a status.

type Said = Pick<StatusDetails, "stated" | "agent">;

/** The agent's plan, which replaces the last one. */
export function sayPlan(session: Session, entries: readonly PlanEntry[], said: Said = {}): void {
  session.status("plan", null, { ...said, json: { entries } });
}

/** How full the model's context is, told before the end of a turn or between turns. `cost`: of the session so far. */
export function sayContext(
  session: Session,
  context: TranscriptContext & { readonly cost?: UniversalCost },
  said: Said = {},
): void {
  session.status("context", null, { ...said, json: context });
}

/** A message of the backend to the user, which is no word of the agent. */
export function sayNotice(session: Session, text: string, severity: NoticeSeverity, said: Said = {}): void {
  session.status("notice", text, { ...said, json: { severity } });
}

/** The backend shortens the history: `started`, then `completed`. `summary`: the text that stands for the old history now. */
export function sayCompaction(
  session: Session,
  state: "started" | "completed",
  summary: string | undefined,
  said: Said = {},
): void {
  session.status("compaction", null, { ...said, json: { state, ...defined({ summary }) } });
}

/** The modes or the models that the user can choose from. */
export function sayChoice(session: Session, what: "mode" | "model", choice: TranscriptChoice): void {
  session.status(what, null, { json: choice });
}

/** The commands that the agent knows. */
export function sayCommands(session: Session, available: readonly TranscriptCommand[]): void {
  session.status("commands", null, { json: { available } });
}
