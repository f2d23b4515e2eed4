import { hasEnded } from "../../core/values.ts";
import type { ChatPart, ChatToolPart } from "./message.ts";

/** A part whose turn is over: nothing of it is under way. The same part if nothing was. Parts of a sub-agent end on their own. */
export function endPart(part: ChatPart): ChatPart {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.open ? { ...part, open: false } : part;
    case "tool":
      return endTool(part);
    case "question":
      return part.status === "requested" ? { ...part, status: "rejected", reason: "disconnected" } : part;
    case "subagent":
      return part.state === "running" ? { ...part, state: "failed" } : part;
    case "file":
    case "status":
    case "data":
    case "error":
      return part;
  }
}

/** Nobody can decide on the call any more. */
function endTool(part: ChatToolPart): ChatToolPart {
  const { approval } = part;
  if (hasEnded(part)) return part;
  if (approval?.status !== "requested") return { ...part, state: "abandoned" };
  return {
    ...part,
    state: "abandoned",
    approval: { ...approval, status: "reject", reason: "disconnected" },
  };
}
