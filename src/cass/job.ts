import { InvalidInputError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CassIdentity } from "./events.ts";
import type { WireImage } from "./messages.ts";
import type { CassRequest } from "./prompt.ts";
import type { CassEvent, CassResult, Reply } from "./turn.ts";

/** Where the id of a conversation is kept: absent until it is known, null where the server keeps nothing. */
export interface ConversationRef {
  id: string | null | undefined;
}

/** What a turn is made of besides its request. */
export interface CassOrder {
  readonly input: unknown;
  readonly request: CassRequest;
  readonly conversation: ConversationRef;
  readonly recover: boolean;
  /** Lets somebody be onboarded who is not signed in. */
  readonly allowForeignUser: boolean;
  readonly options: TurnOptions | undefined;
}

/** One turn of this client, from the call to its end. */
export interface Job extends Omit<CassOrder, "input" | "options"> {
  readonly turn: LiveTurn<CassEvent, CassResult>;
  /** The limit on the server's silence while it works on this turn, in ms. */
  readonly idleTimeout: number;
  image: WireImage | undefined;
  /** Whether its image has still to be read. */
  isReading: boolean;
  bytes: number;
  /** The latest time that the server had told when it was sent. */
  since: string | undefined;
}

/** The conversation that a turn is in, as far as it is known; null where the server keeps nothing. */
export function conversationOf({ request, conversation }: Job): string | null | undefined {
  return request.kind === "chat" ? conversation.id : request.conversationId;
}

/** Ends a turn with its reply, which came in so many characters. */
export function complete({ turn }: Job, { event, details }: Reply, size: number): void {
  turn.push(event, size);
  const { type: _, ...shown } = event;
  turn.complete({ ...details, ...shown, text: turn.text, ...(turn.truncated ? { truncated: true } : {}) });
}

/** By what two turns are told apart where the server has stored them; the beginning will do. */
export function wordsOf({ message = "" }: CassRequest): string {
  return message.slice(0, 256);
}

/** Whether the server's store could take one for the other. */
export function isAlike(one: Job, other: Job): boolean {
  return wordsOf(one.request) === wordsOf(other.request);
}

/**
 * Onboarding makes the connection somebody's without asking for a token.
 * @throws InvalidInputError when that is somebody else than who is signed in, and it is not allowed
 */
export function checkUser(
  { request, allowForeignUser }: Pick<Job, "request" | "allowForeignUser">,
  identity: CassIdentity | undefined,
): void {
  if (request.userId === undefined || allowForeignUser || request.userId === identity?.userId) return;
  throw new InvalidInputError(
    "the `userId` is not that of who is signed in.",
    "The server would make the connection theirs without a token: set `allowForeignUser` if that is meant.",
  );
}
