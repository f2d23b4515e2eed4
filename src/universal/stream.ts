// The public types of universal streams and of a source (`AgentSource`): a backend for chats.
import { checkCallOptions, checks } from "../core/checks.ts";
import type { AnyAgentClient, AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import type { Clock } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { ListenOptions, Unsubscribe } from "../core/tell/events.ts";
import type { UniversalEvent, Visibility } from "./events.ts";

/** Options of `toUniversal`. */
export interface UniversalOptions {
  /** Whether `event.raw` holds the backend's message, which may contain the user's text. @default false */
  readonly includeRaw?: boolean;
  /**
   * Whether a session's first turn starts before the backend's first message. Then a status item `start`, not
   * `session.started`, has the backend's facts.
   * @default false: `turn.started` waits for that message
   */
  readonly eagerStart?: boolean;
  /** The visibility of all reasoning. @default "public": backends stream reasoning for display */
  readonly reasoningVisibility?: Visibility;
  /** Bytes of events kept for `events({ after })`, about. The oldest are dropped first. @default 64 MiB */
  readonly maxLogBytes?: number;
  /** Makes a session id. Each id must be unique: request ids begin with it. @default a random id */
  readonly newSessionId?: () => string;
  /** The clock of `event.time`. @default the machine's clock */
  readonly clock?: Pick<Clock, "wallTime" | "setTimeout">;
}

export interface ReplayOptions {
  /** Skips this many events. For a stream of one session: the last read `sequence`. @default 0 */
  readonly after?: number;
  /** Aborting ends the iteration without an error. */
  readonly signal?: AbortSignal;
}

/** @param position the event's place in the log of a source with a log; a later stream can resume there */
export type EventListener = (event: UniversalEvent, position?: string) => void;

/**
 * @param saved the `saved` of a chat, if the next event continues there. Otherwise all events are told again from the
 * first one.
 */
export type ResetListener = (saved?: unknown) => void;

/**
 * The universal events of a turn, a conversation or a client. The stream only listens: it does not consume, cancel or
 * delay a turn. All readers and listeners get the same events in the same order.
 */
export interface UniversalStream extends AsyncIterable<UniversalEvent> {
  /** The number of events so far. For a stream of one session: the `sequence` of its last event. */
  readonly count: number;
  /** Whether the stream has ended. No event follows. */
  readonly ended: boolean;
  /** For a source that first replays old events: resolves after the replay, or at the end. Never rejects. */
  readonly caughtUp?: Promise<void>;
  /**
   * Iterates over the events after the first `after`, then over new ones, without loss or repetition. Any number of
   * readers may iterate. The iteration ends with the stream.
   * @throws BufferOverflowError, on iteration, if the next event is no longer kept (`maxLogBytes`)
   */
  events(options?: ReplayOptions): AsyncIterable<UniversalEvent>;
  /**
   * Listens until the returned function is called. In the tick of `prompt()`, the listener also gets the events since
   * that `prompt()`: in the next microtask, in order, before newer ones.
   */
  on(name: "event", listener: EventListener, options?: ListenOptions): Unsubscribe;
  /**
   * Only of a source with a log: calls the listener when all events so far are void, because the log was made anew or
   * has lost its end, or because the next event does not follow the last one.
   */
  readonly onReset?: (listener: ResetListener) => Unsubscribe;
  /** Stops listening: closes everything open as terminated, and ends iterations. The client stays open. */
  close(): void;
}

/** A backend, for code that works with any backend. Each protocol has one, such as `codey({ url })`. */
export interface AgentSource<Client extends AnyAgentClient = AnyAgentClient> {
  /** Such as `codey`. */
  readonly name: string;
  /** Whether its clients have an {@link PromptInbox}: the backend keeps the queue of prompts, for all of its clients. */
  readonly hasInbox?: boolean;
  /** Makes a client. */
  client(): Client;
  /** Universal events of a client, a turn or a conversation. Call it in the tick of `prompt()`. */
  toUniversal(of: Client | AnyTurn | AnyConversation, options?: UniversalOptions): UniversalStream;
}

/** Makes its own universal events: a client of `sourceOf`, and each of its turns and conversations. */
export interface Telling {
  universal(options?: UniversalOptions): UniversalStream;
}

export interface SourceSetup<Client extends AnyAgentClient & Telling> {
  /** Such as `my-backend`. Stored chats contain the name. */
  readonly name: string;
  /** See {@link AgentSource.hasInbox}. @default false */
  readonly hasInbox?: boolean;
  /** Makes a client, which does not connect yet. Its capabilities are those known before it connects. */
  readonly connect: () => Client;
}

/**
 * Makes a source from a client that this library does not know.
 * @throws InvalidInputError for a wrong name, or if `connect` is not a function
 */
export function sourceOf<Client extends AnyAgentClient & Telling>(
  setup: SourceSetup<Client>,
): AgentSource<Client> {
  checkCallOptions(setup, { name: checks.text, hasInbox: checks.boolean, connect: checks.function });
  const { name, hasInbox = false, connect } = setup;
  return {
    name,
    hasInbox,
    client: connect,
    toUniversal: (of, options) => {
      if (tells(of)) return of.universal(options);
      throw new InvalidInputError(
        `this is no client, turn or conversation of \`${name}\`.`,
        "Each of them needs a function `universal`.",
      );
    },
  };
}

function tells(of: object): of is Telling {
  return "universal" in of && typeof of.universal === "function";
}
