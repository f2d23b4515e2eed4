import type { Outbox } from "../client/outbox.ts";
import type { Clock } from "../clock.ts";
import type { TurnPartial } from "../errors.ts";
import type { Turn, TurnResult } from "./turn.ts";

/** Everything a turn is given when it is made; each field is required, so that none is forgotten. */
export interface TurnSetup<Event, Result extends TurnResult> {
  readonly id: string;
  readonly host: TurnHost<Event, Result>;
  /** What the caller passed, handed back when the turn fails before it was sent. */
  readonly input: unknown;
  readonly maxBufferedBytes: number;
  readonly maxTextBytes: number;
  /** ms; 0 for none. */
  readonly timeout: number;
  readonly idleTimeout: number;
  readonly signal: AbortSignal | undefined;
  /** Whether its events are kept for a reader. */
  readonly read: boolean;
  /** The text that an event adds to the turn's. */
  readonly textOf: (event: Event) => string;
  /** What else the turn has come to so far; a field that is undefined is left out. */
  readonly soFar: () => Progress;
  /**
   * The caller or a timer wants the turn to end. The protocol tells the server what there is to tell and calls `stopped()`
   * when it is safe to go on, at once or later. Called once; then with `again` when the caller cancels while that goes on.
   */
  readonly stop: (again: boolean) => void;
  /** The turn settled; called once, whatever way it ended. */
  readonly settled: () => void;
  /** Whether the error of a time-out says `retryable`. */
  readonly repeatable: boolean;
  /** How to slow down what the events come from; `undefined` where that cannot be done, as with a socket. */
  readonly flow: Flow | undefined;
}

/** The client of a turn. */
export interface TurnHost<Event, Result extends TurnResult> {
  readonly outbox: Outbox;
  /** Its timers are inputs of the outbox. */
  readonly clock: Clock;
  /** Tells an event to the client's listeners, each only if it `stands` by then: not once its turn was cancelled. */
  tellEvent(event: Event, turn: Turn<Event, Result>, stands: () => boolean): void;
  readonly listenerThrew: (error: unknown, name: string) => void;
}

/** What the protocol knows of a turn besides its text and its tool calls. */
export type Progress = {
  readonly [Field in "usage" | "cost" | "state" | "endedBy"]?: TurnPartial[Field] | undefined;
};

/** A source that can wait for a slow reader. A turn without a reader never pauses its source. */
export interface Flow {
  /** Events that may wait to be read before it is paused, as may half of `maxBufferedBytes`; it goes on at half of that. */
  readonly high: number;
  pause(): void;
  resume(): void;
}
