// The reducer: applies one event to a transcript.
import { isObject } from "../../core/checks.ts";
import type { DataOf, ErrorData, ItemDeltaData, UniversalEvent, UniversalEventType } from "../events.ts";
import { describeErrorData } from "../words/describe-error-data.ts";
import type { ErrorDescription } from "../words/error-description.ts";
import { indexOf } from "./branches.ts";
import { askPermission, askQuestion, settlePermission, settleQuestion } from "./calls.ts";
import { emptyDictionary } from "./dictionary.ts";
import { changePart, type Draft, longer } from "./draft.ts";
import { completeItem, growItem, startItem } from "./items.ts";
import { note, noteChoices } from "./statuses.ts";
import { type Book, emptyTranscript, type Spot, type Transcript } from "./transcript.ts";
import { addError, answerId, endOfSession, endTurn, resumeAnswer, startTurn } from "./turns.ts";

/** Describes an error in words for the user. */
export type DescribeErrorData = (error: ErrorData) => ErrorDescription;

/**
 * Applies one event, and returns the new transcript. Only the changed message and parts are new objects. The time does
 * not depend on the number of messages or parts. Never throws.
 *
 * - A prompt makes a user message; a turn makes one assistant message. A sub-agent's part contains its parts.
 * - A `system` item or an error between turns makes a system message; a status between turns makes none.
 * - The error that ends a turn is `error` of its message. Any other error of a turn is a part.
 * - The plan, context, modes, models and commands are fields of the transcript, not parts.
 * - A repeated event (`sequence` not above its session's last) returns the same transcript.
 */
export function reduce(
  transcript: Transcript,
  event: UniversalEvent,
  describe: DescribeErrorData = describeErrorData,
): Transcript {
  const known = bookOf(transcript, event.session_id);
  const before = known?.sequence ?? 0;
  if (!(event.sequence > before)) return transcript;
  const current =
    known?.branches === transcript.branches ? known : moved(known ?? newBook(event), transcript);
  const book = { ...current, sequence: event.sequence };
  const draft: Draft = { to: { ...transcript }, book, time: Date.parse(event.time), describe };
  if (event.sequence > before + 1) draft.to.hasGap = true;
  if (event.native_session_id !== null && event.native_session_id !== book.session.nativeId)
    book.session = { ...book.session, nativeId: event.native_session_id };
  // Most events are deltas. Types of newer versions are ignored.
  if (event.type === "item.delta") applyDelta(draft, event.data);
  else if (Object.hasOwn(APPLY, event.type)) {
    const change = APPLY[event.type] as Apply<UniversalEventType>; // TypeScript cannot see that `data` fits it
    change(draft, event.data as never, event.event_id);
  }
  book.branches = draft.to.branches;
  return written(draft);
}

/** Applies all these events, one by one, with `reduce`. */
export function fold(
  events: Iterable<UniversalEvent>,
  from: Transcript = emptyTranscript,
  describe: DescribeErrorData = describeErrorData,
): Transcript {
  let transcript = from;
  for (const event of events) transcript = reduce(transcript, event, describe);
  return transcript;
}

function bookOf({ book, earlier }: Transcript, sessionId: string): Book | undefined {
  return book?.sessionId === sessionId ? book : earlier.get(sessionId);
}

/** Messages have moved since the session's last event: clears the book's indexes. */
function moved(book: Book, { messages, branches }: Transcript): Book {
  const { turn } = book;
  const message = turn ? indexOf(messages, answerId(book, turn)) : -1;
  const lost = turn && {
    ...turn,
    prompt: null,
    message: message < 0 ? null : message,
    isMoved: true,
    replaces: null,
    unfinished: emptyDictionary<Spot>(),
  };
  return { ...book, branches, turn: lost, places: emptyDictionary(), growing: null };
}

function newBook({ session_id: id, native_session_id: nativeId }: UniversalEvent): Book {
  return {
    sessionId: id,
    sequence: 0,
    isOfChat: false,
    branches: emptyDictionary(),
    session: { state: "open", id, nativeId, metadata: null },
    turn: null,
    pending: emptyDictionary(),
    places: emptyDictionary(),
    growing: null,
  };
}

/**
 * Stores the book. A new session's book becomes the current one, except that of a chat's own session. So does the book
 * of an earlier session that goes on behind the end of the current one.
 */
function written({ to, book }: Draft): Transcript {
  const { book: current, earlier } = to;
  if (book.isOfChat) return { ...to, earlier: earlier.with(book.sessionId, book) };
  if (current && current.sessionId !== book.sessionId) {
    const goesOn = current.session.state === "ended" && book.session.state !== "ended";
    if (earlier.get(book.sessionId) && !goesOn) return { ...to, earlier: earlier.with(book.sessionId, book) };
    to.earlier = earlier.with(current.sessionId, current);
  }
  to.book = book;
  to.session = book.session;
  to.turn = book.turn?.open ?? null;
  to.pending = book.pending;
  to.sequence = book.sequence;
  return to;
}

/** The `protocol` of a chat's own session, whose events say which branch is shown and what waits. */
export const CHAT_PROTOCOL = "agentwire-chat";

type Apply<Type extends UniversalEventType> = (draft: Draft, data: DataOf<Type>, eventId: string) => void;

/** What an event of each other type changes. Content of a turn ends the recovery of its answer. */
const APPLY: { readonly [Type in Exclude<UniversalEventType, "item.delta">]: Apply<Type> } = {
  "session.started": (draft, { metadata }) => {
    const { book } = draft;
    const { id, nativeId } = book.session;
    noteChoices(draft, metadata);
    book.session = { state: "open", id, nativeId, metadata };
    book.isOfChat = isObject(metadata) && metadata["protocol"] === CHAT_PROTOCOL;
  },
  "session.ended": endOfSession,
  "turn.started": startTurn,
  "turn.ended": endTurn,
  "item.started": (draft, data) => {
    if (data.item.kind !== "status") resumeAnswer(draft);
    startItem(draft, data);
  },
  "item.completed": (draft, data) => {
    completeItem(draft, data);
    if (data.item.kind === "status") note(draft, data.item);
  },
  "permission.requested": (draft, data) => {
    resumeAnswer(draft);
    askPermission(draft, data);
  },
  "permission.resolved": settlePermission,
  "question.requested": (draft, data) => {
    resumeAnswer(draft);
    askQuestion(draft, data);
  },
  "question.resolved": settleQuestion,
  error: addError,
  "agent.unparsed": () => {},
};

function applyDelta(draft: Draft, data: ItemDeltaData): void {
  const { growing } = draft.book;
  if (growing?.itemId === data.item_id && growing.type === data.part?.type) {
    changePart(draft, growing.spot, (old) => longer(old, data.delta));
    return;
  }
  resumeAnswer(draft);
  growItem(draft, data);
}
