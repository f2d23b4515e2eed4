import type { AnyAgentwireError } from "../errors.ts";
import type { Backoff } from "../link/backoff.ts";
import type { Conversation, ConversationState } from "../turn/conversation.ts";
import type { PromptOf } from "../turn/prompt-input.ts";
import type { Turn, TurnOptions, TurnResult } from "../turn/turn.ts";
import type {
  Answer,
  AnyEvent,
  ClientStatus,
  Decision,
  PendingRequest,
  Question,
  Reply,
  Ruling,
  SettledRequest,
  ToolCall,
} from "../values.ts";
import type { EventNames, ListenOptions, Unsubscribe } from "./events.ts";

/** What a backend can do, so that a UI shows only what will work. */
export interface Capabilities {
  /** Text arrives in pieces; otherwise as one. */
  readonly textDeltas: boolean;
  /** Thinking is told while it goes on; a backend without may still tell of it at the end. */
  readonly reasoning: boolean;
  readonly toolCalls: boolean;
  readonly toolOutputDeltas: boolean;
  readonly subagents: boolean;
  /** Who asks before a tool runs: the server, on the wire, or this library's own gate. */
  readonly permissions: "wire" | "client" | "none";
  readonly questions: boolean;
  /** What the backend counts. */
  readonly usage: "tokens" | "credits" | "cost" | "none";
  readonly images: boolean;
  /** Whether cancelling reaches the server; otherwise it goes on working and its words are dropped. */
  readonly cancelOnWire: boolean;
  /** Where the conversation is kept. */
  readonly history: "client" | "server" | "none";
  /** `one`: all prompts of the client are of one conversation, and `conversation()` is the same each time. */
  readonly conversations: "one" | "many";
  /** Whether a conversation goes on after a lost link. */
  readonly survivesReconnect: boolean;
  /** Whether the client comes back by itself after a lost link. */
  readonly reopens: boolean;
  /** Whether the client looks for the answer of a turn whose link was lost. */
  readonly recovers: boolean;
}

/** Something on the wire, or in a listener, that was not as it should be. The connection lives on. */
export interface ProtocolWarning {
  /** A stable word, such as `unreadable-frame`, `invalid-message` or `listener-threw`. */
  readonly kind: string;
  readonly message: string;
  /** The start of the frame, without credentials. */
  readonly raw?: string;
  /** What was thrown, where something was. */
  readonly cause?: unknown;
}

/** One text frame, without credentials. */
export interface FrameRecord {
  readonly direction: "in" | "out";
  readonly text: string;
}

/** The events that every socket client has. */
export interface ClientEvents<Event, Result extends TurnResult> {
  status: [status: ClientStatus];
  /** The connection ended, or an attempt failed; another follows after `delay` ms. */
  reconnecting: [backoff: Backoff];
  /** Ready again after a loss; what was standing, such as topics, is being asked for anew, before any prompt. */
  reconnected: [];
  /** A connection that was ready ended. */
  disconnected: [error: AnyAgentwireError];
  protocolWarning: [warning: ProtocolWarning];
  /** An event of any turn. */
  event: [event: Event, turn: Turn<Event, Result>];
  /** A tool call waits for a decision: `client.decide(call.id, decision)`. A late listener is told what is open; `turn` is there while it is under way. */
  approval: [call: ToolCall, turn?: Turn<Event, Result>];
  /** A question waits for an answer: `client.answer(question.id, answer)`. A late listener is told what is open. */
  question: [question: Question, turn?: Turn<Event, Result>];
  /** A request has ended: decided or answered, here or elsewhere, by a rule, or withdrawn. */
  settled: [request: SettledRequest, turn?: Turn<Event, Result>];
  /** Every inbound message, parsed; without credentials, as in `frame`. The events of turns have what the server said unchanged. */
  message: [message: unknown];
  /** Every raw frame, both ways, without credentials. */
  frame: [frame: FrameRecord];
}

/** The events that every client has, for a client of any kind. */
export type AnyClientEvents = ClientEvents<AnyEvent, TurnResult>;

/** Their names; a client adds those of its protocol. */
export const CLIENT_EVENTS: EventNames<ClientEvents<never, never>> = {
  status: true,
  reconnecting: true,
  reconnected: true,
  disconnected: true,
  protocolWarning: true,
  event: true,
  approval: true,
  question: true,
  settled: true,
  message: true,
  frame: true,
};

export interface ConnectOptions {
  /** Stops the waiting; the client itself goes on connecting until `close()`. */
  readonly signal?: AbortSignal;
}

export interface CloseOptions {
  /** Does not wait for turns that are under way. @default false */
  readonly force?: boolean;
  /** ms to wait for them. The default is the protocol's. */
  readonly drainTimeout?: number;
}

/** What every backend has: a UI written against this type runs on all of them. */
export interface AgentClient<
  Event,
  Result extends TurnResult,
  Options,
  Input,
  Events extends { [Name in keyof Events]: readonly unknown[] } = ClientEvents<Event, Result>,
> extends AsyncDisposable {
  /** A snapshot; `on("status")` tells changes. */
  readonly status: ClientStatus;
  readonly capabilities: Capabilities;
  prompt(input: PromptOf<Input>, options?: Options & TurnOptions): Turn<Event, Result>;
  conversation(options?: { readonly from?: ConversationState }): Conversation<Event, Result, Options, Input>;
  /** What waits for the user, oldest first, of any turn or of none. */
  readonly pending: readonly PendingRequest[];
  /**
   * Decides on a tool call that is open. What is settled already stays as it was.
   * @returns how it was settled, the first time.
   * @throws InvalidInputError for an unknown id, for the id of a question, and for a value that is no decision.
   */
  decide(id: string, decision: Decision): Ruling;
  /**
   * Answers a question that is open. What is settled already stays as it was.
   * @returns how it was settled, the first time.
   * @throws InvalidInputError for an unknown id, for the id of a tool call, and for a value that is no answer.
   */
  answer(id: string, answer: Answer): Reply;
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
  /** The same for every client, so that a union of clients can be listened to. */
  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
}
