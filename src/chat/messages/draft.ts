import type { ErrorData } from "../../universal/events.ts";
import type { Book } from "../../universal/reduce/books.ts";
import type { Dictionary } from "../../universal/reduce/dictionary.ts";
import { append, emptyList, type List, replace } from "../../universal/reduce/list.ts";
import type { ErrorDescription } from "../words/error-description.ts";
import type { ChatMessage, ChatPart } from "./message.ts";

/** The messages while one event is applied to them. */
export interface Draft {
  messages: List<ChatMessage>;
  readonly book: { -readonly [Key in keyof ChatBook]: ChatBook[Key] };
  /** Of the event, in ms since the epoch. */
  readonly time: number;
  readonly describe: (error: ErrorData) => ErrorDescription;
}

/** What the reducer remembers of one session. */
export interface ChatBook extends Book {
  readonly turn: TurnBook | null;
  /** Where items, calls and requests are shown: see `keyOf`. */
  readonly places: Dictionary<Place>;
}

/** What the reducer remembers of a turn under way. */
export interface TurnBook {
  readonly id: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  /** The index of the prompt's message. Null: no event has told of the prompt. */
  readonly prompt: number | null;
  /** The index of the turn's message. Null: nothing of the turn is shown yet. */
  readonly message: number | null;
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
  | { readonly kind: "agent" | "status" | "permission" | "question"; readonly spot: Spot }
  /** A call, and what belongs to it. `text`: the arguments so far; null once they are complete. */
  | { readonly kind: "call"; readonly spot: Spot; readonly text: string | null }
  /** The result of a call, in the part of the call. */
  | { readonly kind: "result"; readonly spot: Spot; readonly isOpen: boolean };

/** Keys of `places`: ids of items, calls, permissions and questions are unique among their kind. */
export const keyOf = {
  item: (id: string): string => `i ${id}`,
  call: (id: string): string => `c ${id}`,
  permission: (id: string): string => `p ${id}`,
  question: (id: string): string => `q ${id}`,
};

/**
 * Sub-agents in each other, at most. The parts of a deeper one are shown beside its part: a change copies all parts around it, and programs
 * that show parts go through them by recursion. Real backends have two or three levels.
 */
export const MAX_DEPTH = 32;

export function remember(draft: Draft, key: string, place: Place): void {
  draft.book.places = draft.book.places.with(key, place);
}

/** Adds a message, and gives its index. */
export function addMessage(
  draft: Draft,
  message: Omit<ChatMessage, "parts">,
  parts: List<ChatPart> = emptyList(),
): number {
  draft.messages = append(draft.messages, { ...message, parts });
  return draft.messages.length - 1;
}

/** The same message from `change` changes nothing. */
export function changeMessage(
  draft: Draft,
  index: number,
  change: (message: ChatMessage) => ChatMessage,
): void {
  const message = draft.messages.at(index);
  if (message) draft.messages = replace(draft.messages, index, change(message));
}

export function partAt(draft: Draft, { message, path, index }: Spot): ChatPart | undefined {
  let parts = draft.messages.at(message)?.parts;
  for (const step of path) {
    const part = parts?.at(step);
    parts = part?.type === "subagent" ? part.parts : undefined;
  }
  return parts?.at(index);
}

/** The same part from `change` changes nothing. */
export function changePart(draft: Draft, spot: Spot, change: (part: ChatPart) => ChatPart): void {
  const part = partAt(draft, spot);
  if (!part) return;
  const changed = change(part);
  if (changed !== part) changeParts(draft, spot, (parts) => replace(parts, spot.index, changed));
}

/** Adds a part, and gives its place. */
export function addPart(draft: Draft, { message, path }: Home, part: ChatPart): Spot {
  let index = 0;
  changeParts(draft, { message, path }, (parts) => {
    index = parts.length;
    return append(parts, part);
  });
  return { message, path, index };
}

export function changeParts(
  draft: Draft,
  { message, path }: Home,
  change: (parts: List<ChatPart>) => List<ChatPart>,
): void {
  changeMessage(draft, message, (old) => ({ ...old, parts: changeBelow(old.parts, path, 0, change) }));
}

function changeBelow(
  parts: List<ChatPart>,
  path: readonly number[],
  level: number,
  change: (parts: List<ChatPart>) => List<ChatPart>,
): List<ChatPart> {
  const index = path[level];
  if (index === undefined) return change(parts);
  const agent = parts.at(index);
  if (agent?.type !== "subagent") return parts;
  return replace(parts, index, { ...agent, parts: changeBelow(agent.parts, path, level + 1, change) });
}

/** Notes that the end of the turn has to end this part. */
export function leaveOpen(draft: Draft, key: string, spot: Spot): void {
  const { turn } = draft.book;
  if (turn?.message !== spot.message) return;
  draft.book.turn = { ...turn, unfinished: turn.unfinished.with(key, spot) };
}

/** The part has ended by itself. */
export function finish(draft: Draft, key: string): void {
  const { turn } = draft.book;
  if (turn?.unfinished.get(key)) draft.book.turn = { ...turn, unfinished: turn.unfinished.without(key) };
}
