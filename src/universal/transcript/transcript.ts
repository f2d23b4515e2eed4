// The state of the reducer, as types: messages, requests, turns, plan and context.
import type {
  ErrorData,
  Json,
  SessionEndedData,
  ToolPreview,
  TurnStartMetadata,
  UniversalCost,
  UniversalQuestion,
  UniversalUsage,
} from "../events.ts";
import { type Dictionary, emptyDictionary } from "./dictionary.ts";
import { emptyList, type List } from "./list.ts";
import type { ChatMessage } from "./message.ts";

/** A session. `none`: no event has come yet. */
export type TranscriptSession =
  | { readonly state: "none" }
  | (TranscriptSessionFacts & { readonly state: "open" })
  | (TranscriptSessionFacts & { readonly state: "ended"; readonly ended: SessionEndedData });

/** What is known of a session. */
export interface TranscriptSessionFacts {
  readonly id: string;
  /** The backend's id. Null until known. */
  readonly nativeId: string | null;
  /** Of `session.started`. */
  readonly metadata: Json | null;
}

/** A turn under way. */
export interface OpenTurn {
  readonly id: string;
  readonly metadata: TurnStartMetadata | null;
  /** ms since the epoch. */
  readonly startedAt: number;
}

/** A request that waits for the user. */
export type TranscriptRequest =
  | {
      readonly type: "approval";
      /** Unique over all sessions. */
      readonly id: string;
      /** The name of the tool. */
      readonly tool: string;
      readonly input: unknown;
      /** What the call would change, as far as it can be told. */
      readonly preview?: readonly ToolPreview[];
      /** What the decisions `turn` and `session` would allow, in words. */
      readonly grant?: string;
      /** The name of the sub-agent that asks. */
      readonly agent?: string;
    }
  | { readonly type: "question"; readonly id: string; readonly questions: readonly UniversalQuestion[] };

/** One step of a plan. */
export interface PlanEntry {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly priority?: "high" | "medium" | "low";
}

/** How full the model's context is, in tokens. */
export interface TranscriptContext {
  readonly used: number;
  readonly size?: number;
}

/** Something that can be chosen: a mode, a model. */
export interface TranscriptChoice {
  readonly current: string | null;
  readonly available: readonly {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
  }[];
}

/** A command that the agent knows. */
export interface TranscriptCommand {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

/** What a user interface shows. Each event makes a new transcript, and what the event does not touch stays the same object. */
export interface Transcript {
  /** Oldest first: of branches, those that are shown. Others may append messages and replace messages, but must not remove or move one. */
  readonly messages: List<ChatMessage>;
  /** The branches that are not shown, by the id of their first message: that message, and all that follows it. */
  readonly branches: Dictionary<List<ChatMessage>>;
  /** The session that began last. `turn`, `pending` and `sequence` belong to it. */
  readonly session: TranscriptSession;
  readonly turn: OpenTurn | null;
  /** What waits for the user, oldest first. */
  readonly pending: Dictionary<TranscriptRequest>;
  /** Of the last event. 0: none has come. */
  readonly sequence: number;
  /** Whether events of a session are missing. */
  readonly hasGap: boolean;
  /** Over all turns: tokens are added; those of the context and of the whole session are the last ones. */
  readonly usage: UniversalUsage;
  /** The cost of all turns: one total for each currency. */
  readonly cost: readonly UniversalCost[];
  /** The agent's plan. Null: it has none. */
  readonly plan: readonly PlanEntry[] | null;
  readonly context: TranscriptContext | null;
  readonly modes: TranscriptChoice | null;
  readonly models: TranscriptChoice | null;
  readonly commands: readonly TranscriptCommand[] | null;
  /** @internal */
  readonly book: Book | null;
  /** Of the sessions before, by session id. @internal */
  readonly earlier: Dictionary<Book>;
}

/** What the reducer remembers of one session. */
export interface Book {
  readonly sessionId: string;
  /** Of the last event. */
  readonly sequence: number;
  /** Whether a chat tells the session, and no backend. */
  readonly isOfChat: boolean;
  /** `branches` of the transcript at the last event. Others since: the indexes here say nothing any more. */
  readonly branches: Transcript["branches"];
  readonly session: Exclude<TranscriptSession, { readonly state: "none" }>;
  readonly turn: TurnBook | null;
  /** By the sequence of the request, so that the oldest comes first. */
  readonly pending: Dictionary<TranscriptRequest>;
  /** Where items, calls and requests are shown: see `keyOf`. */
  readonly places: Dictionary<Place>;
  /** The text that grew last: the next delta is mostly for the same one. */
  readonly growing: Growing | null;
}

/** What the reducer remembers of a turn under way. */
export interface TurnBook {
  readonly open: OpenTurn;
  /** The index of the prompt's message. Null: no event has told of the prompt. */
  readonly prompt: number | null;
  /** The index of the turn's message. Null: nothing of the turn is shown yet. */
  readonly message: number | null;
  /** Whether messages have moved since the turn began: its message may be in a branch that is not shown. */
  readonly isMoved: boolean;
  /** The first message of the branch that the turn replaces, until a message of the turn has taken its place. */
  readonly replaces: string | null;
  /** Whether the turn answers an earlier prompt anew: its own prompt is not shown. */
  readonly isAnew: boolean;
  /** The parts that the end of the turn has to end. */
  readonly unfinished: Dictionary<Spot>;
  /** The last error of the turn, and its part. */
  readonly error: { readonly data: ErrorData; readonly part: string } | null;
}

/** A list of parts: of a message, or of sub-agents in it. */
export interface Home {
  /** The index of the message. */
  readonly message: number;
  /** The indexes of the sub-agents' parts that lead to the list, outermost first. */
  readonly path: readonly number[];
}

/** One part. */
export interface Spot extends Home {
  readonly index: number;
}

/** Where an item is shown. */
export type Place =
  | { readonly kind: "user"; readonly message: number }
  /** A message, system or unknown item. `parts`: the indexes of its parts. */
  | {
      readonly kind: "content";
      readonly home: Home;
      readonly parts: readonly number[];
      readonly isOpen: boolean;
    }
  | { readonly kind: "agent" | "status"; readonly spot: Spot }
  /** `waits`: the key in `pending`. */
  | { readonly kind: "permission" | "question"; readonly spot: Spot; readonly waits: string }
  /** A call, and what belongs to it. `text`: the arguments so far; null once they are complete. */
  | { readonly kind: "call"; readonly spot: Spot; readonly text: string | null }
  /** The result of a call, in the part of the call. */
  | { readonly kind: "result"; readonly spot: Spot; readonly isOpen: boolean };

/** A text part that grows. */
export interface Growing {
  readonly itemId: string;
  readonly type: "text" | "reasoning";
  readonly spot: Spot;
}

/** Keys of `places`: ids of items, calls, permissions and questions are unique among their kind. */
export const keyOf = {
  item: (id: string): string => `i ${id}`,
  call: (id: string): string => `c ${id}`,
  permission: (id: string): string => `p ${id}`,
  question: (id: string): string => `q ${id}`,
};

/** The transcript before the first event. */
export const emptyTranscript: Transcript = {
  messages: emptyList(),
  branches: emptyDictionary(),
  session: { state: "none" },
  turn: null,
  pending: emptyDictionary(),
  sequence: 0,
  hasGap: false,
  usage: {},
  cost: [],
  plan: null,
  context: null,
  modes: null,
  models: null,
  commands: null,
  book: null,
  earlier: emptyDictionary(),
};
