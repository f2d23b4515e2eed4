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

/** A session. `none`: before the first event. */
export type TranscriptSession =
  | { readonly state: "none" }
  | (TranscriptSessionFacts & { readonly state: "open" })
  | (TranscriptSessionFacts & { readonly state: "ended"; readonly ended: SessionEndedData });

/** The known facts about a session. */
export interface TranscriptSessionFacts {
  readonly id: string;
  /** The backend's id. Null until known. */
  readonly nativeId: string | null;
  /** From `session.started`. */
  readonly metadata: Json | null;
}

/** A running turn. */
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
      /** The id for `chat.decide`. Unique across all sessions, clients and chats. */
      readonly id: string;
      /** The name of the tool. */
      readonly tool: string;
      /** The input as the backend sent it. */
      readonly input: unknown;
      /** What the call would change, if known. Text of files and of the agent: print it with `reveal`. */
      readonly preview?: readonly ToolPreview[];
      /**
       * The calls that a decision for the turn or the session would grant, in words: "`npm test` in the project".
       * Absent if the call can only be allowed once. The words quote the agent: print them with `reveal`.
       */
      readonly grant?: string;
      /** The name of the sub-agent that makes the call. Absent for the main agent, or if unknown. */
      readonly agent?: string;
    }
  | {
      readonly type: "question";
      /** The id for `chat.answer`. Unique across all sessions, clients and chats. */
      readonly id: string;
      readonly questions: readonly UniversalQuestion[];
    };

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

/** A choice of the user: a mode or a model. */
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

/** What a UI shows. Each event makes a new transcript. Unchanged parts stay the same objects. */
export interface Transcript {
  /** Oldest first, without hidden branches. Others may append or replace messages, not remove or move. */
  readonly messages: List<ChatMessage>;
  /** The hidden branches, by the id of their first message. Each contains the messages that follow it. */
  readonly branches: Dictionary<List<ChatMessage>>;
  /** The session that began last. `turn`, `pending` and `sequence` belong to it. */
  readonly session: TranscriptSession;
  readonly turn: OpenTurn | null;
  /** Requests that wait for the user, oldest first. */
  readonly pending: Dictionary<TranscriptRequest>;
  /** The last event's sequence. 0 before the first event. */
  readonly sequence: number;
  /** Whether events of a session are missing. */
  readonly hasGap: boolean;
  /** Tokens of all turns, added up. Those of the context and of the whole session are the latest. */
  readonly usage: UniversalUsage;
  /** The cost of all turns, one total per currency. */
  readonly cost: readonly UniversalCost[];
  /** The agent's plan. Null if the agent has sent none. */
  readonly plan: readonly PlanEntry[] | null;
  /** How full the model's context is, in tokens. Null if the backend has not reported it. */
  readonly context: TranscriptContext | null;
  /** The modes, models and commands of the agent. Null if it has none. */
  readonly modes: TranscriptChoice | null;
  readonly models: TranscriptChoice | null;
  readonly commands: readonly TranscriptCommand[] | null;
  /** @internal */
  readonly book: Book | null;
  /** The earlier sessions, by session id. @internal */
  readonly earlier: Dictionary<Book>;
}

/** The reducer's memory of one session. */
export interface Book {
  readonly sessionId: string;
  readonly sequence: number;
  /** Whether a chat, not a backend, makes the session's events. */
  readonly isOfChat: boolean;
  /** The transcript's `branches` at the last event. If they differ now, the indexes here are invalid. */
  readonly branches: Transcript["branches"];
  readonly session: Exclude<TranscriptSession, { readonly state: "none" }>;
  readonly turn: TurnBook | null;
  /** By the request's sequence, so that the oldest is first. */
  readonly pending: Dictionary<TranscriptRequest>;
  /** Where items, calls and requests are shown: see `keyOf`. */
  readonly places: Dictionary<Place>;
  /** The text that grew last. The next delta is mostly for the same text. */
  readonly growing: Growing | null;
}

/** The reducer's memory of a running turn. */
export interface TurnBook {
  readonly open: OpenTurn;
  /** The index of the prompt's message. Null if no event has shown the prompt. */
  readonly prompt: number | null;
  /** The index of the turn's message. Null if nothing of the turn is shown yet. */
  readonly message: number | null;
  /** Whether messages moved during the turn: its message may be in a hidden branch. */
  readonly isMoved: boolean;
  /** The first message of the branch to replace, until a message of the turn has replaced it. */
  readonly replaces: string | null;
  /** Whether the turn retries an earlier prompt. Then its own prompt is not shown. */
  readonly isAnew: boolean;
  /** The parts that the end of the turn must end. */
  readonly unfinished: Dictionary<Spot>;
  readonly error: { readonly data: ErrorData; readonly part: string } | null;
}

/** A list of parts, of a message or of a sub-agent. */
export interface Home {
  readonly message: number;
  /** The indexes of the sub-agents' parts around the list, outermost first. */
  readonly path: readonly number[];
}

export interface Spot extends Home {
  readonly index: number;
}

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
  /** A call. `text`: the arguments so far; null once they are complete. */
  | { readonly kind: "call"; readonly spot: Spot; readonly text: string | null }
  /** The result of a call, in the part of the call. */
  | { readonly kind: "result"; readonly spot: Spot; readonly isOpen: boolean };

export interface Growing {
  readonly itemId: string;
  readonly type: "text" | "reasoning";
  readonly spot: Spot;
}

/** Keys of `places`. Ids are unique only among items, calls, permissions or questions. */
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
