import type {
  ErrorData,
  Json,
  PermissionData,
  QuestionData,
  SessionEndedData,
  TurnEndMetadata,
  TurnStartMetadata,
  UniversalCost,
  UniversalItem,
  UniversalUsage,
} from "../events.ts";
import { type Book, type Books, bookOf, noBooks } from "./books.ts";
import type { Dictionary } from "./dictionary.ts";
import { type Keyed, noneKeyed } from "./keyed.ts";
import { emptyList, type List } from "./list.ts";

/** An item so far. `content` is what the item started with and its deltas; in the end it is the content of `item.completed`. */
export interface TranscriptItem extends UniversalItem {
  /** Item ids are unique in a session. */
  readonly session_id: string;
  /** The turn in which the item started. Null: between turns. */
  readonly turn_id: string | null;
  /** `time` of the first event of the item. */
  readonly started_at: string;
  /** `time` of `item.completed`. */
  readonly ended_at: string | null;
}

/** A session. `none`: no event has come yet. */
export type TranscriptSession =
  | { readonly state: "none" }
  | (TranscriptSessionFacts & { readonly state: "open" })
  | (TranscriptSessionFacts & {
      readonly state: "ended";
      readonly ended: SessionEndedData;
      readonly endedAt: string;
    });

export interface TranscriptSessionFacts {
  readonly id: string;
  /** The backend's id. Null until known. */
  readonly nativeId: string | null;
  /** Of `session.started`. */
  readonly metadata: Json | null;
  /** `time` of the first event. */
  readonly startedAt: string;
}

/** A turn under way. */
export interface OpenTurn {
  readonly id: string;
  readonly metadata: TurnStartMetadata | null;
  readonly startedAt: string;
}

/** A turn that is over. `metadata` has its status, usage and cost. */
export interface EndedTurn {
  readonly id: string;
  readonly sessionId: string;
  readonly metadata: TurnEndMetadata;
  /** Null: the start of the turn was not seen. */
  readonly startedAt: string | null;
  readonly endedAt: string;
}

/** A request that waits for the user. `data.metadata.request_id` goes to `client.decide` or `client.answer`. */
export type TranscriptRequest =
  | {
      readonly type: "permission";
      readonly id: string;
      readonly data: PermissionData;
      readonly since: string;
    }
  | { readonly type: "question"; readonly id: string; readonly data: QuestionData; readonly since: string };

/** What the status items `connection.*` and the start of a session have said last. */
export interface TranscriptConnection {
  readonly state: "unknown" | "connected" | "lost" | "retrying";
  readonly detail: string | null;
  /** What else the status item holds, such as the attempt and the delay. */
  readonly json: Json | null;
  /** `time` of the event. */
  readonly since: string | null;
}

/** Events of a session that did not arrive. */
export interface TranscriptGap {
  readonly sessionId: string;
  /** `sequence` of the last event before the gap. 0: the first events of the session are missing. */
  readonly after: number;
  /** The number of missing events. */
  readonly missing: number;
}

/** What the events have said so far. Each event makes a new state, and parts that the event does not touch stay the same objects. */
export interface TranscriptState {
  /** The session that began last. `turn` and `pending` belong to it. */
  readonly session: TranscriptSession;
  readonly turn: OpenTurn | null;
  /** What waits for the user, by id, oldest first. */
  readonly pending: Keyed<TranscriptRequest>;
  /** The items of all sessions, in the order of their start. */
  readonly items: List<TranscriptItem>;
  /** The turns that are over, in the order of their end. */
  readonly turns: List<EndedTurn>;
  readonly connection: TranscriptConnection;
  /** Over all turns: tokens are added; `context_tokens` and `total_output_tokens` are the last ones. */
  readonly usage: UniversalUsage;
  /** The cost of all turns, one entry for each currency. */
  readonly costs: readonly UniversalCost[];
  readonly lastError: (ErrorData & { readonly time: string }) | null;
  /** The number of `agent.unparsed` events. */
  readonly unparsed: number;
  readonly gaps: List<TranscriptGap>;
  /** Places in `items` of the items without a parent: see `childrenOf`. */
  readonly roots: List<number>;
  /** @internal */
  readonly books: Books<SessionBook>;
}

/** What the reducer remembers of one session. */
export interface SessionBook extends Book {
  readonly session: Exclude<TranscriptSession, { readonly state: "none" }>;
  readonly turn: OpenTurn | null;
  readonly pending: Keyed<TranscriptRequest>;
  /** The place in `items` of each item. */
  readonly places: Dictionary<number>;
  /** The places in `items` of the children of each item that has some. */
  readonly children: Dictionary<List<number>>;
}

/** The state before the first event. */
export const emptyTranscript: TranscriptState = {
  session: { state: "none" },
  turn: null,
  pending: noneKeyed(),
  items: emptyList(),
  turns: emptyList(),
  connection: { state: "unknown", detail: null, json: null, since: null },
  usage: {},
  costs: [],
  lastError: null,
  unparsed: 0,
  gaps: emptyList(),
  roots: emptyList(),
  books: noBooks(),
};

/**
 * The item with this id. Takes as long in a long transcript as in a short one.
 *
 * @param sessionId ids are unique in a session. Default: the session that began last
 */
export function itemOf(
  state: TranscriptState,
  itemId: string,
  sessionId?: string,
): TranscriptItem | undefined {
  const place = bookIn(state, sessionId)?.places.get(itemId);
  return place === undefined ? undefined : state.items.at(place);
}

/**
 * The children of an item, in the order of their start; for `null` the items without a parent, of all sessions. Takes as long as the answer is.
 * An item whose parent never started is one without a parent.
 *
 * @param sessionId ids are unique in a session. Default: the session that began last
 */
export function childrenOf(
  state: TranscriptState,
  itemId: string | null,
  sessionId?: string,
): readonly TranscriptItem[] {
  const { roots, items } = state;
  const places = itemId === null ? roots : bookIn(state, sessionId)?.children.get(itemId);
  const children: TranscriptItem[] = [];
  for (const place of places ?? []) {
    const item = items.at(place);
    if (item) children.push(item);
  }
  return children;
}

function bookIn({ books }: TranscriptState, sessionId: string | undefined): SessionBook | undefined {
  return sessionId === undefined ? (books.current ?? undefined) : bookOf(books, sessionId);
}

/** A value that is changed while one event is applied to a copy of it. */
export type Draft<T> = { -readonly [Key in keyof T]: T[Key] };
