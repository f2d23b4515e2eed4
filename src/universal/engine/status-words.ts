// The status labels that every reader knows (plan, context, notice, mode, ...), with their JSON.
import type { UniversalCost } from "../events.ts";
import type { NoticeSeverity } from "../transcript/message.ts";
import type {
  PlanEntry,
  TranscriptChoice,
  TranscriptCommand,
  TranscriptContext,
} from "../transcript/transcript.ts";
import type { Session, StatusDetails } from "./session.ts";

/** The known labels of status items, with their JSON. A reader shows an unknown label as a status. */
export interface StatusWords {
  /** The agent's plan. Replaces the previous plan. */
  readonly plan: { readonly entries: readonly PlanEntry[] };
  /** How full the model's context is. `cost`: of the session so far. */
  readonly context: TranscriptContext & { readonly cost?: UniversalCost };
  /** A message of the backend, not of the agent, to the user. Its text is in `detail`. */
  readonly notice: { readonly severity: NoticeSeverity };
  /** The backend shortens the history. `summary`: the text that replaces the old history. */
  readonly compaction: { readonly state: "started" | "completed"; readonly summary?: string };
  /** The modes that the user can choose from. */
  readonly mode: TranscriptChoice;
  /** The models that the user can choose from. */
  readonly model: TranscriptChoice;
  /** The commands that the agent knows. */
  readonly commands: { readonly available: readonly TranscriptCommand[] };
}

/** Adds a status with a known label, in a turn or between turns. */
export function sayWord<Word extends keyof StatusWords>(
  session: Session,
  word: Word,
  json: StatusWords[Word],
  { detail = null, ...details }: Omit<StatusDetails, "json"> & { readonly detail?: string | null } = {},
): void {
  session.status(word, detail, { ...details, json });
}
