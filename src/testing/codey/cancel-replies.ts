// What the server answers to a `Cancel`.
import type { PlannedCall } from "./calls.ts";
import { type CodeyUsage, ROOT, type ServerMessage } from "./messages.ts";
import type { Settings } from "./profiles.ts";

/** What a `Cancel` is answered with, in a turn with these calls open. */
export function cancelReplies(
  cancelReply: Settings["cancelReply"],
  open: readonly PlannedCall[],
  usage: CodeyUsage,
): readonly ServerMessage[] {
  const errors = open.map(
    ({ callId: call_id }): ServerMessage => ({
      type: "ToolError",
      agent_id: ROOT,
      call_id,
      error: "Cancelled",
    }),
  );
  const finished: ServerMessage = { type: "Finished", agent_id: ROOT, usage };
  switch (cancelReply) {
    case "none":
      return [];
    case "toolErrors":
      return errors;
    case "finished":
      return [finished];
    case "both":
      return [...errors, finished];
  }
}
