import type { ItemDeltaData, UniversalItem } from "../events.ts";
import { grown } from "./item-content.ts";
import { append, emptyList, replace } from "./list.ts";
import type {
  Draft,
  SessionBook,
  TranscriptConnection,
  TranscriptItem,
  TranscriptState,
} from "./transcript.ts";

type State = Draft<TranscriptState>;
type Book = Draft<SessionBook>;

/** A second start of an item is ignored. */
export function startItem(state: State, book: Book, item: UniversalItem, time: string): void {
  if (book.places.get(item.item_id) === undefined) addItem(state, book, item, time, null);
}

/** A delta of an unknown or completed item is ignored. */
export function growItem(state: State, book: Book, data: ItemDeltaData): void {
  const place = book.places.get(data.item_id);
  const item = place === undefined ? undefined : state.items.at(place);
  if (place === undefined || item?.status !== "in_progress") return;
  const content = grown(item, data, callIdOf(state, book, item));
  state.items = replace(state.items, place, { ...item, content });
}

/** An item whose start is missing is added. A second completion is ignored. */
export function completeItem(state: State, book: Book, item: UniversalItem, time: string): void {
  const place = book.places.get(item.item_id);
  const started = place === undefined ? undefined : state.items.at(place);
  if (place === undefined || !started) {
    addItem(state, book, item, time, time);
  } else if (started.status === "in_progress") {
    const { parent_id, session_id, turn_id, started_at } = started;
    const completed = { ...item, parent_id, session_id, turn_id, started_at, ended_at: time };
    state.items = replace(state.items, place, completed);
  } else {
    return;
  }
  const connection = connectionIn(item, time);
  if (connection) state.connection = connection;
}

function addItem(state: State, book: Book, item: UniversalItem, time: string, endedAt: string | null): void {
  const place = state.items.length;
  const { item_id, parent_id } = item;
  const added: TranscriptItem = {
    ...item,
    session_id: book.sessionId,
    turn_id: book.turn?.id ?? null,
    started_at: time,
    ended_at: endedAt,
  };
  if (parent_id !== null && book.places.get(parent_id) !== undefined) {
    const siblings = book.children.get(parent_id) ?? emptyList();
    book.children = book.children.with(parent_id, append(siblings, place));
  } else {
    state.roots = append(state.roots, place);
  }
  book.places = book.places.with(item_id, place);
  state.items = append(state.items, added);
}

/** A result starts without content: its parent is the call. */
function callIdOf(state: State, book: Book, item: TranscriptItem): string {
  const place = item.parent_id === null ? undefined : book.places.get(item.parent_id);
  const parent = place === undefined ? undefined : state.items.at(place);
  const call = parent?.content[0];
  return call?.type === "tool_call" ? call.call_id : (item.native_item_id ?? item.item_id);
}

const CONNECTION_STATES: ReadonlyMap<string, TranscriptConnection["state"]> = new Map([
  ["connection.lost", "lost"],
  ["connection.retrying", "retrying"],
  ["connection.restored", "connected"],
]);

function connectionIn({ kind, content }: UniversalItem, time: string): TranscriptConnection | undefined {
  const [status, more] = content;
  if (kind !== "status" || status?.type !== "status") return undefined;
  const state = CONNECTION_STATES.get(status.label);
  if (!state) return undefined;
  return { state, detail: status.detail, json: more?.type === "json" ? more.json : null, since: time };
}
