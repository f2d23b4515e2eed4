// The result of a check: a message, or a refusal.
import type { Dict } from "../server/dict.ts";
import type { ActionData } from "./client-actions.ts";
import type { Mistake, ViolationKind } from "./record.ts";

/** A message that passed the checks. */
export type Inbound =
  | { readonly type: "identify"; readonly clientSessionId: string }
  | { readonly type: "ping" }
  | { readonly type: "subscribe" | "unsubscribe"; readonly topics: readonly string[] }
  | { readonly type: "action"; readonly data: ActionData };

/** What the server makes of a frame. */
export type Verdict = Accepted | Refused;

export interface Accepted {
  readonly ok: true;
  readonly txid: number;
  /** The same as the ack says it back: Python's integers have no bound. */
  readonly echo: number | bigint;
  readonly message: Inbound;
  /** The same before any reading: what the client wrote. */
  readonly source: Dict;
  /** What this server lets pass, although it should not have been said. */
  readonly notes: readonly Mistake[];
}

export interface Refused {
  readonly ok: false;
  /** The text of the NACK. */
  readonly error: string;
  /** The txid of the NACK, if it has one; the original server says back what it got, whatever that is. */
  readonly txid: unknown;
  /**
   * `nack`: an ack that says no. `broken`: the same, but the ack did not validate, so that before identify
   * there is only a close. `none`: the server stumbles and says nothing.
   */
  readonly answer: "nack" | "broken" | "none";
  readonly violation: ViolationKind;
}
