import type { CancelTimer } from "../core/clock.ts";
import type { Deadline } from "../core/deadline.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CassIdentity } from "./events.ts";
import type { CassRequest } from "./input.ts";
import type { WireImage } from "./messages.ts";
import type { ResponseFrame } from "./response.ts";
import type { CassEvent, CassResult, Reply } from "./turn.ts";

/** Holds the id of a conversation: undefined until it is known, null where the server keeps nothing. */
export interface ConversationRef {
  id: string | null | undefined;
}

/** What a turn is made of. */
export interface CassOrder {
  readonly input: unknown;
  readonly request: CassRequest;
  readonly conversation: ConversationRef;
  readonly recover: boolean;
  /** Onboarding of a user who is not the one signed in. */
  readonly allowForeignUser: boolean;
  readonly options: TurnOptions | undefined;
}

/** One turn of this client, from the call to its end. */
export interface Job extends Omit<CassOrder, "input" | "options"> {
  readonly turn: LiveTurn<CassEvent, CassResult>;
  /** Limit on the server's silence while it works on this turn, in ms. */
  readonly idleTimeout: number;
  stage: Stage;
}

/**
 * Where a turn is.
 *
 *     reading ──picture read──▶ waiting ──sent──▶ sent ──answered─────────────────────────────▶ over
 *                                                  └─connection lost──▶ recovering ──found, or not──▶ over
 *                                                                  └──────────────────────────▶ over
 *
 * A turn that settles before its answer (a cancel, a limit) stays `sent`: the server works on the turn, and the answer is dropped.
 */
export type Stage =
  /** Keeps its place in the queue while its picture is read. */
  | { readonly name: "reading" }
  | { readonly name: "waiting"; readonly image: WireImage | undefined }
  | Sent
  /** The connection is lost, and the reply is searched for over REST. */
  | { readonly name: "recovering"; readonly search: AbortController }
  | { readonly name: "over" };

/** On the line. */
export interface Sent {
  readonly name: "sent";
  /** Of the frame. */
  readonly bytes: number;
  /** The latest time that the server had told before. */
  readonly since: string | undefined;
  /** Runs while the turn is the oldest on the line. */
  readonly silence: Deadline;
  sign: Sign;
}

/**
 * What the server has shown of a turn on the line.
 *
 *     none ──thinking, debug──▶ begun
 *       └────a response──▶ early ──thinking, debug: the response was not this turn's──▶ begun
 *     any ──no frame for `idleTimeout`──▶ silent: the connection is being cut
 */
export type Sign =
  | { readonly name: "none" }
  | { readonly name: "begun" }
  /** Without a `message`, the response cannot be read. The timer ends with the response being taken as this turn's. */
  | {
      readonly name: "early";
      readonly message: ResponseFrame | undefined;
      readonly cancelTimer: CancelTimer;
    }
  | { readonly name: "silent" };

/** The conversation of a turn, as far as it is known; null where the server keeps nothing. */
export function conversationOf({ request, conversation }: Job): string | null | undefined {
  return request.kind === "chat" ? conversation.id : request.conversationId;
}

/** Ends a turn with its reply, which came in so many characters. */
export function complete({ turn }: Job, { event, details }: Reply, size: number): void {
  turn.push(event, size);
  const { type: _, ...shown } = event;
  turn.complete({ ...details, ...shown, ...turn.textResult });
}

/** Characters of a message that two turns are told apart by. */
const COMPARED = 256;

/** What tells two turns apart in what the server has stored. */
export function wordsOf({ message = "" }: CassRequest): string {
  return message.slice(0, COMPARED);
}

/** Whether two turns cannot be told apart in what the server has stored. */
export function isAlike(one: Job, other: Job): boolean {
  return wordsOf(one.request) === wordsOf(other.request);
}

/**
 * Onboarding hands the connection to its user without asking for a token.
 * @throws InvalidInputError for a user other than the one signed in, unless `allowForeignUser` is set
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
