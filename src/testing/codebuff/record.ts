// What tests can read of connections, prompts, answers and violations, as types.
import type { FrameRecord, ServedConnection, ViolationRecord } from "../server/record.ts";
import type { AnswerData, PromptData } from "./client-actions.ts";

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
export type RecordedFrame = FrameRecord<MockConnection>;

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

/** A mistake of the client. The server answers as the real one does, and notes it here. */
export type Violation = ViolationRecord<MockConnection, ViolationKind>;

/** A violation before it is known whose. */
export interface Mistake {
  readonly kind: ViolationKind;
  readonly detail: string;
}

/** What a client can do wrong. */
export type ViolationKind =
  /** The first frame was something else than a valid identify. */
  | "first-frame-not-identify"
  /** A frame came before the answer to the first one could have been read. */
  | "frame-before-identify-ack"
  /** A second identify on one connection. */
  | "second-identify"
  /** An empty `clientSessionId`. */
  | "empty-session-id"
  /** A txid that is not an integer from 0 up, even where the server accepts it. */
  | "txid-invalid"
  /** A txid below the one before. */
  | "txid-not-increasing"
  /** A txid that this connection has already used. */
  | "txid-reused"
  /** A new connection of the same session id counts from below where the last one ended. */
  | "txid-restarted"
  /** An optional field sent as null instead of left out. */
  | "null-field"
  /** A prompt without `toolResults` or `costMode`, which one of the real servers needs. */
  | "missing-field"
  /** `topics: []`. */
  | "empty-topics"
  /** A binary frame. */
  | "binary-frame"
  /** A frame above `sizeLimits`. */
  | "oversize-frame"
  /** A frame that is not JSON, as the server reads it. */
  | "invalid-json"
  /** JSON that is not a valid message. */
  | "schema-error"
  /** A message type that the server does not know. */
  | "unknown-message"
  /** An action type that the server does not know. */
  | "unknown-action"
  /** A `costMode` that the earlier original servers do not know; ours takes it, as the later ones do. */
  | "unknown-cost-mode"
  /** An answer to a request that this connection was never sent, or of another kind than the request. */
  | "answer-unknown-request"
  /** A second answer to one request. */
  | "answer-repeated"
  /** An answer that came when the server had given up. */
  | "answer-late"
  /** An answer that lacks a part: the output of a tool, or a path that was asked for. */
  | "answer-incomplete"
  /** A prompt with nothing in it for the language model. */
  | "empty-prompt"
  /** A promptId that this session id has already used. */
  | "prompt-id-reused"
  /** A frame came while a prompt ran, with the switch `unreadFrame: "1011"`: the real proxy may end the link for it. */
  | "frame-mid-prompt"
  /** The client closed or vanished, or was closed with 1011 for a frame too early, while a prompt ran or waited: the real proxy does not survive it. */
  | "left-mid-prompt"
  /** The upgrade asked for a subprotocol. */
  | "subprotocol-requested"
  /** A frame that breaks the WebSocket protocol itself; the connection ends as if the client had left. */
  | "malformed-frame";
