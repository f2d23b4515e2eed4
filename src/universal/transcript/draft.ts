// A transcript while an event is applied: finds, adds and changes messages and parts.
import type { ErrorData } from "../events.ts";
import type { ErrorDescription } from "../words/error-description.ts";
import type { Branching } from "./branches.ts";
import { emptyDictionary } from "./dictionary.ts";
import { append, emptyList, type List, replace } from "./list.ts";
import type { ChatMessage, ChatPart } from "./message.ts";
import type { Book, Home, Place, Spot, Transcript, TranscriptRequest } from "./transcript.ts";

type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

export interface Draft {
  /** The new transcript. `book` and its fields are written only at the end. */
  readonly to: Changing<Transcript>;
  readonly book: Changing<Book>;
  /** The event's time, in ms since the epoch. */
  readonly time: number;
  readonly describe: (error: ErrorData) => ErrorDescription;
}

/**
 * Maximum nesting of sub-agents. A deeper sub-agent's parts are placed beside its part. Each change copies all
 * surrounding parts, and programs render parts recursively. Real backends have two or three levels.
 */
export const MAX_DEPTH = 32;

/** Changes which messages are shown. Clears the indexes, which are then invalid. */
export function rearrange(draft: Draft, change: (of: Branching) => Branching): void {
  const { messages, branches } = change(draft.to);
  draft.to.messages = messages;
  draft.to.branches = branches;
  draft.book.places = emptyDictionary();
  draft.book.growing = null;
}

export function remember(draft: Draft, key: string, place: Place): void {
  draft.book.places = draft.book.places.with(key, place);
}

export function addMessage(
  draft: Draft,
  message: Omit<ChatMessage, "parts">,
  parts: List<ChatPart> = emptyList(),
): number {
  draft.to.messages = append(draft.to.messages, { ...message, parts });
  return draft.to.messages.length - 1;
}

/** Adds a message for an item or an error that belongs to no turn. Returns its index. */
export function addOwnMessage(
  draft: Draft,
  id: string,
  message: Pick<ChatMessage, "role" | "status" | "error">,
): number {
  const { book, time } = draft;
  return addMessage(draft, { id: `${book.sessionId}/${id}`, ...message, startedAt: time, endedAt: time });
}

/** If `change` returns the same message, nothing changes. */
export function changeMessage(draft: Draft, index: number, change: (old: ChatMessage) => ChatMessage): void {
  const message = draft.to.messages.at(index);
  if (message) draft.to.messages = replace(draft.to.messages, index, change(message));
}

export function partAt(draft: Draft, { message, path, index }: Spot): ChatPart | undefined {
  let parts = draft.to.messages.at(message)?.parts;
  for (const step of path) {
    const part = parts?.at(step);
    parts = part?.type === "subagent" ? part.parts : undefined;
  }
  return parts?.at(index);
}

/** If `change` returns the same part, nothing changes. */
export function changePart(draft: Draft, spot: Spot, change: (part: ChatPart) => ChatPart): void {
  const part = partAt(draft, spot);
  if (!part) return;
  const changed = change(part);
  if (changed !== part) changeParts(draft, spot, (parts) => replace(parts, spot.index, changed));
}

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

/** Marks a part that the end of the turn must end. */
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

export function longer(part: ChatPart, delta: string): ChatPart {
  return part.type === "text" || part.type === "reasoning" ? { ...part, text: part.text + delta } : part;
}

/** Digits of a sequence in the keys of `pending`. A sequence is a safe integer. */
const DIGITS = 16;

export function wait({ book }: Draft, request: TranscriptRequest): string {
  const key = String(book.sequence).padStart(DIGITS, "0");
  book.pending = book.pending.with(key, request);
  return key;
}

export function settleRequest({ book }: Draft, key: string): void {
  book.pending = book.pending.without(key);
}
