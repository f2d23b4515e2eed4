import type { AnswerData } from "./client-actions.ts";
import type { ConnectionFaults } from "./faults.ts";

/** One connection of the mock server, as a test sees and steers it. Kept after it closed. */
export interface MockConnection {
  /** 1 for the first connection of the server, and so on. */
  readonly id: number;
  /** The `clientSessionId` of its identify, once that was accepted. */
  readonly sessionId: string | undefined;
  /** `identified`: its identify was accepted. `closed`: either side has ended it, see {@link closed}. */
  readonly state: "open" | "identified" | "closed";
  /** How it ended, once the socket is down. */
  readonly closed: ConnectionClosed | undefined;
  /** What it is subscribed to. */
  readonly topics: ReadonlySet<string>;
  /** Sends a text frame as it is. Nothing happens on a closed connection. */
  send(raw: string): void;
  /** Starts the closing handshake. */
  close(code?: number, reason?: string): void;
  /** Ends the TCP connection without a Close frame, after what was already sent: the client sees 1006. */
  drop(): void;
  /** Sends a text frame of which the second half never comes, then ends the TCP connection. */
  dropMidFrame(text: string): void;
  /**
   * Goes silent: reads nothing more from the socket and sends nothing, until {@link resume}. The client's
   * Close goes unread too, and even its vanishing goes unnoticed, as with a server that hangs.
   */
  pause(): void;
  /** Sends what was held back and goes on reading. */
  resume(): void;
  /** What can go wrong beneath the protocol. */
  readonly faults: ConnectionFaults;
}

/** How a connection ended. */
export interface ConnectionClosed {
  /** The code of whoever closed first; 1005 for a Close without one, 1006 for a cut. */
  readonly code: number;
  readonly reason: string;
  /** Whether both sides said Close. */
  readonly wasClean: boolean;
  /** Who ended it. */
  readonly by: "client" | "server";
}

/** One text frame, either way. */
export interface RecordedFrame {
  /** `clock.now()` when it was sent or had arrived, in ms. */
  readonly at: number;
  readonly connection: MockConnection;
  readonly direction: "c2s" | "s2c";
  readonly raw: string;
}

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
  readonly content: unknown;
}

/** The data of a prompt action that passed the server's checks. */
export interface PromptData {
  readonly type: "prompt";
  readonly promptId: string;
  readonly fingerprintId: string;
  readonly sessionState: { readonly [key: string]: unknown };
  readonly prompt?: string | null;
  readonly content?: readonly { readonly [key: string]: unknown }[] | null;
  readonly promptParams?: { readonly [key: string]: unknown } | null;
  readonly authToken?: string | null;
  readonly costMode?: string;
  readonly toolResults?: readonly { readonly [key: string]: unknown }[];
  readonly model?: string | null;
  readonly repoUrl?: string | null;
  readonly agentId?: string | null;
}

/** A mistake of the client. The server answers as the real one does, and notes it here. */
export interface Violation {
  readonly connection: MockConnection;
  readonly kind: ViolationKind;
  /** What it was about, for people: a field, an id, the text of the refusal. */
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
  /** The client closed or vanished while a prompt ran or waited: the real proxy does not survive it. */
  | "left-mid-prompt"
  /** The upgrade asked for a subprotocol. */
  | "subprotocol-requested"
  /** A frame that breaks the WebSocket protocol itself; the connection ends as if the client had left. */
  | "malformed-frame";
