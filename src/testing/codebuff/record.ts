// The records that tests can read: connections, prompts, answers and violations.
import { Journal } from "../server/journal.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "../server/record.ts";
import type { AnswerData, PromptData } from "./messages.ts";

/** One connection of the mock server, for a test to inspect and control. Kept after it closed. */
export interface MockConnection extends ServedConnection {
  /** The `clientSessionId` of an accepted identify. */
  readonly sessionId: string | undefined;
  /** `identified`: the identify was accepted. `closed`: either side ended the connection, see `closed`. */
  readonly state: "open" | "identified" | "closed";
  /** The subscribed topics. */
  readonly topics: ReadonlySet<string>;
}

/** One text frame, in either direction. */
export type RecordedFrame = ConnectionFrame<MockConnection>;

/** A prompt that the server has started to process. With `scheduling: "fifo"`, a waiting prompt is not recorded yet. */
export interface ReceivedPrompt {
  readonly connection: MockConnection;
  readonly txid: number;
  readonly promptId: string;
  /** The whole action data, as received. */
  readonly data: PromptData;
  /** The messages that the language model would see, in the order of the switch `messageOrder`. */
  readonly messages: readonly PromptMessage[];
}

/** A client's answer to a server request, if it passed the server's checks. */
export interface ReceivedAnswer {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: MockConnection;
  readonly txid: number;
  readonly kind: "tool-call" | "read-files" | "mcp-tools";
  /** Undefined only if the client omitted it. */
  readonly requestId: string | undefined;
  /** The prompt that the server's request belongs to; undefined without such a request. */
  readonly promptId: string | undefined;
  /** The whole action data, as received. */
  readonly data: AnswerData;
  /**
   * `taken`: the script received the answer. `repeated`: the request was already answered. `late`: the server had given
   * up. `unknown`: this connection has no such request.
   */
  readonly outcome: "taken" | "repeated" | "late" | "unknown";
}

/** A cancel-user-input that passed the server's checks. */
export interface ReceivedCancel {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: MockConnection;
  readonly txid: number;
  readonly promptId: string;
  readonly authToken: string;
  /** Whether the cancel stopped an answer: an answer was running, and the token was valid. */
  readonly stopped: boolean;
}

/** One message for the language model, as the lenient proxy reads it. */
export interface PromptMessage {
  readonly role: string;
  /** Null for no content. */
  readonly content: unknown;
}

/** All records of a server. */
export class CodebuffJournal extends Journal<MockConnection, ViolationKind> {
  readonly prompts: ReceivedPrompt[] = [];
  readonly answers: ReceivedAnswer[] = [];
  readonly cancels: ReceivedCancel[] = [];
}

/** A client mistake. The server answers as the real server does, and records the mistake. */
export type Violation = ViolationRecord<MockConnection, ViolationKind>;

/** A violation without its connection. */
export type Mistake = Omit<Violation, "connection">;

/** The kinds of client mistakes. */
export type ViolationKind =
  | "first-frame-not-identify" // any frame except a valid identify
  | "frame-before-identify-ack" // sent before the client can have read the answer to the first frame
  | "second-identify"
  | "empty-session-id"
  | "txid-invalid" // not a non-negative integer, even if the server accepts it
  | "txid-not-increasing"
  | "txid-reused"
  | "txid-restarted" // a new connection of the same session id starts below the last txid
  | "null-field" // an optional field is null instead of omitted
  | "missing-field" // a prompt without `toolResults` or `costMode`: one real server needs them
  | "empty-topics"
  | "binary-frame"
  | "oversize-frame" // larger than `sizeLimits`
  | "invalid-json"
  | "schema-error" // JSON that is not a valid message
  | "unknown-message" // a message type unknown to the server
  | "unknown-action" // an action type unknown to the server
  | "answer-unknown-request" // no such request on this connection, or a request of another kind
  | "answer-repeated"
  | "answer-late" // the server had given up
  | "answer-incomplete" // without a tool's output, or without a requested path
  | "empty-prompt" // no content for the language model
  | "prompt-id-reused" // within one session id
  | "frame-mid-prompt" // with `unreadFrame: "1011"`: the real proxy may close the connection
  | "left-mid-prompt" // the connection ended during a prompt: the real proxy does not survive this
  | "subprotocol-requested"
  | "malformed-frame"; // a WebSocket protocol error; the connection ends as if the client had left
