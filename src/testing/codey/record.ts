// The records for tests: connections, messages, decisions and violations.
import { Journal } from "../server/journal.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "../server/record.ts";
import type { ClientMessage } from "./messages.ts";

/** One connection of the mock server, for a test to inspect and control. The mock keeps closed connections. */
export interface CodeyConnection extends ServedConnection {
  /** The id in `Connected`. */
  readonly sessionId: string;
  /** `ready`: `Connected` was sent. `deaf`: the server reads nothing more. `closed`: ended, see `closed`. */
  readonly state: "open" | "ready" | "deaf" | "closed";
  /** `leaked`: the session goes on without its connection. */
  readonly session: "live" | "leaked" | "ended";
}

/** One frame in either direction. */
export interface CodeyFrame extends ConnectionFrame<CodeyConnection> {
  /** Whether it is a binary frame. `raw` is then its bytes, decoded as UTF-8. */
  readonly binary: boolean;
}

/** A record of a client's message. */
interface Received {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CodeyConnection;
}

/** A client message that the server understood. */
export interface CodeyReceived extends Received {
  readonly message: ClientMessage;
}

/** A `SendMessage`. */
export interface ReceivedSend extends Received {
  readonly content: string;
  /** The addressed agent, which the server ignores; null if missing. */
  readonly agentId: number | null;
  /** 1 for the server's first `SendMessage`. */
  readonly number: number;
  /** `started`: a turn began. `queued`, `restarted`: a turn was running, see the switch `midTurnSend`. */
  readonly outcome: "started" | "queued" | "restarted";
}

/** A `ToolDecision`. */
export interface ReceivedDecision extends Received {
  readonly callId: string;
  readonly approved: boolean;
  /**
   * `taken`: the call was waiting for a decision. `stale`: the call was waiting when a `Cancel` came. The server
   * ignores all others: `early` (the server has not asked yet), `repeated` (already decided), `late` (no decision
   * needed any more), `unknown`.
   */
  readonly outcome: "taken" | "stale" | "early" | "repeated" | "late" | "unknown";
}

/** A `Cancel`. */
export interface ReceivedCodeyCancel extends Received {
  /** Whether a turn, or a call left over from one, was running. */
  readonly stopped: boolean;
}

/** A mistake of the client. The mock records it, and answers as the real server would. */
type CodeyViolation = ViolationRecord<CodeyConnection, CodeyViolationKind>;

/** A violation without its connection. */
export type CodeyMistake = Omit<CodeyViolation, "connection">;

/** The kinds of client mistakes. */
export type CodeyViolationKind =
  /** The upgrade asked for a subprotocol. */
  | "subprotocol-requested"
  /** A frame that violates the WebSocket protocol itself. */
  | "malformed-frame"
  /** A frame before `Connected`, other than a `Ping`. */
  | "frame-before-connected"
  | "binary-frame"
  /** A frame over 15 MiB, the client's limit. */
  | "oversize-frame"
  /** Text that is not JSON. */
  | "invalid-json"
  /** JSON that is not an object, lacks a field, or has a field of a wrong type. */
  | "invalid-message"
  /** An unknown or missing type. */
  | "unknown-type"
  /** A lone surrogate, which the server's JSON parser rejects. */
  | "lone-surrogate"
  /** A blank `SendMessage`. The model's API rejects it and all later messages. */
  | "blank-content"
  /** A `SendMessage` during a turn. */
  | "send-mid-turn"
  /** A `SendMessage` after a `Cancel`, without a `Ping` in between whose `Pong` the client could read. */
  | "send-before-barrier"
  /** A decision for a call that the server never named on this connection. */
  | "decision-unknown"
  /** A decision before the server asked for it. */
  | "decision-early"
  /** A second decision for a call. */
  | "decision-repeated"
  /** A decision for a call that was allowed, failed or over without one. Also an approval after a `Cancel`. */
  | "decision-late"
  /** A new turn or a Close, while a call that waited at a `Cancel` is still undecided. */
  | "approval-not-denied"
  /** A Close during a turn, without a `Cancel` first. */
  | "left-mid-turn";

/** Everything that happened on a server. */
export class CodeyJournal extends Journal<CodeyConnection, CodeyViolationKind, CodeyFrame> {
  readonly received: CodeyReceived[] = [];
  readonly sends: ReceivedSend[] = [];
  readonly decisions: ReceivedDecision[] = [];
  readonly cancels: ReceivedCodeyCancel[] = [];
}
