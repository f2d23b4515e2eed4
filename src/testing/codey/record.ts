// What tests can read of connections, messages, decisions and violations.
import { Journal } from "../server/journal.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "../server/record.ts";
import type { ClientMessage } from "./messages.ts";

/** One connection of the mock server, as a test sees and steers it. Kept after it closed. */
export interface CodeyConnection extends ServedConnection {
  /** The id in its `Connected`. */
  readonly sessionId: string;
  /** `ready`: `Connected` was sent. `deaf`: nothing is read any more. `closed`: either side has ended it, see `closed`. */
  readonly state: "open" | "ready" | "deaf" | "closed";
  /** A `leaked` session has lost its connection and lives on. */
  readonly session: "live" | "leaked" | "ended";
}

/** One frame, either way. */
export interface CodeyFrame extends ConnectionFrame<CodeyConnection> {
  /** Whether it was a binary frame; `raw` is then its bytes, read as UTF-8. */
  readonly binary: boolean;
}

/** Something that the client did. */
interface Received {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CodeyConnection;
}

/** A message of the client that the server understood. */
export interface CodeyReceived extends Received {
  readonly message: ClientMessage;
}

/** A `SendMessage`. */
export interface ReceivedSend extends Received {
  readonly content: string;
  /** The addressee, which the server ignores; null when there was none. */
  readonly agentId: number | null;
  /** 1 for the first `SendMessage` of this server, and so on. */
  readonly number: number;
  /** `started`: a turn began. `queued`, `restarted`: one was running, see the switch `midTurnSend`. */
  readonly outcome: "started" | "queued" | "restarted";
}

/** A `ToolDecision`. */
export interface ReceivedDecision extends Received {
  readonly callId: string;
  readonly approved: boolean;
  /**
   * `taken`: the call was waiting for it. `stale`: it was, when a `Cancel` came. The others are ignored: `early` for a call
   * not asked about yet, `repeated` for a decided one, `late` for one that needs none any more, `unknown`.
   */
  readonly outcome: "taken" | "stale" | "early" | "repeated" | "late" | "unknown";
}

/** A `Cancel`. */
export interface ReceivedCodeyCancel extends Received {
  /** Whether there was a turn, or a call left over from one. */
  readonly stopped: boolean;
}

/** A mistake of the client. The server answers as the one that is played, and notes it here. */
export type CodeyViolation = ViolationRecord<CodeyConnection, CodeyViolationKind>;

/** A violation without its connection. */
export type CodeyMistake = Omit<CodeyViolation, "connection">;

/** What a client can do wrong. */
export type CodeyViolationKind =
  /** The upgrade asked for a subprotocol. */
  | "subprotocol-requested"
  /** A frame that breaks the WebSocket protocol itself. */
  | "malformed-frame"
  /** A frame before `Connected`, other than a `Ping`. */
  | "frame-before-connected"
  | "binary-frame"
  /** A frame above the 15 MiB that a client may send. */
  | "oversize-frame"
  /** Text that is no JSON. */
  | "invalid-json"
  /** JSON that is no object, or lacks a field, or has one of a wrong type. */
  | "invalid-message"
  /** A type that the server does not know, or none. */
  | "unknown-type"
  /** Half a character: the server cannot read such JSON. */
  | "lone-surrogate"
  /** A `SendMessage` of white space: the model refuses it, and everything after it. */
  | "blank-content"
  /** A `SendMessage` while a turn ran. */
  | "send-mid-turn"
  /** A `SendMessage` after a `Cancel`, before the client could read the `Pong` of a `Ping` in between. */
  | "send-before-barrier"
  /** A decision for a call that the server never named on this connection. */
  | "decision-unknown"
  /** A decision for a call that the server had not asked about yet. */
  | "decision-early"
  /** A second decision for a call. */
  | "decision-repeated"
  /** A decision for a call that was allowed, failed or over without one; or an approval after a `Cancel`. */
  | "decision-late"
  /** A next turn, or a Close, with an undecided call that had waited at a `Cancel`. */
  | "approval-not-denied"
  /** A Close in a turn, without a `Cancel` first. */
  | "left-mid-turn";

/** Everything that happened on a server. */
export class CodeyJournal extends Journal<CodeyConnection, CodeyViolationKind, CodeyFrame> {
  readonly received: CodeyReceived[] = [];
  readonly sends: ReceivedSend[] = [];
  readonly decisions: ReceivedDecision[] = [];
  readonly cancels: ReceivedCodeyCancel[] = [];
}
