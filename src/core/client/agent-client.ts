// The type of every client: its members, its events and its capabilities.
import type { AnyAgentwireError } from "../errors.ts";
import type { Backoff } from "../link/backoff.ts";
import type { EventNames, ListenOptions, Unsubscribe } from "../tell/events.ts";
import type { FrameRecord, ProtocolWarning } from "../tell/voice.ts";
import type { Conversation, ConversationState } from "../turn/conversation.ts";
import type { PromptOf } from "../turn/prompt-input.ts";
import type { Turn, TurnOptions, TurnResult } from "../turn/turn.ts";
import type {
  Answer,
  AnyEvent,
  ClientStatus,
  Decision,
  Grant,
  PendingRequest,
  Question,
  Reply,
  Ruling,
  SettledRequest,
  ToolCall,
} from "../values.ts";

/** The capabilities of a backend. A UI shows only the features that will work. */
export interface Capabilities {
  /** Text arrives in pieces. If false, text arrives in one piece. */
  readonly textDeltas: boolean;
  /** The backend reports thinking while it happens. If false, the backend may still report thinking at the end. */
  readonly reasoning: boolean;
  readonly toolCalls: boolean;
  readonly toolOutputDeltas: boolean;
  readonly subagents: boolean;
  /** The asker for approval before a tool runs: the server, on the wire (`wire`), or this library's own gate (`client`). */
  readonly permissions: "wire" | "client" | "none";
  readonly questions: boolean;
  /** The unit in which the backend reports usage. */
  readonly usage: "tokens" | "credits" | "cost" | "none";
  readonly images: boolean;
  /** Whether cancelling reaches the server. If false, the server goes on working, and the client drops its text. */
  readonly cancelOnWire: boolean;
  /** Who keeps the conversation. */
  readonly history: "client" | "server" | "none";
  /** `one`: all prompts of the client belong to one conversation, and `conversation()` returns the same one each time. */
  readonly conversations: "one" | "many";
  /** Whether a conversation goes on after a lost link. */
  readonly survivesReconnect: boolean;
  /** Whether the client reconnects by itself after a lost link. */
  readonly reopens: boolean;
  /** Whether the client looks for the answer of a turn whose link was lost. */
  readonly recovers: boolean;
  /** Whether the agent may tell its plan. */
  readonly plan: boolean;
  /** Whether the backend says how many tokens the model's context holds. */
  readonly context: boolean;
  /** Whether a conversation can go on from an earlier message. If false, the server keeps the history, or a state without its earlier forms. */
  readonly branches: boolean;
  /** Whether a tool on this machine tells what a call would change, before the user decides. If false, an approval has no `preview`. */
  readonly preview: boolean;
}

/** The events that every socket client has. */
export interface ClientEvents<Event, Result extends TurnResult> {
  status: [status: ClientStatus];
  /** The connection ended, or an attempt failed. Another attempt follows after `delay` ms. */
  reconnecting: [backoff: Backoff];
  /** Ready again after a loss. The client asks again for its standing requests, such as topics, before it sends any prompt. */
  reconnected: [];
  /** A connection that was ready ended. */
  disconnected: [error: AnyAgentwireError];
  protocolWarning: [warning: ProtocolWarning];
  /** A turn was made, by `prompt()` of the client or of a conversation. A listener is also told the turns of the tick in which it joins. */
  turn: [turn: Turn<Event, Result>];
  /** An event of any turn. */
  event: [event: Event, turn: Turn<Event, Result>];
  /**
   * A tool call waits for a decision: `client.decide(call.id, decision)`. A late listener is told the open calls. `turn` is given while
   * the turn is under way.
   */
  approval: [call: ToolCall, turn?: Turn<Event, Result>];
  /** A question waits for an answer: `client.answer(question.id, answer)`. A late listener is told the open questions. */
  question: [question: Question, turn?: Turn<Event, Result>];
  /** A request has ended: decided or answered (here or elsewhere), settled by a rule, or withdrawn. */
  settled: [request: SettledRequest, turn?: Turn<Event, Result>];
  /** Every inbound message, parsed, without credentials. The events of turns hold the server's message unchanged. */
  message: [message: unknown];
  /** Every raw frame, both ways, without credentials. */
  frame: [frame: FrameRecord];
}

/** The events that every client has, for a client of any kind. */
export type AnyClientEvents = ClientEvents<AnyEvent, TurnResult>;

/** The names of these events. A client adds the events of its protocol. */
export const CLIENT_EVENTS: EventNames<ClientEvents<never, never>> = {
  status: true,
  reconnecting: true,
  reconnected: true,
  disconnected: true,
  protocolWarning: true,
  turn: true,
  event: true,
  approval: true,
  question: true,
  settled: true,
  message: true,
  frame: true,
};

export interface ConnectOptions {
  /** Aborting stops the waiting. The client itself goes on connecting until `close()`. */
  readonly signal?: AbortSignal;
}

export interface CloseOptions {
  /** Closes without waiting for the turns that are under way. @default false */
  readonly force?: boolean;
  /** ms to wait for the turns that are under way. The default is the protocol's. */
  readonly drainTimeout?: number;
}

/** The API that every backend has: a UI written against this type runs on all of them. */
export interface AgentClient<
  Event,
  Result extends TurnResult,
  Options,
  Input,
  Events extends { [Name in keyof Events]: readonly unknown[] } = ClientEvents<Event, Result>,
> extends AsyncDisposable {
  /** The current value. `on("status")` reports changes. */
  readonly status: ClientStatus;
  readonly capabilities: Capabilities;
  /** Why the client is closed for good: a `ClosedError` after `close()`, otherwise its last failure. `undefined` while it is open. */
  readonly closedBy: AnyAgentwireError | undefined;
  prompt(input: PromptOf<Input>, options?: Options & TurnOptions): Turn<Event, Result>;
  conversation(options?: { readonly from?: ConversationState }): Conversation<Event, Result, Options, Input>;
  /** The requests that wait for the user, oldest first. Some belong to no turn. */
  readonly pending: readonly PendingRequest[];
  /**
   * Decides on an open tool call. A settled call keeps its ruling.
   * @returns the first ruling.
   * @throws InvalidInputError for an unknown id, for the id of a question, and for a value that is no decision.
   */
  decide(id: string, decision: Decision): Ruling;
  /**
   * Answers an open question. A settled question keeps its reply.
   * @returns the first reply.
   * @throws InvalidInputError for an unknown id, for the id of a tool call, and for a value that is no answer.
   */
  answer(id: string, answer: Answer): Reply;
  /** What the user has allowed beyond one call, oldest first. The same list until something changes. */
  readonly grants: readonly Grant[];
  /**
   * Takes a grant back.
   * @returns false if no grant has this id any more.
   */
  revoke(id: string): boolean;
  connect(options?: ConnectOptions): Promise<void>;
  close(options?: CloseOptions): Promise<void>;
  /**
   * Listens until the returned function is called.
   * @throws InvalidInputError for an event or an option that does not exist.
   */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  /** The same for every client, so that an app can listen to a union of clients. */
  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
}
