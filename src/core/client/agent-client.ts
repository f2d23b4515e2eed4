// The interface of every client: its members, events and capabilities.
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

/** What a backend can do. A UI shows only the features that work. */
export interface Capabilities {
  /** Whether text arrives in chunks. If false, it arrives whole. */
  readonly textDeltas: boolean;
  /** Whether thinking is reported while it happens. If false, the backend may still report it at the end. */
  readonly reasoning: boolean;
  readonly toolCalls: boolean;
  readonly toolOutputDeltas: boolean;
  readonly subagents: boolean;
  /** Who asks for approval before a tool runs: the server (`wire`), or this library's gate (`client`). */
  readonly permissions: "wire" | "client" | "none";
  readonly questions: boolean;
  /** The unit in which the backend reports usage. */
  readonly usage: "tokens" | "credits" | "cost" | "none";
  readonly images: boolean;
  /** Whether cancelling reaches the server. If false, the turn continues there, and its text is dropped. */
  readonly cancelOnWire: boolean;
  /** Who stores the conversation. */
  readonly history: "client" | "server" | "none";
  /** `one`: all prompts belong to one conversation, which `conversation()` returns each time. */
  readonly conversations: "one" | "many";
  /** Whether a conversation continues after the connection was lost. */
  readonly survivesReconnect: boolean;
  /** Whether the client reconnects by itself after the connection was lost. */
  readonly reopens: boolean;
  /** Whether the client recovers the answer of a turn that lost its connection. */
  readonly recovers: boolean;
  /** Whether the agent may send a plan. */
  readonly plan: boolean;
  /** Whether the backend reports how many tokens the model's context holds. */
  readonly context: boolean;
  /** Whether a conversation can continue from an earlier message. False if only its newest state is known. */
  readonly branches: boolean;
  /** Whether an approval may have a `preview`, computed by a tool on this machine. */
  readonly preview: boolean;
  /** Whether the user may choose a mode, and a model (`setMode`, `setModel`). The agent may still have none. */
  readonly modes: boolean;
  readonly models: boolean;
  /** Whether prompts may name files (`files`): the client has the folder of the agent. */
  readonly files: boolean;
}

/** The events that every socket client has. */
export interface ClientEvents<Event, Result extends TurnResult> {
  /** The client has another status. */
  status: [status: ClientStatus];
  /** The connection was lost, or an attempt failed. The next attempt follows after `delay` ms. */
  reconnecting: [backoff: Backoff];
  /** Ready again after a loss. The client repeats its standing requests, such as topics, before prompts. */
  reconnected: [];
  /** A ready connection was lost. */
  disconnected: [error: AnyAgentwireError];
  /** Something is not as it should be: a message on the wire, or an error in a listener or handler. */
  protocolWarning: [warning: ProtocolWarning];
  /** A new turn. A new listener also gets the turns that were made in the same tick. */
  turn: [turn: Turn<Event, Result>];
  /** An event of any turn. */
  event: [event: Event, turn: Turn<Event, Result>];
  /** A call waits for `client.decide(call.id, decision)`. New listeners also get the open calls. */
  approval: [call: ToolCall, turn?: Turn<Event, Result>];
  /** A question waits for `client.answer(question.id, answer)`. New listeners also get the open ones. */
  question: [question: Question, turn?: Turn<Event, Result>];
  /** A request has ended: it was decided, answered (here or elsewhere), settled by a rule, or withdrawn. */
  settled: [request: SettledRequest, turn?: Turn<Event, Result>];
  /** Every incoming message, parsed, without credentials. The events of turns contain it unchanged. */
  message: [message: unknown];
  /** Every raw frame, in and out, without credentials. */
  frame: [frame: FrameRecord];
}

/** The events of every client, for code that accepts any client. */
export type AnyClientEvents = ClientEvents<AnyEvent, TurnResult>;

/** The names of these events. Each client adds those of its protocol. */
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
  /** Aborting the signal ends only the wait. The client keeps connecting until `close()`. */
  readonly signal?: AbortSignal;
}

export interface CloseOptions {
  /** Closes without waiting for running turns. @default false */
  readonly force?: boolean;
  /** How long to wait for running turns, in ms. Each protocol has its own default. */
  readonly drainTimeout?: number;
}

/** The API of every backend. A UI written against this type works with all of them. */
export interface AgentClient<
  Event,
  Result extends TurnResult,
  Options,
  Input,
  Events extends { [Name in keyof Events]: readonly unknown[] } = ClientEvents<Event, Result>,
> extends AsyncDisposable {
  /** The current status. `on("status")` reports changes. */
  readonly status: ClientStatus;
  readonly capabilities: Capabilities;
  /** Why the client has closed for good: a `ClosedError` after `close()`, else its last error. Undefined while it is open. */
  readonly closedBy: AnyAgentwireError | undefined;
  prompt(input: PromptOf<Input>, options?: Options & TurnOptions): Turn<Event, Result>;
  conversation(options?: { readonly from?: ConversationState }): Conversation<Event, Result, Options, Input>;
  /** The requests that wait for the user, oldest first. Some belong to no turn. */
  readonly pending: readonly PendingRequest[];
  /**
   * Decides on an open tool call. Later decisions on the same call change nothing.
   * @returns the first ruling.
   * @throws InvalidInputError for an unknown id, the id of a question, and an invalid decision.
   */
  decide(id: string, decision: Decision): Ruling;
  /**
   * Answers an open question. Later answers to the same question change nothing.
   * @returns the first reply.
   * @throws InvalidInputError for an unknown id, the id of a tool call, and an invalid answer.
   */
  answer(id: string, answer: Answer): Reply;
  /** What the user has allowed in advance, oldest first. The same list until something changes. */
  readonly grants: readonly Grant[];
  /** Revokes a grant. Returns false if no grant has this id. */
  revoke(id: string): boolean;
  connect(options?: ConnectOptions): Promise<void>;
  close(options?: CloseOptions): Promise<void>;
  /** Adds a listener. Returns a function to remove it. @throws InvalidInputError for an unknown name */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  /** The same signature on every client, so that an app can listen to a union of clients. */
  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
}
