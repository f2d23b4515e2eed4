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

/** What a mapping knows of a tool call besides what every call has. */
export interface CallFacts {
  /** The backend's id of the call. */
  readonly nativeId?: string | undefined;
  readonly agent?: AgentKey;
  /** What the tool does, and to what. */
  readonly facts?: ToolFacts | undefined;
  /** This machine runs the call, and so states its start and its result. */
  readonly isOwn?: boolean;
  /** The mapping tells the start and the result of the call from events. Without this, the states of the call tell them. */
  readonly isOnlyAnnounced?: boolean;
  /** The mapping tells the result of the call from an event, which follows the last state of the call. A denial needs no event. */
  readonly isResultTold?: boolean;
}

/** What the backend says of its session. */
export interface SessionFacts {
  readonly nativeSessionId?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How a completed turn ends. */
export interface CompletedFacts {
  readonly metadata: Omit<TurnEndMetadata, "status">;
  /** @default "agent": a message of the backend ended the turn */
  readonly stated?: Stated;
  /** The message that ended the turn, if no event has shown it. */
  readonly raw?: Json | undefined;
}

/**
 * How the events of one protocol become universal events. One mapping serves one session, so it may keep state. It is pure: no I/O, no
 * timers, no chance. Each method says what it has to say through `session`, which keeps the order that the schema demands.
 *
 * Tool calls, approvals, questions, cancels and losses are the same for all protocols: see `Normaliser`.
 */
export interface Mapping<Event extends AnyEvent = AnyEvent, Result extends TurnResult = TurnResult> {
  /** Such as `codey-ws`. */
  readonly protocol: string;
  /** Whether the backend asks for approvals in a message. */
  readonly asksOnWire: boolean;
  /** The backend confirms each denial with a failed call. @default false */
  readonly confirmsDenials?: boolean;
  /** The prefix of the codes of errors, such as `codey`. */
  readonly errorPrefix: string;
  /** Whether a time limit of this machine ends a turn as `cancelled`. @default false: as `failed` */
  readonly timeoutCancels?: boolean;
  /**
   * What an event says of the session, if the event is one that begins a session. A mapping with this method holds the first turn back
   * until its first event or its end, so that `session.started` can state what the backend says. The event goes to `event` too.
   */
  opens?(event: Event, session: Session): SessionFacts | undefined;
  event(event: Event, session: Session): void;
  /** An event while no turn runs, with its tool calls: nobody else tells them. @default `event` */
  stray?(event: Event, session: Session): void;
  /** The message behind an event. @default the event */
  rawOf?(event: Event): Json | null;
  /** The message behind such an event of the client. @default its value */
  rawOfNotice?(name: string, value: unknown): Json | null;
  /** An event of the client that belongs to no turn. */
  notice?(name: string, value: unknown, session: Session): void;
  /** A turn begins. */
  began?(turnId: string): void;
  /** The stream begins in the middle of a turn that has said this. @default the text as it is */
  missed?(text: string, session: Session): void;
  call?(call: TurnToolCall): CallFacts;
  /** The output of a call that has ended. @default a text as it is, any other value as JSON */
  output?(call: TurnToolCall): ToolOutputContent;
  /** What an approval says besides the name and the input of the tool. */
  approval?(call: ToolCall): Readonly<Record<string, unknown>>;
  /** The id of the call that asks a question. @default the id of the question */
  callOf?(question: Question): string | undefined;
  /** The turn has completed: says what is left to say, then how the turn ends. */
  completed(result: Result, session: Session): CompletedFacts;
  /** The turn has failed with an error of the backend. `undefined`: the error is of no special kind. */
  failed?(error: AnyAgentwireError, session: Session): FailedFacts | undefined;
  /** The error to report when an attempt to connect has failed; `isFinal`: when the connection is lost for good. @default none */
  lost?(error: AnyAgentwireError, isFinal: boolean): Omit<ErrorData, "turn_id"> | undefined;
}

export interface FailedFacts {
  /** What follows the prefix, such as `turn_error`. */
  readonly reason: string;
  /** The reason is the whole code, without the prefix: `process_exit`. */
  readonly isBare?: boolean;
  readonly details?: Readonly<Record<string, Json>>;
  /** @default "agent" */
  readonly stated?: Stated;
  /** The message that ended the turn, if no event has shown it. */
  readonly raw?: Json | undefined;
  readonly data?: Partial<Pick<ErrorData, "message" | "fatal" | "retryable">>;
  readonly metadata?: Omit<TurnEndMetadata, "status">;
  /** The session ends with the turn. */
  readonly session?: SessionEndedData;
}

/** The part of a client that universal events are made from. */
export type HeardClient = Pick<AnyAgentClient, "status" | "capabilities" | "closedBy" | "on">;

/** What is known of the backend's session when the client is ready. */
export type Opened = Omit<Extract<Fact, { readonly type: "opened" }>, "type">;

/** Tells a fact to the session of a turn, or to all open sessions. */
export type Tell<Event extends AnyEvent, Result extends TurnResult> = (
  fact: Fact<Event, Result>,
  turn?: AnyTurn,
) => void;

/** How the universal events of one protocol are made from its clients. */
export interface Binding<
  Client extends HeardClient = AnyAgentClient,
  Event extends AnyEvent = AnyEvent,
  Result extends TurnResult = TurnResult,
> {
  /** Makes the mapping of one session. `isOneOff`: the session ends with its only turn. */
  readonly newMapping: (isOneOff: boolean) => Mapping<Event, Result>;
  /** Whether this is a client of the protocol. */
  readonly isClient: (client: unknown) => client is Client;
  /** What the client knows of its session, when it is ready or has sent a `turn`. `undefined`: nothing yet. */
  readonly opened?: (client: Client, turn?: TurnOrigin) => Opened | undefined;
  /** Listens to the client's events that only this protocol has. */
  readonly listen?: (client: Client, tell: Tell<Event, Result>) => readonly Unsubscribe[];
  /** Reads a prompt in the protocol's own form. */
  readonly input?: (input: unknown) => UserInput | undefined;
  /** Whether the backend forgets its session with the connection. */
  readonly forgets?: boolean;
  /** How the session of a one-off turn ends. Without this, its stream ends without `session.ended`: the backend's session goes on. */
  readonly oneOff?: (end: TurnEnd<Result>) => SessionEndedData;
}
