// The interface of a mapping: how one protocol's events become universal events.
import type { AnyAgentClient, AnyTurn } from "../core/client/any-client.ts";
import type { AnyAgentwireError } from "../core/errors.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import type { TurnOrigin } from "../core/turn/origin.ts";
import type { TurnResult } from "../core/turn/turn.ts";
import type { AnyEvent, Question, ToolCall, TurnToolCall } from "../core/values.ts";
import type { ToolFacts } from "./engine/calls.ts";
import type { ToolOutputContent } from "./engine/content.ts";
import type { AgentKey, Stated } from "./engine/items.ts";
import type { Session } from "./engine/session.ts";
import type { ErrorData, Json, SessionEndedData, TurnEndMetadata } from "./events.ts";
import type { Fact, TurnEnd, UserInput } from "./facts.ts";

/** The mapping's facts about a tool call. */
export interface CallFacts {
  /** The backend's id of the call. */
  readonly nativeId?: string | undefined;
  readonly agent?: AgentKey;
  /** The tool's title, kind and locations. */
  readonly facts?: ToolFacts | undefined;
  /** The call's input may still change: the call is announced with a later state, or at the end of the turn. */
  readonly isUnsettled?: boolean;
  /** This machine runs the call, so this library states the start and the result. */
  readonly isOwn?: boolean;
  /** The mapping reports start and result from events. Otherwise the states of the call do. */
  readonly isOnlyAnnounced?: boolean;
  /** The mapping reports the result from an event after the call's last state. A denial needs no event. */
  readonly isResultTold?: boolean;
}

/** The backend's statement about its session. */
export interface SessionFacts {
  readonly nativeSessionId?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How a turn ends. */
export interface CompletedFacts {
  readonly metadata: Omit<TurnEndMetadata, "status">;
  /** @default "agent": a message of the backend ended the turn */
  readonly stated?: Stated;
  /** The message that ended the turn, if no event contains it. */
  readonly raw?: Json | undefined;
}

/**
 * Translates the events of one protocol into universal events. One mapping serves one session, so it may keep state. It
 * has no I/O, timers or randomness. Each method reports through `session`, which keeps the order of the schema.
 * `Normaliser` handles what all protocols share: tool calls, approvals, questions, cancels, lost connections.
 */
export interface Mapping<Event extends AnyEvent = AnyEvent, Result extends TurnResult = TurnResult> {
  /** Such as `codey-ws`. */
  readonly protocol: string;
  /** Whether the backend asks for approvals in a message. */
  readonly asksOnWire: boolean;
  /** Whether the backend confirms each denial with a failed call. @default false */
  readonly confirmsDenials?: boolean;
  /** The prefix of error codes, such as `codey`. */
  readonly errorPrefix: string;
  /** Whether a time limit of this machine ends a turn as `cancelled`. @default false: as `failed` */
  readonly timeoutCancels?: boolean;
  /**
   * Reads the session's facts from an event that begins a session; `event` also gets the event. With this method, the
   * first turn waits for its first event or its end, so that `session.started` has the facts.
   */
  opens?(event: Event, session: Session): SessionFacts | undefined;
  event(event: Event, session: Session): void;
  /** Handles an event outside of a turn, and reports its tool calls. @default `event` */
  stray?(event: Event, session: Session): void;
  /** The message that caused an event. @default the event */
  rawOf?(event: Event): Json | null;
  /** The message that caused a notice. @default its value */
  rawOfNotice?(name: string, value: unknown): Json | null;
  /** Handles an event of the client that belongs to no turn. */
  notice?(name: string, value: unknown, session: Session): void;
  /** A turn begins. */
  began?(turnId: string): void;
  /** The stream begins during a turn with this text so far. @default adds the text */
  missed?(text: string, session: Session): void;
  call?(call: TurnToolCall): CallFacts;
  /** The output of an ended call. @default a text as it is, any other value as JSON */
  output?(call: TurnToolCall): ToolOutputContent;
  /** Metadata of an approval, besides the tool's name and input. */
  approval?(call: ToolCall): Readonly<Record<string, unknown>>;
  /** The id of the call that asks a question. @default the id of the question */
  callOf?(question: Question): string | undefined;
  /** The turn has completed: emits the rest, then returns how the turn ends. */
  completed(result: Result, session: Session): CompletedFacts;
  /** The turn failed with an error of the backend. Undefined: the error has no special facts. */
  failed?(error: AnyAgentwireError, session: Session): FailedFacts | undefined;
  /** The error of a failed connection attempt; with `isFinal`, of a final loss. @default none */
  lost?(error: AnyAgentwireError, isFinal: boolean): Omit<ErrorData, "turn_id"> | undefined;
}

export interface FailedFacts extends Partial<CompletedFacts> {
  /** The code after the prefix, such as `turn_error`. */
  readonly reason: string;
  /** Whether `reason` is the whole code, without the prefix, such as `process_exit`. */
  readonly isBare?: boolean;
  readonly details?: Readonly<Record<string, Json>>;
  readonly data?: Partial<Pick<ErrorData, "message" | "fatal" | "retryable">>;
  /** Set if the session ends with the turn. */
  readonly session?: SessionEndedData;
}

/** The part of a client that universal streams use. */
export type HeardClient = Pick<AnyAgentClient, "status" | "capabilities" | "closedBy" | "on">;

/** The known facts about the backend's session when the client is ready. */
export type Opened = Omit<Extract<Fact, { readonly type: "opened" }>, "type">;

/** Passes a fact to the session of a turn, or to all open sessions. */
export type Tell<Event extends AnyEvent, Result extends TurnResult> = (
  fact: Fact<Event, Result>,
  turn?: AnyTurn,
) => void;

/** Connects the clients of one protocol with its mapping. */
export interface Binding<
  Client extends HeardClient = AnyAgentClient,
  Event extends AnyEvent = AnyEvent,
  Result extends TurnResult = TurnResult,
> {
  /** Makes the mapping of one session. `isOneOff`: the session ends with its only turn. */
  readonly newMapping: (isOneOff: boolean) => Mapping<Event, Result>;
  /** Whether this is a client of the protocol. */
  readonly isClient: (client: unknown) => client is Client;
  /** The client's facts about its session, when it is ready or has sent a `turn`. Undefined: none yet. */
  readonly opened?: (client: Client, turn?: TurnOrigin) => Opened | undefined;
  /** Listens to client events that only this protocol has. */
  readonly listen?: (client: Client, tell: Tell<Event, Result>) => readonly Unsubscribe[];
  /** Reads a prompt in the protocol's own form. */
  readonly input?: (input: unknown) => UserInput | undefined;
  /** Whether the backend forgets its session with the connection. */
  readonly forgets?: boolean;
  /** How a one-off turn's session ends. Without this there is no `session.ended`: the session continues. */
  readonly oneOff?: (end: TurnEnd<Result>) => SessionEndedData;
}
