// The records for tests: links, messages, prompts, requests and violations.
import { Notes } from "../notes.ts";
import type { Dict } from "../server/dict.ts";

/** How a process ends: with an exit code, by a signal to itself, or by closing stdout only. */
export type MockAcpEnd =
  | { readonly exit: number }
  | { readonly signal: "SIGKILL" | "SIGTERM" | "SIGSEGV" }
  | { readonly closeStdout: true };

/** One link of the mock: a stream pair, or a process with its stdio. The mock keeps ended links. */
export interface MockAcpLink {
  /** 1 for the first link. */
  readonly id: number;
  /** The process of the link; undefined in process. */
  readonly process: MockAcpProcess | undefined;
  /** What the client offered in `initialize`. */
  readonly clientCapabilities: Dict;
  readonly clientInfo: Dict;
  /** The ids of the sessions that this link has open. */
  readonly sessions: readonly string[];
  /** Whether the client has ended stdin. */
  readonly inputEnded: boolean;
  /** How the link ended. `killed`: the process was gone without a word of the agent. */
  readonly ended: MockAcpEnd | "killed" | undefined;
  /** Sends a message, also a wrong one. */
  say(message: Dict): void;
  /** Writes bytes, or a line and its newline. */
  raw(line: string | Uint8Array): void;
  /** Ends the process. */
  die(end: MockAcpEnd): void;
}

/** A process of the mock, as it was started. */
export interface MockAcpProcess {
  readonly pid: number;
  /** The arguments behind those of `program()`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** The processes that it started, by pid: commands in groups of their own, and the child that stays. */
  readonly children: readonly number[];
  /** The signals that it received and could handle. */
  readonly signals: readonly string[];
}

/** One line in either direction. `in` is to the agent. */
export interface MockAcpLine {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly link: MockAcpLink;
  readonly direction: "in" | "out";
  readonly raw: string;
}

interface Received {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly link: MockAcpLink;
}

/** A message of the client. */
export interface ReceivedAcpMessage extends Received {
  readonly type: "request" | "notification" | "response";
  /** The method; of a response, that of the agent's request. */
  readonly method: string | undefined;
  readonly message: Dict;
  /** The agent's response to a request, once it is sent. */
  readonly response: Dict | undefined;
}

/** A `session/prompt`. */
export interface ReceivedAcpPrompt extends Received {
  /** 1 for the first prompt of the mock. */
  readonly number: number;
  readonly sessionId: string;
  /** The content blocks. */
  readonly content: readonly Dict[];
  /** The text blocks, joined. */
  readonly text: string;
  /** The stop reason, `error`, or undefined while it is not answered. */
  readonly outcome: string | undefined;
}

/** A `session/cancel`. */
export interface ReceivedAcpCancel extends Received {
  readonly sessionId: string;
  /** Whether a turn was running. */
  readonly stopped: boolean;
}

/** What the client answered to a request. */
export type MockAcpReply = { readonly result: unknown } | { readonly error: Dict };

/** A request of the agent to the client. */
export interface MockAcpRequest extends Received {
  readonly id: number | string;
  readonly method: string;
  readonly params: Dict;
  readonly reply: MockAcpReply | undefined;
  /** Whether the session was cancelled before the answer came. */
  readonly cancelledFirst: boolean;
}

/** A mistake of the client. The mock records it, and answers as an agent would. */
export interface MockAcpViolation {
  readonly link: MockAcpLink;
  readonly kind: MockAcpViolationKind;
  /** The details for a reader: a method, a field, an id. */
  readonly detail: string;
}

/** The kinds of client mistakes. */
export type MockAcpViolationKind =
  /** A line that is not JSON, or not UTF-8. */
  | "invalid-line"
  /** JSON that is no JSON-RPC 2.0 message. */
  | "invalid-message"
  /** A request for an unknown method, or one that the agent does not offer. */
  | "unknown-method"
  /** A request or notification whose `params` lack a field, or have one of a wrong type. */
  | "invalid-params"
  /** A request before the response to `initialize`. */
  | "before-initialize"
  /** A second `initialize`, or one for a protocol version other than 1. */
  | "wrong-initialize"
  /** The id of an earlier request. */
  | "repeated-id"
  /** An answer to a request that the agent never sent. */
  | "unknown-answer"
  /** A second answer to a request. */
  | "repeated-answer"
  /** An answer whose `result` lacks a field, or has one of a wrong type. */
  | "invalid-answer"
  /** A permission that selects an option that was not offered. */
  | "unknown-option"
  /** A result for a request that the client had not offered to serve. */
  | "unoffered-result"
  /** `authenticate` with an agent that asks for none, or with an unknown method. */
  | "authenticate-unasked"
  /** A session that this link has not opened, or not the agent's. */
  | "unknown-session"
  /** A session loaded or resumed in another folder than its own. */
  | "foreign-cwd"
  /** A `cwd` that is not absolute. */
  | "relative-cwd"
  /** A mode, model or option that the session does not have. */
  | "unknown-choice"
  /** A prompt while a turn of its session runs. */
  | "prompt-mid-turn"
  /** A prompt without content, or with blank text alone. */
  | "blank-prompt"
  /** A content block of a type that the agent does not take. */
  | "unsupported-content"
  /** A new prompt or the end of stdin, while a request of a cancelled turn is not answered. */
  | "request-unanswered"
  /** The end of stdin while a turn runs, without a cancel first. */
  | "left-mid-turn";

type Writable<Record> = { -readonly [Name in keyof Record]: Record[Name] };

/** A record that the mock still completes. */
export type OpenRecord<Record> = Writable<Record>;

/** Everything that happened on a mock. */
export class AcpJournal extends Notes {
  readonly links: MockAcpLink[] = [];
  readonly lines: MockAcpLine[] = [];
  readonly received: ReceivedAcpMessage[] = [];
  readonly prompts: ReceivedAcpPrompt[] = [];
  readonly cancels: ReceivedAcpCancel[] = [];
  readonly requests: MockAcpRequest[] = [];
  readonly violations: MockAcpViolation[] = [];
}
