// The `State` message, full or as the real server sends it.
import type { PlannedCall } from "./calls.ts";
import { shuffled } from "./dice.ts";
import { ROOT, type ServerMessage } from "./messages.ts";

/** A `State` that tells what there is. */
export function fullState(pending: readonly PlannedCall[], streaming: boolean): ServerMessage {
  return {
    type: "State",
    agents: [{ id: ROOT, name: "main", is_streaming: streaming }],
    pending_approvals: pending.map(({ callId: call_id, name, params }) => ({
      agent_id: ROOT,
      call_id,
      name,
      params,
    })),
  };
}

/** The `State` of the real server, which knows only of ids. */
export function stubState(pending: readonly PlannedCall[], random: () => number): ServerMessage {
  return {
    type: "State",
    agents: [{ id: ROOT, name: null, is_streaming: false }],
    pending_approvals: shuffled(pending, random).map(({ callId: call_id }) => ({
      agent_id: ROOT,
      call_id,
      name: "",
      params: null,
    })),
  };
}
