// The reducer: the transcript after one more event.
import { isObject } from "../../core/checks.ts";
import type { ErrorData, UniversalEvent } from "../events.ts";
import { describeErrorData } from "../words/describe-error-data.ts";
import type { ErrorDescription } from "../words/error-description.ts";
import { indexOf } from "./branches.ts";
import { askPermission, askQuestion, settlePermission, settleQuestion } from "./calls.ts";
import { emptyDictionary } from "./dictionary.ts";
import { changePart, type Draft, longer } from "./draft.ts";
import { completeItem, growItem, startItem } from "./items.ts";
import { note } from "./statuses.ts";
import { type Book, emptyTranscript, type Spot, type Transcript } from "./transcript.ts";
import { addError, answerId, endOfSession, endTurn, resumeAnswer, startTurn } from "./turns.ts";

/** Says an error in words for a person. */
export type DescribeErrorData = (error: ErrorData) => ErrorDescription;

/**
 * The transcript after one more event. Only the message and the parts that the event touches become new objects, and the work does not grow
 * with the number of messages or of their parts. Never throws.
 *
 * - A prompt makes a message of the user, a turn one message of the assistant. Parts of a sub-agent are inside its part.
 * - A `system` item between turns and an error between turns make a message of the system. A status between turns makes none.
 * - The error that ends a turn is `error` of its message. Another error of a turn is a part. No error is both.
 * - A plan, the context, modes, models and commands are fields of the transcript, and no parts.
 * - An event whose `sequence` is not above the last one of its session was seen before: the same transcript is returned.
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
  apply(draft, event);
  book.branches = draft.to.branches;
  return written(draft);
}

/** The transcript after all these events: what `reduce` makes of them one by one. */
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

/** Messages have moved since the last event of the session: what it knows by their indexes is shown no more, or elsewhere. */
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

/** The book of a new session becomes the current one, but for that of a chat's own words. */
function written({ to, book }: Draft): Transcript {
  const { book: current, earlier } = to;
  if (book.isOfChat) return { ...to, earlier: earlier.with(book.sessionId, book) };
  if (current && current.sessionId !== book.sessionId) {
    if (earlier.get(book.sessionId)) return { ...to, earlier: earlier.with(book.sessionId, book) };
    to.earlier = earlier.with(current.sessionId, current);
  }
  to.book = book;
  to.session = book.session;
  to.turn = book.turn?.open ?? null;
  to.pending = book.pending;
  to.sequence = book.sequence;
  return to;
}

/** What a session's `protocol` is whose events a chat tells: which branch is shown, and what waits. */
export const CHAT_PROTOCOL = "agentwire-chat";

function apply(draft: Draft, event: UniversalEvent): void {
  switch (event.type) {
    case "session.started": {
      const { id, nativeId } = draft.book.session;
      const { metadata } = event.data;
      draft.book.session = { state: "open", id, nativeId, metadata };
      draft.book.isOfChat = isObject(metadata) && metadata["protocol"] === CHAT_PROTOCOL;
      return;
    }
    case "agent.unparsed":
      return;
    case "session.ended":
      endOfSession(draft, event.data);
      return;
    case "turn.started":
      startTurn(draft, event.data);
      return;
    case "turn.ended":
      endTurn(draft, event.data);
      return;
    case "item.started":
      if (event.data.item.kind !== "status") resumeAnswer(draft);
      startItem(draft, event.data);
      return;
    case "item.delta": {
      const { growing } = draft.book;
      const { item_id, part, delta } = event.data;
      if (growing?.itemId === item_id && growing.type === part?.type) {
        changePart(draft, growing.spot, (old) => longer(old, delta));
        return;
      }
      resumeAnswer(draft);
      growItem(draft, event.data);
      return;
    }
    case "item.completed":
      completeItem(draft, event.data);
      if (event.data.item.kind === "status") note(draft, event.data.item);
      return;
    case "permission.requested":
      resumeAnswer(draft);
      askPermission(draft, event.data);
      return;
    case "permission.resolved":
      settlePermission(draft, event.data);
      return;
    case "question.requested":
      resumeAnswer(draft);
      askQuestion(draft, event.data);
      return;
    case "question.resolved":
      settleQuestion(draft, event.data);
      return;
    case "error":
      addError(draft, event.event_id, event.data);
      return;
  }
}
