// The turn that users see: a streamed answer, its events, its result and its outcome.

import type { AnyAgentwireError, TurnPartial } from "../errors.ts";
import type { EventNames, ListenOptions, Unsubscribe } from "../tell/events.ts";
import type {
  AnyEvent,
  Cost,
  PendingRequest,
  Question,
  ToolCall,
  TurnStatus,
  TurnToolCall,
  Usage,
} from "../values.ts";
import type { PromptInput } from "./prompt-input.ts";

/** The common fields of a turn's result. Each backend adds its own fields. */
export interface TurnResult {
  /** The whole text. If it was cut off at `maxTextBytes`, `truncated` is set. */
  readonly text: string;
  readonly truncated?: boolean;
  readonly usage?: Usage;
  readonly cost?: Cost;
}

/** The outcome of a turn. */
export type TurnOutcome<Result extends TurnResult> =
  | { readonly status: "completed"; readonly result: Result }
  | { readonly status: "cancelled"; readonly by: "user" | "signal"; readonly partial: TurnPartial }
  | { readonly status: "failed"; readonly error: AnyAgentwireError; readonly partial: TurnPartial };

/** The events of `turn.on`, with their arguments. */
export interface TurnEvents<Event> {
  event: [event: Event];
  status: [status: TurnStatus];
  /** A tool call waits for a decision: `client.decide(call.id, decision)`. */
  approval: [call: ToolCall];
  /** A question waits for an answer: `client.answer(question.id, answer)`. */
  question: [question: Question];
  /** A tool call is new, or has changed. */
  toolCall: [call: TurnToolCall];
  /** The outcome, as soon as it is certain. For a cancelled turn, `outcome` follows when the turn has stopped. */
  end: [end: TurnOutcome<TurnResult>];
}

export const TURN_EVENTS: EventNames<TurnEvents<never>> = {
  event: true,
  toolCall: true,
  status: true,
  approval: true,
  question: true,
  end: true,
};

/** Options of one turn that every backend takes. */
export interface TurnOptions {
  /** Aborting the signal ends the turn: the loop throws a `TurnCancelledError` whose `cause` is the signal's reason. */
  readonly signal?: AbortSignal;
  /** ms from the call to the end of the turn, 0 for no limit. @default 0: an agent may work for an hour */
  readonly timeout?: number;
  /** ms without a frame of this turn while the server works on it, 0 for no limit. The client's option of the same name sets the default. */
  readonly idleTimeout?: number;
  /**
   * Whether the turn keeps its events for a reader. With `false` the turn keeps none: for a turn that is only listened to, or whose
   * `result` alone matters. Iterating it then throws `already-consumed`. @default true
   */
  readonly read?: boolean;
  /** Your own id of the prompt. Universal events name it: `prompt_id` of `turn.started`. @default none */
  readonly key?: string;
  /** The id of the message that this turn answers anew or replaces. Universal events name it: `branch_of`. @default none */
  readonly branchOf?: string;
  /** What universal events show as the prompt, where the input holds more, such as a recap. @default the input */
  readonly shown?: string | PromptInput;
}

/**
 * One prompt and its streamed answer.
 *
 * Read a turn with `for await`, or through `textStream`, or await only `result`. A turn has one reader. Any number of listeners may
 * watch it with `on`, which needs no buffer and never cancels.
 *
 * - `cancel()` and leaving the loop end the iteration at once, without a throw.
 * - A failure, a time-out and an aborted `signal` are thrown once, after the reader has read all events that had arrived.
 * - A turn without a reader still settles.
 */
export interface Turn<Event, Result extends TurnResult> extends AsyncIterable<Event> {
  readonly id: string;
  /** The current value. `on("status")` reports changes. */
  readonly status: TurnStatus;
  /** The text so far. */
  readonly text: string;
  /** The tool calls so far, in order. An unchanged call is the same object. */
  readonly toolCalls: readonly TurnToolCall[];
  /** The requests that wait for the user. A callback settles them, or `client.decide` and `client.answer`. */
  readonly pending: readonly PendingRequest[];
  /**
   * The text alone, as it arrives.
   * @throws InvalidInputError `already-consumed`, on iteration if the turn already has a reader, or was made with `read: false`.
   */
  readonly textStream: AsyncIterable<string>;
  /** The result; rejects if the turn failed or was cancelled. Ignoring a rejection causes no unhandled rejection. */
  readonly result: Promise<Result>;
  /** The outcome; never rejects. */
  readonly outcome: Promise<TurnOutcome<Result>>;
  /**
   * The events, in order.
   * @throws InvalidInputError `already-consumed`, when the turn already has a reader, or was made with `read: false`.
   */
  [Symbol.asyncIterator](): AsyncIterator<Event, undefined>;
  /**
   * Ends the turn. The iteration ends now, and buffered events are dropped. The returned promise is `outcome`, which settles when it is
   * safe to go on. A settled turn keeps its outcome.
   */
  cancel(reason?: unknown): Promise<TurnOutcome<Result>>;
  /**
   * Listens until the returned function is called. A late listener is first told the present `status`, or the open `approval`s or
   * `question`s.
   * @throws InvalidInputError for an event or an option that does not exist.
   */
  on<Name extends keyof TurnEvents<Event> & string>(
    name: Name,
    listener: (...values: TurnEvents<Event>[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  /** The same for every turn, so that an app can listen to a union of turns. */
  on<Name extends keyof TurnEvents<AnyEvent>>(
    name: Name,
    listener: (...values: TurnEvents<AnyEvent>[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
}
