import type { ErrorData, UniversalEvent } from "../../universal/events.ts";
import { type Books, bookOf, noBooks, withBook } from "../../universal/reduce/books.ts";
import { emptyDictionary } from "../../universal/reduce/dictionary.ts";
import { emptyList, type List } from "../../universal/reduce/list.ts";
import { describeErrorData } from "../words/describe-error-data.ts";
import type { ErrorDescription } from "../words/error-description.ts";
import { completeItem, growItem, startItem } from "./chat-items.ts";
import type { ChatBook, Draft } from "./draft.ts";
import type { ChatMessage } from "./message.ts";
import { askQuestion, settleQuestion } from "./question-items.ts";
import { askPermission, settlePermission } from "./tool-items.ts";
import { addError, endOfSession, endTurn, resumeAnswer, startTurn } from "./turn-messages.ts";

/** The messages so far. Others may append messages and replace messages, but must not remove or move one. */
export interface MessagesState {
  readonly messages: List<ChatMessage>;
  /** @internal */
  readonly books: Books<ChatBook>;
}

/** Says an error in words for a person. */
export type DescribeErrorData = (error: ErrorData) => ErrorDescription;

/** The state before the first event. */
export const emptyMessages: MessagesState = { messages: emptyList(), books: noBooks() };

/**
 * The messages after one more event. Only the message and the parts that the event touches become new objects, and the work does not grow
 * with the number of messages or of their parts. Never throws.
 *
 * - A prompt makes a message of the user, a turn one message of the assistant. Parts of a sub-agent are inside its part.
 * - A `system` item between turns and an error between turns make a message of the system. A status between turns makes none.
 * - The error that ends a turn is `error` of its message. Another error of a turn is a part. No error is both.
 * - An event whose `sequence` is not above the last one of its session was seen before: the same state is returned.
 */
export function reduceMessages(
  state: MessagesState,
  event: UniversalEvent,
  describe: DescribeErrorData = describeErrorData,
): MessagesState {
  const known = bookOf(state.books, event.session_id);
  if (!(event.sequence > (known?.sequence ?? 0))) return state;
  const book = { ...(known ?? newBook(event.session_id)), sequence: event.sequence };
  const draft: Draft = { messages: state.messages, book, time: Date.parse(event.time), describe };
  apply(draft, event);
  return { ...state, messages: draft.messages, books: withBook(state.books, book) };
}

/** The messages of stored events: what `reduceMessages` makes of them one by one. */
export function restoreMessages(
  events: Iterable<UniversalEvent>,
  describe: DescribeErrorData = describeErrorData,
  from: MessagesState = emptyMessages,
): MessagesState {
  let state = from;
  for (const event of events) state = reduceMessages(state, event, describe);
  return state;
}

function newBook(sessionId: string): ChatBook {
  return { sessionId, sequence: 0, turn: null, places: emptyDictionary() };
}

function apply(draft: Draft, event: UniversalEvent): void {
  switch (event.type) {
    case "session.started":
    case "agent.unparsed":
      return;
    case "session.ended":
      endOfSession(draft, event.data);
      return;
    case "turn.started":
      startTurn(draft, event.data.turn_id);
      return;
    case "turn.ended":
      endTurn(draft, event.data);
      return;
    case "item.started":
      if (event.data.item.kind !== "status") resumeAnswer(draft);
      startItem(draft, event.data.item);
      return;
    case "item.delta":
      resumeAnswer(draft);
      growItem(draft, event.data);
      return;
    case "item.completed":
      completeItem(draft, event.data.item);
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
