// What a new turn is made of, as types.

import type { Clock } from "../clock.ts";
import type { AgentwireError, TurnCancelledError, TurnPartial } from "../errors.ts";
import type { Outbox } from "../tell/outbox.ts";
import type { TurnOrigin } from "./origin.ts";
import type { Turn, TurnResult } from "./turn.ts";

/** The parts of a new turn. Each field is required, so none is forgotten. */
export interface TurnSetup<Event, Result extends TurnResult> {
  readonly id: string;
  readonly host: TurnHost<Event, Result>;
  /** The caller's input. Handed back if the turn fails before it was sent. */
  readonly input: unknown;
  readonly said: TurnOrigin["said"];
  readonly maxBufferedBytes: number;
  readonly maxTextBytes: number;
  /** ms; 0 for none. */
  readonly timeout: number;
  readonly idleTimeout: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the turn keeps its events for a reader. */
  readonly read: boolean;
  /** The text that an event adds to the turn's text. */
  readonly textOf: (event: Event) => string;
  /** The backend's session that the prompt goes on with, once it was sent. */
  readonly sessionId?: (() => string | undefined) | undefined;
  /** The other results of the turn so far. Undefined fields are left out. */
  readonly soFar: () => Progress;
  /**
   * The caller or a timer wants to end the turn. The protocol tells the server, if it can, and calls `stopped()` when it is safe to go
   * on, at once or later. Called once; called with `again` if the caller cancels during the stop.
   */
  readonly stop: (again: boolean) => void;
  /** The turn settled, with any outcome. Called once. */
  readonly settled: () => void;
  /** The field `retryable` of a time-out error. */
  readonly repeatable: boolean;
  /** Slows down the source of the events; `undefined` if the source cannot wait, such as a socket. */
  readonly flow: Flow | undefined;
}

/** The client of a turn. */
export interface TurnHost<Event, Result extends TurnResult> {
  readonly outbox: Outbox;
  readonly client: object;
  /** Each timer of this clock is an input of the outbox. */
  readonly clock: Clock;
  /** Whether the server has answered a ping less than `time` ms ago. False also if there are no pings. */
  answeredWithin(time: number): boolean;
  /** Tells an event to the client's listeners. Skips the listeners that follow once `stands()` is false: the turn was cancelled. */
  tellEvent(event: Event, turn: Turn<Event, Result>, stands: () => boolean): void;
  readonly listenerThrew: (error: unknown, name: string) => void;
}

/** The protocol's results of a turn besides its text and its tool calls. */
export type Progress = {
  readonly [Field in "usage" | "cost" | "state" | "endedBy"]?: TurnPartial[Field] | undefined;
};

/** A source that can wait for a slow reader. A turn without a reader never pauses its source. */
export interface Flow {
  /** The source is paused at so many waiting events, or at half of `maxBufferedBytes`. The source resumes when both are down to half. */
  readonly high: number;
  pause(): void;
  resume(): void;
}

/** The planned outcome of a turn that is being stopped. */
export type Interruption =
  | { readonly status: "cancelled"; readonly by: "user" | "signal"; readonly error: TurnCancelledError }
  | { readonly status: "failed"; readonly error: AgentwireError };
