// The public interface of a turn: a streamed answer, its events, its result and its outcome.

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

/** The common fields of a turn's result. Each backend adds its own. */
export interface TurnResult {
  /** The whole text. `truncated` is set if it was cut at `maxTextBytes`. */
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

/**
 * The events of `turn.on`, with their arguments.
 *
 * Listeners are called at the end of the call, frame, timer or abort that caused the event, and never inside another
 * listener. Those of a call are called before it returns; a listener of the turn hears what has happened by then in the
 * next microtask. An event carries its own values, and the properties of the client and the turn may be ahead of it. A
 * cancelled turn emits no further `event`, and an approval that was decided meanwhile is not emitted. A listener that
 * throws or rejects harms nobody: the client emits the `protocolWarning` `listener-threw`.
 */
export interface TurnEvents<Event> {
  event: [event: Event];
  status: [status: TurnStatus];
  /** A tool call waits for a decision: `client.decide(call.id, decision)`. */
  approval: [call: ToolCall];
  /** A question waits for an answer: `client.answer(question.id, answer)`. */
  question: [question: Question];
  /** A tool call is new or has changed. */
  toolCall: [call: TurnToolCall];
  /** The outcome, as soon as it is certain. A cancelled turn's `outcome` settles once it has stopped. */
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

/** The options of one turn that every backend accepts. */
export interface TurnOptions {
  /** Aborting ends the turn. The loop throws a `TurnCancelledError` with the signal's reason as `cause`. */
  readonly signal?: AbortSignal;
  /** The limit of the whole turn in ms. 0: no limit. @default 0: an agent may work for an hour */
  readonly timeout?: number;
  /** ms without a frame of the turn while the server works. 0: no limit. @default the client's option */
  readonly idleTimeout?: number;
  /** Whether events are buffered for a reader. If not, iterating throws `already-consumed`. @default true */
  readonly read?: boolean;
  /** Your own id of the prompt. Universal events have it as `prompt_id` in `turn.started`. @default none */
  readonly key?: string;
  /** The message that this turn regenerates or replaces: `branch_of` in universal events. @default none */
  readonly branchOf?: string;
  /** The prompt in universal events, if the input has more, such as a recap. @default the input */
  readonly shown?: string | PromptInput;
}

/**
 * One prompt and its streamed answer.
 *
 * Read a turn with `for await` or `textStream`, or await only `result`. A turn has one reader. Any number of listeners
 * can use `on`, which needs no buffer and never cancels.
 *
 * - `cancel()` and leaving the loop end the iteration at once, without an error.
 * - A failure, a timeout or an aborted `signal` throws once, after the reader has read all events that had arrived.
 * - A turn without a reader still settles.
 */
export interface Turn<Event, Result extends TurnResult> extends AsyncIterable<Event> {
  readonly id: string;
  /** The current status. `on("status")` reports changes. */
  readonly status: TurnStatus;
  /** The text so far. */
  readonly text: string;
  /** The tool calls so far, in order. An unchanged call is the same object. */
  readonly toolCalls: readonly TurnToolCall[];
  /** The requests that wait for the user. A callback settles them, or `client.decide` and `client.answer`. */
  readonly pending: readonly PendingRequest[];
  /** Only the text, as it arrives. @throws InvalidInputError `already-consumed`: a second reader, or `read: false` */
  readonly textStream: AsyncIterable<string>;
  /** The result. Rejects if the turn failed or was cancelled, but never as unhandled. */
  readonly result: Promise<Result>;
  /** The outcome. Never rejects. */
  readonly outcome: Promise<TurnOutcome<Result>>;
  /** The events, in order. @throws InvalidInputError `already-consumed`: a second reader, or `read: false` */
  [Symbol.asyncIterator](): AsyncIterator<Event, undefined>;
  /**
   * Ends the turn. The iteration ends now, without the buffered events. The returned promise is `outcome`, which
   * settles when the next turn may start. A settled turn keeps its outcome.
   */
  cancel(reason?: unknown): Promise<TurnOutcome<Result>>;
  /**
   * Adds a listener. Returns a function that removes it. A new listener first gets the current `status`, or the open
   * `approval`s or `question`s.
   * @throws InvalidInputError for an unknown event or option.
   */
  on<Name extends keyof TurnEvents<Event> & string>(
    name: Name,
    listener: (...values: TurnEvents<Event>[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  /** The same signature on every turn, so that an app can listen to a union of turns. */
  on<Name extends keyof TurnEvents<AnyEvent>>(
    name: Name,
    listener: (...values: TurnEvents<AnyEvent>[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
}
