// What tests can read of connections, messages, decisions and violations, as types.
import type { FrameRecord, ServedConnection, ViolationRecord } from "../server/record.ts";
import type { ClientMessage } from "./messages.ts";

/** One connection of the mock server, as a test sees and steers it. Kept after it closed. */
export interface CodeyConnection extends ServedConnection {
  /** The id in its `Connected`. */
  readonly sessionId: string;
  /**
   * `ready`: `Connected` was sent. `deaf`: nothing is read any more. `closed`: either side has ended it, see
   * `closed`.
   */
  readonly state: "open" | "ready" | "deaf" | "closed";
  /** What its session is like: a `leaked` one has lost its connection and lives on all the same. */
  readonly session: "live" | "leaked" | "ended";
}

/** One frame, either way. */
export interface CodeyFrame extends FrameRecord<CodeyConnection> {
  /** Whether it was a binary frame; `raw` is then its bytes, read as UTF-8. */
  readonly binary: boolean;
}

/** A message of the client that the server understood. */
export interface CodeyReceived {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CodeyConnection;
  readonly message: ClientMessage;
}

/** A `SendMessage`. */
export interface ReceivedSend {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CodeyConnection;
  readonly content: string;
  /** The addressee, which the server does not look at; null when there was none. */
  readonly agentId: number | null;
  /** 1 for the first `SendMessage` that this server got, and so on. */
  readonly number: number;
  /** `started`: a turn began. `queued`, `restarted`: one was running, see the switch `midTurnSend`. */
  readonly outcome: "started" | "queued" | "restarted";
}

/** A `ToolDecision`. */
export interface ReceivedDecision {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CodeyConnection;
  readonly callId: string;
  readonly approved: boolean;
  /**
   * `taken`: the call was waiting for it. `stale`: it was, when a `Cancel` came. The others are ignored: `early`
   * for a call not asked about yet, `repeated` for one already decided, `late` for one that needs none any more,
   * `unknown`.
   */
  readonly outcome: "taken" | "stale" | "early" | "repeated" | "late" | "unknown";
}

/** A `Cancel`. */
export interface ReceivedCodeyCancel {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CodeyConnection;
  /** Whether there was a turn, or a call left over from one. */
  readonly stopped: boolean;
}

/** A mistake of the client. The server answers as the one that is played, and notes it here. */
export type CodeyViolation = ViolationRecord<CodeyConnection, CodeyViolationKind>;

/** What a client can do wrong. */
export type CodeyViolationKind =
  /** The upgrade asked for a subprotocol. */
  | "subprotocol-requested"
  /** A frame that breaks the WebSocket protocol itself. */
  | "malformed-frame"
  /** A frame came before `Connected` was sent, other than a `Ping`. */
  | "frame-before-connected"
  /** A binary frame. */
  | "binary-frame"
  /** A frame above the 15 MiB that a client may send. */
  | "oversize-frame"
  /** Text that is no JSON. */
  | "invalid-json"
  /** JSON that is no object, or lacks a field, or has one of a wrong type. */
  | "invalid-message"
  /** A type that the server does not know, or none. */
  | "unknown-type"
  /** An escape that is half a character: the server cannot read such JSON. */
  | "lone-surrogate"
  /** A `SendMessage` with nothing but white space: the model refuses it, now and ever after. */
  | "blank-content"
  /** A `SendMessage` while a turn ran. */
  | "send-mid-turn"
  /** A `SendMessage` behind a `Cancel`, before the `Pong` of a `Ping` behind it could have been read. */
  | "send-before-barrier"
  /** A decision for a call that the server never named on this connection. */
  | "decision-unknown"
  /** A decision for a call that the server had not asked about yet. */
  | "decision-early"
  /** A second decision for a call. */
  | "decision-repeated"
  /** A decision for a call that was allowed, failed or over without one; or an approval behind a `Cancel`. */
  | "decision-late"
  /** A next turn, or a Close, with a call undecided that a `Cancel` had found waiting. */
  | "approval-not-denied"
  /** A Close frame in a turn, without a `Cancel` first. */
  | "left-mid-turn";
