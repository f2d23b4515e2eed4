import type { CancelTimer } from "../core/clock.ts";
import type { Deadline } from "../core/deadline.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { WireImage } from "./messages.ts";
import type { CassRequest } from "./prompt.ts";
import type { ResponseFrame } from "./response.ts";
import type { CassEvent, CassResult } from "./turn.ts";

/** Where the id of a conversation is kept: absent until it is known, null where the server keeps nothing. */
export interface ConversationRef {
  id: string | null | undefined;
}

/** One turn of this client, from the call to its end. */
export interface Job {
  readonly turn: LiveTurn<CassEvent, CassResult>;
  readonly request: CassRequest;
  readonly conversation: ConversationRef;
  readonly recover: boolean;
  /** Lets somebody be onboarded who is not signed in. */
  readonly allowForeignUser: boolean;
  /** The limit on the server's silence while it works on this turn, in ms. */
  readonly idleTimeout: number;
  readonly silence: Deadline;
  image: WireImage | undefined;
  /** Whether its image has still to be read. */
  isReading: boolean;
  bytes: number;
  /** How many frames had come when it was sent; `undefined` before. */
  sentAfter: number | undefined;
  /** The latest time that the server had told by then. */
  since: string | undefined;
  /** Whether the server has shown that it works on it. */
  hasBegun: boolean;
  /** A response that came before that: of this turn, or of one that is over. Without a `message`, it cannot be read. */
  early: { readonly message: ResponseFrame | undefined; readonly cancelTimer: CancelTimer } | undefined;
}

/** By what two turns are told apart where the server has stored them; the beginning will do. */
export function wordsOf({ message = "" }: CassRequest): string {
  return message.slice(0, 256);
}

/** Whether the server's store could take one for the other. */
export function isAlike(one: Job, other: Job): boolean {
  return wordsOf(one.request) === wordsOf(other.request);
}
