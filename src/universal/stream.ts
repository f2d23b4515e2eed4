// The public types of universal streams and of a source (`AgentSource`): a backend for chats.
import { checkCallOptions, checks } from "../core/checks.ts";
import type { AnyAgentClient, AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import type { Clock } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { ListenOptions, Unsubscribe } from "../core/tell/events.ts";
import type { UniversalEvent, Visibility } from "./events.ts";

/** Options of `toUniversal`. */
export interface UniversalOptions {
  /** Whether `event.raw` holds the backend's message. The message may hold what the user wrote. @default false */
  readonly includeRaw?: boolean;
  /**
   * Whether the first turn of a session is told when it is sent, also for a backend that says later what session it is. Then
   * `session.started` does not state what the backend says, and a status item `start` does.
   * @default false: such a backend's first message comes before its `turn.started`
   */
  readonly eagerStart?: boolean;
  /** The visibility of all reasoning. @default "public": backends stream their reasoning to be shown */
  readonly reasoningVisibility?: Visibility;
  /**
   * The events that are kept for `events({ after })` take at most about this many bytes. The oldest go first.
   * @default 64 MiB, like the buffer of a turn
   */
  readonly maxLogBytes?: number;
  /** Makes the id of a session: another one at each call, because the ids of requests begin with it. @default a random id */
  readonly newSessionId?: () => string;
  /** The clock of `event.time`. @default the machine's clock */
  readonly clock?: Pick<Clock, "wallTime" | "setTimeout">;
}

export interface ReplayOptions {
  /** Skips the first events: for a stream of one session, the `sequence` of the last event that was read. @default 0 */
  readonly after?: number;
  /** Aborting ends the iteration without a throw. */
  readonly signal?: AbortSignal;
}

/** @param position where the event stands in the log of a source that keeps one: a later stream can go on behind it */
export type EventListener = (event: UniversalEvent, position?: string) => void;

/**
 * The universal events of one turn, one conversation or one client. The stream listens: it never pulls, cancels or delays a turn. All
 * readers and listeners get the same events in the same order.
 */
export interface UniversalStream extends AsyncIterable<UniversalEvent> {
  /** The number of events so far. For a stream of one session: the `sequence` of its last event. */
  readonly count: number;
  /** Whether the stream has ended: no event follows. */
  readonly ended: boolean;
  /** Of a source that tells first what was told before: resolves once it has, or has ended. Never rejects. */
  readonly caughtUp?: Promise<void>;
  /**
   * The events behind the first `after`, then the live ones, without loss or repetition. Any number of readers. The iteration ends when the
   * stream does.
   * @throws BufferOverflowError, on iteration, if the next event is no longer kept (`maxLogBytes`).
   */
  events(options?: ReplayOptions): AsyncIterable<UniversalEvent>;
  /**
   * Listens to the events that follow, until the returned function is called. In the tick of `prompt()`, also to the events from that
   * `prompt()` on: they are told in the next microtask, in order, before anything newer.
   */
  on(name: "event", listener: EventListener, options?: ListenOptions): Unsubscribe;
  /** Stops listening: what is open is closed as terminated, and the iterations end. The client lives on. */
  close(): void;
}

/** A backend for code that knows no backend: chats, adapters. Each protocol has a maker, such as `codey({ url })`. */
export interface AgentSource<Client extends AnyAgentClient = AnyAgentClient> {
  /** Such as `codey`. */
  readonly name: string;
  /** Makes a client. */
  client(): Client;
  /** The universal events of a client of this source, or of one of its turns or conversations. Attach it in the tick of `prompt()`. */
  toUniversal(of: Client | AnyTurn | AnyConversation, options?: UniversalOptions): UniversalStream;
}

/** What tells its own universal events: a client of `sourceOf`, and each of its turns and conversations. */
export interface Telling {
  universal(options?: UniversalOptions): UniversalStream;
}

export interface SourceSetup<Client extends AnyAgentClient & Telling> {
  /** Such as `my-backend`. Chats that are saved name it. */
  readonly name: string;
  /** Makes a client. It opens no connection yet, and knows its capabilities as far as they can be known before. */
  readonly connect: () => Client;
}

/**
 * A source over a client that this library does not know.
 * @throws InvalidInputError for a wrong name, and for a `connect` that is no function
 */
export function sourceOf<Client extends AnyAgentClient & Telling>(
  setup: SourceSetup<Client>,
): AgentSource<Client> {
  checkCallOptions(setup, { name: checks.text, connect: checks.function });
  const { name, connect } = setup;
  return {
    name,
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
