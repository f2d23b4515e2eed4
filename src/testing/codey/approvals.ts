// The calls of a session that the client may be asked about.
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
interface Standing {
  readonly call: PlannedCall;
  state: "requested" | "awaiting" | "stale" | "decided" | "past";
  decide: (approved: boolean) => void;
}

/** What a decision is taken for, the first that fits: what can be decided, then why nothing can. */
const OUTCOMES = [
  ["awaiting", "taken"],
  ["stale", "stale"],
  ["requested", "early"],
  ["decided", "repeated"],
  ["past", "late"],
] as const satisfies readonly (readonly [Standing["state"], ReceivedDecision["outcome"]])[];

/** The calls of one session that the client may be asked about. Several may have one id: the oldest is decided first. */
export class Approvals {
  readonly #calls = new Map<string, Standing[]>();

  request(call: PlannedCall): void {
    // What is known of earlier calls of the id says nothing any more, unless a decision can still be about them.
    const open = this.#of(call).filter(({ state }) => state !== "decided" && state !== "past");
    this.#calls.set(call.callId, [...open, { call, state: "requested", decide: () => {} }]);
  }

  /** Resolves with the decision, if one ever comes. */
  ask(call: PlannedCall): Promise<boolean> {
    return new Promise((decide) => {
      const standing = this.#of(call).find((each) => each.call === call);
      if (standing) Object.assign(standing, { state: "awaiting", decide });
    });
  }

  /** The call is under way or over; a decision that was made is not forgotten. */
  pass(call: PlannedCall): void {
    const standing = this.#of(call).find((each) => each.call === call);
    if (standing && standing.state !== "decided") standing.state = "past";
  }

  decide(callId: string, approved: boolean): ReceivedDecision["outcome"] {
    const standings = this.#calls.get(callId) ?? [];
    for (const [state, outcome] of OUTCOMES) {
      const standing = standings.find((each) => each.state === state);
      if (!standing) continue;
      if (outcome === "taken" || outcome === "stale") standing.state = "decided";
      if (outcome === "taken") standing.decide(approved);
      return outcome;
    }
    return "unknown";
  }

  /** A `Cancel`: nobody waits for decisions any more. */
  cancel(): void {
    for (const standing of [...this.#calls.values()].flat()) {
      if (standing.state === "awaiting") standing.state = "stale";
      else if (standing.state === "requested") standing.state = "past";
    }
  }

  /** The calls that wait for a decision, or did when a `Cancel` came. */
  calls(state: "awaiting" | "stale"): readonly PlannedCall[] {
    return [...this.#calls.values()].flat().flatMap((each) => (each.state === state ? [each.call] : []));
  }

  #of({ callId }: PlannedCall): readonly Standing[] {
    return this.#calls.get(callId) ?? [];
  }
}
