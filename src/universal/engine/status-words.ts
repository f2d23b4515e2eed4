// The words: status labels that every reader knows (plan, context, notice, mode, ...), with their JSON.
import type { UniversalCost } from "../events.ts";
import type { NoticeSeverity } from "../transcript/message.ts";
import type {
  PlanEntry,
  TranscriptChoice,
  TranscriptCommand,
  TranscriptContext,
} from "../transcript/transcript.ts";
import type { Session, StatusDetails } from "./session.ts";

/** The labels of status items that every reader knows, with their JSON. A reader that does not know a label shows a status. */
export interface StatusWords {
  /** The agent's plan, which replaces the last one. */
  readonly plan: { readonly entries: readonly PlanEntry[] };
  /** How full the model's context is. `cost`: of the session so far. */
  readonly context: TranscriptContext & { readonly cost?: UniversalCost };
  /** A message of the backend to the user, in `detail`. It is no word of the agent. */
  readonly notice: { readonly severity: NoticeSeverity };
  /** The backend shortens the history: `started`, then `completed`. `summary`: the text that stands for the old history now. */
  readonly compaction: { readonly state: "started" | "completed"; readonly summary?: string };
  /** The modes that the user can choose from. */
  readonly mode: TranscriptChoice;
  /** The models that the user can choose from. */
  readonly model: TranscriptChoice;
  /** The commands that the agent knows. */
  readonly commands: { readonly available: readonly TranscriptCommand[] };
}

/** Says such a word, in a turn or between turns. */
export function sayWord<Word extends keyof StatusWords>(
  session: Session,
  word: Word,
  json: StatusWords[Word],
  { detail = null, ...details }: Omit<StatusDetails, "json"> & { readonly detail?: string | null } = {},
): void {
  session.status(word, detail, { ...details, json });
}
