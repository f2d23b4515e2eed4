// Searches the server's stored messages for the reply of a lost turn.
import type { Clock } from "../core/clock.ts";
import { isAgentwireError } from "../core/errors.ts";
import { CassApiError } from "./errors.ts";
import { animationList, type ResponseFrame } from "./response.ts";
import type { CassRest } from "./rest/rest.ts";
import type { CassRecentMessage, CassStoredMessage } from "./rest/shapes.ts";
import { msBetween, serverStamp } from "./server-time.ts";

/** A turn whose reply was lost, with the facts that identify it. */
export interface LostTurn {
  readonly message: string;
  /** Undefined if the server chose the conversation: it is the user's continuous one, or the reply cannot be found. */
  readonly conversationId: string | undefined;
  /** The server's latest timestamp when the turn was sent. Older messages belong to other turns. */
  readonly since: string;
  /** When `since` came, by this machine's clock, in ms. @default not known: a message of any later time may be the turn's */
  readonly seenAt?: number;
  /** The user of the turn. */
  readonly userId: string | undefined;
}

/** The found reply, as a response with a known `conversation_id`. */
export type FoundReply = ResponseFrame & { readonly conversation_id: string };

/** The number of messages to read: the turn's messages are among the last. */
const LOOKED_AT = 20;

/** ms until the second search; doubled for each further one. */
const FIRST_WAIT = 1_000;

/** ms that the server's clock may gain on this machine's during a turn. A change of an hour, or of half an hour, is more. */
const CLOCK_DRIFT = 10 * 60_000;

/** The longest wait in ms: a stored reply is found soon. */
const LONGEST_WAIT = 30_000;

/**
 * Searches for the reply of a lost turn in the server's stored messages. The server stores a reply before it sends it, and finishes a
 * turn even without a connection.
 */
export class Recovery {
  readonly #rest: CassRest;
  readonly #userId: () => string | undefined;
  readonly #clock: Clock;
  readonly #timeout: number;

  /** `userId` gives the user of `rest`, as far as known. `timeout` in ms; 0: no limit. */
  constructor(rest: CassRest, userId: () => string | undefined, clock: Clock, timeout: number) {
    this.#rest = rest;
    this.#userId = userId;
    this.#clock = clock;
    this.#timeout = timeout;
  }

  /** `undefined` if the reply is not found in time, or cannot be found. Ends early when `signal` is aborted. */
  async find(lost: LostTurn, signal: AbortSignal): Promise<FoundReply | undefined> {
    const start = this.#clock.now();
    for (let wait = FIRST_WAIT; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      const found = await this.#look(lost, signal);
      if (found !== "not-yet") return found;
      const left = this.#timeout === 0 ? wait : start + this.#timeout - this.#clock.now();
      if (left <= 0 || signal.aborted) return undefined; // an aborted signal fires no second event
      await this.#wait(Math.min(wait, left), signal);
    }
    return undefined;
  }

  async #look(lost: LostTurn, signal: AbortSignal): Promise<FoundReply | "not-yet" | undefined> {
    if (this.#isOthers(lost)) return undefined;
    try {
      const conversationId = lost.conversationId ?? (await this.#rest.continuousConversation({ signal })).id;
      const messages = await this.#messagesOf(conversationId, signal);
      const passed = lost.seenAt === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - lost.seenAt;
      const found = replyTo(lost, messages, passed + CLOCK_DRIFT);
      if (this.#isOthers(lost)) return undefined; // another user has logged in meanwhile
      return found ? { ...found, conversation_id: conversationId } : "not-yet";
    } catch (error) {
      // A restarting server answers later; a server that refuses will refuse again.
      return isAgentwireError(error) && error.retryable ? "not-yet" : undefined;
    }
  }

  /** Whether the stored messages would be another user's. */
  #isOthers({ userId }: LostTurn): boolean {
    const asking = this.#userId();
    return asking !== undefined && asking !== userId;
  }

  async #messagesOf(id: string, signal: AbortSignal): Promise<readonly Kept[]> {
    try {
      return (await this.#rest.getMessages(id, { limit: LOOKED_AT, signal })).messages;
    } catch (error) {
      // Older servers do not have this route. The 404 then has the default message of their framework.
      const { status, detail } = error instanceof CassApiError ? error : {};
      if (status !== 404 || detail !== "Not Found") throw error;
      return (await this.#rest.getConversation(id, { signal })).messages;
    }
  }

  #wait(delay: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.#clock.setTimeout(done, delay);
      signal.addEventListener("abort", done, { once: true });
    });
  }
}

/** A message in the form of one of the two routes. */
type Kept = CassStoredMessage | CassRecentMessage;

/** The answer to the last message with this text, if the message is newer than `since`, by `most` ms at most. */
function replyTo(
  { message, since }: LostTurn,
  messages: readonly Kept[],
  most: number,
): ResponseFrame | undefined {
  const at = messages.map(({ role, content }) => role === "user" && content === message).lastIndexOf(true);
  const [asked, reply] = at < 0 ? [] : messages.slice(at, at + 2);
  if (!asked || reply?.role !== "assistant") return undefined;
  const from = serverStamp(since);
  const stored = serverStamp(asked.timestamp);
  if (from === undefined || stored === undefined || stored <= from) return undefined;
  if (!(msBetween(from, stored) <= most)) return undefined;
  const { content: text, provider, model, timestamp } = reply;
  const common = {
    type: "response",
    text,
    provider,
    model,
    timestamp: timestamp ?? asked.timestamp,
  } as const;
  if ("inputTokens" in reply) {
    const { inputTokens, outputTokens } = reply;
    return { ...common, inputTokens, outputTokens };
  }
  const { animations, input_tokens, output_tokens } = reply;
  return { ...common, animations: animationList.parse(animations), input_tokens, output_tokens };
}
