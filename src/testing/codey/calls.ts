// The calls of a session: their plans, and the client's decisions.
import type { CodeyBackend } from "./backend.ts";
import { usualResult } from "./profiles.ts";
import type { ReceivedDecision } from "./record.ts";
import type { CodeyCall } from "./script.ts";

/** A call with all defaults filled in. */
export type PlannedCall = Required<Omit<CodeyCall, "deltas">> & Pick<CodeyCall, "deltas">;

export function planned(call: CodeyCall, backend: CodeyBackend): PlannedCall {
  const { name, filter = "none", delay = 0, callId = backend.newCallId(name) } = call;
  const { params, background: lift } = lifted(call.params);
  const { background = lift } = call;
  const usual = call.result ?? usualResult(name, backend.profile);
  const exists = backend.tools.has(name) || backend.settings.unknownTool !== "toolError";
  const result = exists ? usual : { invalid: `Unknown tool: ${name}` };
  return { ...call, filter, delay, background, params, callId, result };
}

/** Removes `background` from the input, as the server does. */
function lifted(params: unknown = {}): { readonly params: unknown; readonly background: boolean } {
  if (typeof params !== "object" || params === null || Array.isArray(params) || !("background" in params))
    return { params, background: false };
  const { background, ...rest } = params;
  return { params: rest, background: background === true };
}

/**
 * A call and its state.
 *
 * ```
 *   requested --> awaiting --> decided
 *       |            |
 *       |            +-------> stale -----> decided    a Cancel came before the decision
 *       +-----------------------------------> past     it needs no decision, or none any more
 * ```
 */
interface Standing {
  readonly call: PlannedCall;
  state: "requested" | "awaiting" | "stale" | "decided" | "past";
  decide: (approved: boolean) => void;
}

/** The outcome of a decision, by the call's state. If several calls share the id, the first matching row counts. */
const OUTCOMES = [
  ["awaiting", "taken"],
  ["stale", "stale"],
  ["requested", "early"],
  ["decided", "repeated"],
  ["past", "late"],
] as const satisfies readonly (readonly [Standing["state"], ReceivedDecision["outcome"]])[];

/** The calls of one session. If several calls share an id, the oldest is decided first. */
export class Approvals {
  #calls: Standing[] = [];

  request(call: PlannedCall): void {
    // Forget settled calls with the same id.
    this.#calls = this.#calls.filter(
      ({ call: { callId }, state }) => callId !== call.callId || (state !== "decided" && state !== "past"),
    );
    this.#calls.push({ call, state: "requested", decide: () => {} });
  }

  /** Resolves with the decision. Without a decision it stays pending. */
  ask(call: PlannedCall): Promise<boolean> {
    return new Promise((decide) => Object.assign(this.#of(call) ?? {}, { state: "awaiting", decide }));
  }

  /** The call runs or is over, so it needs no decision. A decision already made stays recorded. */
  pass(call: PlannedCall): void {
    const standing = this.#of(call);
    if (standing && standing.state !== "decided") standing.state = "past";
  }

  decide(callId: string, approved: boolean): ReceivedDecision["outcome"] {
    const calls = this.#calls.filter(({ call }) => call.callId === callId);
    for (const [state, outcome] of OUTCOMES) {
      const standing = calls.find((each) => each.state === state);
      if (!standing) continue;
      if (outcome === "taken" || outcome === "stale") standing.state = "decided";
      if (outcome === "taken") standing.decide(approved);
      return outcome;
    }
    return "unknown";
  }

  /** Handles a `Cancel`: no call waits for a decision any more. */
  cancel(): void {
    for (const standing of this.#calls) {
      if (standing.state === "awaiting") standing.state = "stale";
      else if (standing.state === "requested") standing.state = "past";
    }
  }

  /** Returns the calls that wait for a decision, or waited when a `Cancel` came. */
  calls(state: "awaiting" | "stale"): readonly PlannedCall[] {
    return this.#calls.filter((each) => each.state === state).map(({ call }) => call);
  }

  #of(call: PlannedCall): Standing | undefined {
    return this.#calls.find((each) => each.call === call);
  }
}
