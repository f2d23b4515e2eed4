import { type Dictionary, emptyDictionary } from "./dictionary.ts";

/** What a reducer remembers of one session. */
export interface Book {
  readonly sessionId: string;
  /** Of the last event. */
  readonly sequence: number;
}

/** The books of all sessions. The current one is at hand, because nearly all events belong to it. */
export interface Books<B extends Book> {
  /** Of the session that began last. */
  readonly current: B | null;
  /** Of the sessions before, by session id. */
  readonly earlier: Dictionary<B>;
}

export function noBooks<B extends Book>(): Books<B> {
  return { current: null, earlier: emptyDictionary() };
}

export function bookOf<B extends Book>({ current, earlier }: Books<B>, sessionId: string): B | undefined {
  return current?.sessionId === sessionId ? current : earlier.get(sessionId);
}

/** The book of a new session becomes the current one. */
export function withBook<B extends Book>({ current, earlier }: Books<B>, book: B): Books<B> {
  if (!current || current.sessionId === book.sessionId) return { current: book, earlier };
  if (earlier.get(book.sessionId)) return { current, earlier: earlier.with(book.sessionId, book) };
  return { current: book, earlier: earlier.with(current.sessionId, current) };
}
