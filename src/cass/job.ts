// One turn of the client, and its stages from the call to the end.
import type { CancelTimer, Deadline } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CassIdentity } from "./events.ts";
import type { CassTurnRequest } from "./input.ts";
import type { WireImage } from "./messages.ts";
import type { ResponseFrame } from "./response.ts";
import type { ReceivedTime } from "./server-time.ts";
import type { CassEvent, CassResult, CassTurnReply } from "./turn.ts";

/** The id of a conversation: undefined until known, null if the server stores nothing. */
export interface ConversationRef {
  id: string | null | undefined;
}

/** The parts of a new turn. */
export interface CassOrder {
  readonly input: unknown;
  readonly request: CassTurnRequest;
  readonly conversation: ConversationRef;
  readonly recover: boolean;
  /** Allows onboarding of a user who is not signed in. */
  readonly allowForeignUser: boolean;
  readonly options: TurnOptions | undefined;
}

/** One turn of this client, from the call to its end. */
export interface CassJob extends Omit<CassOrder, "input" | "options"> {
  readonly turn: LiveTurn<CassEvent, CassResult>;
  /** The limit on the server's silence while it works on this turn, in ms. */
  readonly idleTimeout: number;
  stage: Stage;
}

/**
 * The stage of a turn.
 *
 *     reading ──image read──▶ waiting ──sent──▶ sent ──answered─────────────────────────────▶ over
 *                                                └─connection lost──▶ recovering ──found, or not──▶ over
 *                                                                └──────────────────────────▶ over
 *
 * A turn that settles before its answer (a cancel, a limit) stays `sent`: the server still works on the turn, and the client drops the
 * answer.
 */
export type Stage =
  /** The image is being read. The turn keeps its place in the queue. */
  | { readonly name: "reading" }
  | { readonly name: "waiting"; readonly image: WireImage | undefined }
  | SentTurn
  /** The connection is lost. The client searches for the reply over REST. */
  | { readonly name: "recovering"; readonly search: AbortController }
  | { readonly name: "over" };

/** A turn on the line. */
export interface SentTurn {
  readonly name: "sent";
  /** The size of the frame. */
  readonly bytes: number;
  /** The server's latest timestamp before the turn was sent. */
  readonly since: ReceivedTime | undefined;
  /** Runs while the turn is the oldest on the line. */
  readonly silence: Deadline;
  sign: Sign;
}

/**
 * The server's sign of work on a turn on the line.
 *
 *     none ──thinking, debug──▶ begun
 *       └────a response──▶ early ──thinking, debug: the response was another turn's──▶ begun
 *     any ──no frame for `idleTimeout`──▶ silent: the connection is being cut
 */
export type Sign =
  | { readonly name: "none" }
  | { readonly name: "begun" }
  /** An early response. Without a `message`, the response is unreadable. When the timer ends, the response counts as this turn's. */
  | {
      readonly name: "early";
      readonly message: ResponseFrame | undefined;
      readonly cancelTimer: CancelTimer;
    }
  | { readonly name: "silent" };

/** The conversation of a turn, as far as known; null if the server stores nothing. */
export function conversationOf({ request, conversation }: CassJob): string | null | undefined {
  return request.kind === "chat" ? conversation.id : request.conversationId;
}

/** Completes a turn with its reply. `size` is the number of characters that the reply arrived in. */
export function complete({ turn }: CassJob, { event, details }: CassTurnReply, size: number): void {
  turn.push(event, size);
  const { type: _, ...shown } = event;
  turn.complete({ ...details, ...shown, ...turn.textResult });
}

/** Characters of a message that are compared to tell two turns apart. */
const COMPARED = 256;

/** The text that identifies a turn in the server's stored messages. */
export function matchText({ message = "" }: CassTurnRequest): string {
  return message.slice(0, COMPARED);
}

/** Whether two turns cannot be told apart in the server's stored messages. */
export function isAlike(one: CassJob, other: CassJob): boolean {
  return matchText(one.request) === matchText(other.request);
}

/**
 * Onboarding gives the connection to its user without asking for a token.
 * @throws InvalidInputError for a user who is not signed in, unless `allowForeignUser` is set
 */
export function checkUser(
  { request, allowForeignUser }: Pick<CassJob, "request" | "allowForeignUser">,
  identity: CassIdentity | undefined,
): void {
  if (request.userId === undefined || allowForeignUser || request.userId === identity?.userId) return;
  throw new InvalidInputError(
    "the `userId` is not that of who is signed in.",
    "The server would make the connection theirs without a token: set `allowForeignUser` if that is meant.",
  );
}
