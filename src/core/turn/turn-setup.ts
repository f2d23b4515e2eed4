// The parts of a new turn, as types.

import type { Clock } from "../clock.ts";
import type { AgentwireError, TurnCancelledError, TurnPartial } from "../errors.ts";
import type { Outbox } from "../tell/outbox.ts";
import type { TurnOrigin } from "./origin.ts";
import type { Turn, TurnResult } from "./turn.ts";

/** The parts of a new turn. Fields that every protocol has are required, so that none is forgotten. */
export interface TurnSetup<Event, Result extends TurnResult> {
  readonly id: string;
  readonly host: TurnHost<Event, Result>;
  /** The caller's input. Returned if the turn fails before it was sent. */
  readonly input: unknown;
  readonly said: TurnOrigin["said"];
  readonly maxBufferedBytes: number;
  readonly maxTextBytes: number;
  /** ms. 0: no limit. */
  readonly timeout: number;
  readonly idleTimeout: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the turn buffers its events for a reader. */
  readonly read: boolean;
  /** The text that an event adds to the turn's text. */
  readonly textOf: (event: Event) => string;
  /** The backend's session that the prompt continues, once it was sent. */
  readonly sessionId?: (() => string | undefined) | undefined;
  /** The turn's progress besides its text and tool calls. Undefined fields are left out. */
  readonly soFar: () => TurnProgress;
  /**
   * Stops the turn for the caller or a timer. The protocol tells the server, if it can, and calls `stopped()`, at once
   * or later, when the next turn may start. Called once, and again with `again` if the caller cancels during the stop.
   */
  readonly stop: (again: boolean) => void;
  /** Whether the server may have the prompt before `sent()` is called. @default never */
  readonly mayHaveArrived?: () => boolean;
  /** Called once, when the turn has settled with any outcome. */
  readonly settled: () => void;
  /** The field `retryable` of a timeout error. */
  readonly repeatable: boolean;
  /** Pauses the source of events. Undefined if the source cannot wait, such as a socket. */
  readonly flow: Flow | undefined;
}

export interface TurnHost<Event, Result extends TurnResult> {
  readonly outbox: Outbox;
  readonly client: object;
  /** A clock whose timers are inputs of the outbox. */
  readonly clock: Clock;
  /** Whether the server has answered a ping less than `time` ms ago. False without pings. */
  answeredWithin(time: number): boolean;
  /** Delivers an event to the client's listeners, until `stands()` is false after a cancel. */
  tellEvent(event: Event, turn: Turn<Event, Result>, stands: () => boolean): void;
  listenerThrew(error: unknown, name: string): void;
}

/** The turn's progress besides its text and tool calls. */
export type TurnProgress = {
  readonly [Field in "usage" | "cost" | "state" | "endedBy"]?: TurnPartial[Field] | undefined;
};

/** A source that can wait for a slow reader. It is never paused for a turn without a reader. */
interface Flow {
  /** Pauses at this number of unread events, or half of `maxBufferedBytes`. Resumes at half of both. */
  readonly high: number;
  pause(): void;
  resume(): void;
}

/** The planned outcome of a turn that is being stopped. */
export type Interruption =
  | { readonly status: "cancelled"; readonly by: "user" | "signal"; readonly error: TurnCancelledError }
  | { readonly status: "failed"; readonly error: AgentwireError };
