// The refusals of free mode.
import type { BackendFreeModeGate } from "./switches.ts";

/** The status of each gate of July. Its words are the mock's own: only the codes are known. */
export const FREE_MODE: {
  readonly [gate in BackendFreeModeGate]: readonly [status: number, message: string];
} = {
  free_mode_gemini_thinker_required: [403, "Free mode needs the Gemini thinker for this agent."],
  free_mode_invalid_agent_model: [403, "This agent may not use this model in free mode."],
  free_mode_cli_required: [403, "Free mode is only available in the CLI."],
  free_mode_invalid_agent_hierarchy: [403, "This agent may not be spawned in free mode."],
  session_model_mismatch: [409, "The session was opened for another model."],
  session_superseded: [409, "Another session has taken over."],
  session_expired: [410, "The session has expired."],
  waiting_room_required: [428, "Join the waiting room first."],
  waiting_room_queued: [429, "You are in the waiting room."],
  free_mode_rate_limited: [429, "Free mode is rate limited. Try again later."],
};
