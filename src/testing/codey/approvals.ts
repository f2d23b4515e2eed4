import type { PlannedCall } from "./calls.ts";
import type { ReceivedDecision } from "./record.ts";

/**
 * Where a call is on its way to a decision.
 *
 * ```
 *   requested --> awaiting --> decided
 *       |            |
 *       |            +-------> stale -----> decided    a Cancel found it waiting
 *       +-----------------------------------> past     it needs no decision, or none any more
 * ```
 */
type Standing =
  | { readonly state: "requested" | "decided" | "past" }
  | { readonly state: "awaiting"; readonly call: PlannedCall; readonly decide: (approved: boolean) => void }
  | { readonly state: "stale"; readonly call: PlannedCall };

/** The calls of one session that the client may be asked about. */
export class Approvals {
  readonly #calls = new Map<string, Standing>();

  request(call: PlannedCall): void {
    this.#calls.set(call.callId, { state: "requested" });
  }

  /** Resolves with the decision, if one ever comes. */
  ask(call: PlannedCall): Promise<boolean> {
    return new Promise((decide) => {
      this.#calls.set(call.callId, { state: "awaiting", call, decide });
    });
  }

  /** The call is under way or over; a decision that was made is not forgotten. */
  pass({ callId }: PlannedCall): void {
    if (this.#calls.get(callId)?.state !== "decided") this.#calls.set(callId, { state: "past" });
  }

  decide(callId: string, approved: boolean): ReceivedDecision["outcome"] {
    const standing = this.#calls.get(callId);
    switch (standing?.state) {
      case undefined:
        return "unknown";
      case "requested":
        return "early";
      case "decided":
        return "repeated";
      case "past":
        return "late";
      case "stale":
        this.#calls.set(callId, { state: "decided" });
        return "stale";
      case "awaiting":
        this.#calls.set(callId, { state: "decided" });
        standing.decide(approved);
        return "taken";
    }
  }

  /** A `Cancel`: nobody waits for decisions any more. */
  cancel(): void {
    for (const [callId, standing] of this.#calls) {
      if (standing.state === "awaiting") this.#calls.set(callId, { state: "stale", call: standing.call });
      else if (standing.state === "requested") this.#calls.set(callId, { state: "past" });
    }
  }

  /** The calls that wait for a decision, or did when a `Cancel` came. */
  calls(state: "awaiting" | "stale"): readonly PlannedCall[] {
    return [...this.#calls.values()].flatMap((standing) =>
      standing.state === state && "call" in standing ? [standing.call] : [],
    );
  }
}
