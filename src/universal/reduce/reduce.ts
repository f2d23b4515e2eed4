import type { UniversalCost, UniversalEvent, UniversalUsage } from "../events.ts";
import { bookOf, withBook } from "./books.ts";
import { emptyDictionary } from "./dictionary.ts";
import { noneKeyed } from "./keyed.ts";
import { append } from "./list.ts";
import { completeItem, growItem, startItem } from "./reduce-items.ts";
import { type Draft, emptyTranscript, type SessionBook, type TranscriptState } from "./transcript.ts";

/**
 * The state after one more event. The work does not grow with the number of events. Never throws.
 *
 * - An event whose `sequence` is not above the last one of its session was seen before: the same state is returned.
 * - Missing events are noted in `gaps`.
 * - An event of an unknown session begins a session in the same state: its items are appended.
 * - A delta or a decision without its beginning is ignored.
 */
export function reduce(state: TranscriptState, event: UniversalEvent): TranscriptState {
  const known = bookOf(state.books, event.session_id);
  const last = known?.sequence ?? 0;
  if (!(event.sequence > last)) return state;

  const draft: Draft<TranscriptState> = { ...state };
  const book: Draft<SessionBook> = known ? { ...known } : newBook(event);
  book.sequence = event.sequence;
  if (event.sequence > last + 1) {
    const missing = event.sequence - last - 1;
    draft.gaps = append(state.gaps, { sessionId: event.session_id, after: last, missing });
  }
  const native = event.native_session_id;
  if (native !== null && native !== book.session.nativeId) {
    book.session = { ...book.session, nativeId: native };
  }
  apply(draft, book, event);
  draft.books = withBook(state.books, book);
  if (draft.books.current === book) {
    draft.session = book.session;
    draft.turn = book.turn;
    draft.pending = book.pending;
  }
  return draft;
}

/** The state after all these events: what `reduce` makes of them one by one. */
export function fold(
  events: Iterable<UniversalEvent>,
  from: TranscriptState = emptyTranscript,
): TranscriptState {
  let state = from;
  for (const event of events) state = reduce(state, event);
  return state;
}

function newBook(event: UniversalEvent): SessionBook {
  return {
    sessionId: event.session_id,
    sequence: 0,
    session: {
      state: "open",
      id: event.session_id,
      nativeId: event.native_session_id,
      metadata: null,
      startedAt: event.time,
    },
    turn: null,
    pending: noneKeyed(),
    places: emptyDictionary(),
    children: emptyDictionary(),
  };
}

function apply(draft: Draft<TranscriptState>, book: Draft<SessionBook>, event: UniversalEvent): void {
  const { time } = event;
  switch (event.type) {
    case "session.started": {
      const { id, nativeId, startedAt } = book.session;
      book.session = { state: "open", id, nativeId, startedAt, metadata: event.data.metadata };
      draft.connection = { state: "connected", detail: null, json: null, since: time };
      return;
    }
    case "session.ended":
      book.session = { ...book.session, state: "ended", ended: event.data, endedAt: time };
      book.turn = null;
      book.pending = noneKeyed();
      return;
    case "turn.started":
      book.turn = { id: event.data.turn_id, metadata: event.data.metadata ?? null, startedAt: time };
      return;
    case "turn.ended": {
      const { turn_id: id, metadata } = event.data;
      const startedAt = book.turn?.id === id ? book.turn.startedAt : null;
      draft.turns = append(draft.turns, {
        id,
        sessionId: event.session_id,
        metadata,
        startedAt,
        endedAt: time,
      });
      if (metadata.usage) draft.usage = addUsage(draft.usage, metadata.usage);
      if (metadata.cost) draft.costs = addCost(draft.costs, metadata.cost);
      // Turns of a session never overlap, and requests end with their turn. After a gap this ends what the missing events have ended.
      book.turn = null;
      book.pending = noneKeyed();
      return;
    }
    case "item.started":
      startItem(draft, book, event.data.item, time);
      return;
    case "item.delta":
      growItem(draft, book, event.data);
      return;
    case "item.completed":
      completeItem(draft, book, event.data.item, time);
      return;
    case "permission.requested": {
      const { data } = event;
      const id = data.permission_id;
      book.pending = book.pending.with(id, { type: "permission", id, data, since: time });
      return;
    }
    case "question.requested": {
      const { data } = event;
      const id = data.question_id;
      book.pending = book.pending.with(id, { type: "question", id, data, since: time });
      return;
    }
    case "permission.resolved":
      settle(book, "permission", event.data.permission_id);
      return;
    case "question.resolved":
      settle(book, "question", event.data.question_id);
      return;
    case "error":
      draft.lastError = { ...event.data, time };
      return;
    case "agent.unparsed":
      draft.unparsed++;
      return;
  }
}

function settle(book: Draft<SessionBook>, type: "permission" | "question", id: string): void {
  if (book.pending.get(id)?.type === type) book.pending = book.pending.without(id);
}

const ADDED = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;

function addUsage(total: UniversalUsage, more: UniversalUsage): UniversalUsage {
  const sum: Draft<UniversalUsage> = { ...total, ...more };
  for (const name of ADDED) {
    const before = total[name];
    const added = more[name];
    if (before !== undefined && added !== undefined) sum[name] = before + added;
  }
  return sum;
}

/** The few currencies of a transcript are copied. */
function addCost(costs: readonly UniversalCost[], more: UniversalCost): readonly UniversalCost[] {
  const at = costs.findIndex(({ currency }) => currency === more.currency);
  const before = costs[at];
  if (!before) return [...costs, more];
  const sum: UniversalCost = { total: before.total + more.total, currency: more.currency };
  return costs.map((cost, index) => (index === at ? sum : cost));
}
