// What tests can read of connections, prompts, answers and violations.
import { Journal } from "../server/journal.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "../server/record.ts";
import type { AnswerData, PromptData } from "./messages.ts";

/** One connection of the mock server, as a test sees and steers it. Kept after it closed. */
export interface MockConnection extends ServedConnection {
  /** The `clientSessionId` of its identify, once that was accepted. */
  readonly sessionId: string | undefined;
  /** `identified`: its identify was accepted. `closed`: either side has ended it, see `closed`. */
  readonly state: "open" | "identified" | "closed";
  /** What it is subscribed to. */
  readonly topics: ReadonlySet<string>;
}

/** One text frame, either way. */
export type RecordedFrame = ConnectionFrame<MockConnection>;

/** A prompt whose turn has come: with `scheduling: "fifo"` one that waits behind another is not here yet. */
export interface ReceivedPrompt {
  readonly connection: MockConnection;
  readonly txid: number;
  readonly promptId: string;
  /** The whole action data, as received. */
  readonly data: PromptData;
  /** What the language model would see, in the order of the switch `messageOrder`. */
  readonly messages: readonly PromptMessage[];
}

/** What a client said to a request of the server, once it passed the server's checks. */
export interface ReceivedAnswer {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: MockConnection;
  readonly txid: number;
  readonly kind: "tool-call" | "read-files" | "mcp-tools";
  /** Undefined only where the client left it out. */
  readonly requestId: string | undefined;
  /** The prompt for which the server asked; undefined when it did not ask. */
  readonly promptId: string | undefined;
  /** The whole action data, as received. */
  readonly data: AnswerData;
  /**
   * `taken`: the script got it. `repeated`: there was one before. `late`: the server had given up.
   * `unknown`: this connection was not asked that.
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
  /** Whether it stopped an answer: one was under way, and the token was good. */
  readonly stopped: boolean;
}

/** One message for the language model, after the proxy's lenient reading. */
export interface PromptMessage {
  readonly role: string;
  /** Null for none. */
  readonly content: unknown;
}

/** Everything that happened on a server. */
export class CodebuffJournal extends Journal<MockConnection, ViolationKind> {
  readonly prompts: ReceivedPrompt[] = [];
  readonly answers: ReceivedAnswer[] = [];
  readonly cancels: ReceivedCancel[] = [];
}

/** A mistake of the client. The server answers as the real one does, and notes it here. */
export type Violation = ViolationRecord<MockConnection, ViolationKind>;

/** A violation before it is known whose. */
export type Mistake = Omit<Violation, "connection">;

/** What a client can do wrong. */
export type ViolationKind =
  | "first-frame-not-identify" // something else than a valid identify
  | "frame-before-identify-ack" // before the answer to the first frame could have been read
  | "second-identify"
  | "empty-session-id"
  | "txid-invalid" // not an integer from 0 up, even where the server accepts it
  | "txid-not-increasing"
  | "txid-reused"
  | "txid-restarted" // a new connection of the same session id counts from below where the last one ended
  | "null-field" // an optional field sent as null instead of left out
  | "missing-field" // a prompt without `toolResults` or `costMode`, which one of the real servers needs
  | "empty-topics"
  | "binary-frame"
  | "oversize-frame" // above `sizeLimits`
  | "invalid-json"
  | "schema-error" // JSON that is not a valid message
  | "unknown-message" // a message type that the server does not know
  | "unknown-action" // an action type that the server does not know
  | "answer-unknown-request" // to a request that this connection was never sent, or of another kind than the request
  | "answer-repeated"
  | "answer-late" // the server had given up
  | "answer-incomplete" // without the output of a tool, or without a path that was asked for
  | "empty-prompt" // nothing in it for the language model
  | "prompt-id-reused" // within one session id
  | "frame-mid-prompt" // with `unreadFrame: "1011"`: the real proxy may end the link for it
  | "left-mid-prompt" // left, or closed with 1011 for a frame too early, while a prompt ran or waited: the real proxy does not survive it
  | "subprotocol-requested"
  | "malformed-frame"; // breaks the WebSocket protocol itself; the connection ends as if the client had left
