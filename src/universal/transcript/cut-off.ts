// Ends open messages and parts of a chat that has ended.
import { hasEnded } from "../../core/values.ts";
import type { ErrorDescription } from "../words/error-description.ts";
import { type List, listOf } from "./list.ts";
import type { ChatMessage, ChatPart, ChatToolPart } from "./message.ts";

const NEVER_SENT: ErrorDescription = {
  title: "Not sent",
  detail: "The chat ended before this message was sent.",
  retry: "safe",
  code: "closed",
};

const CUT_OFF: ErrorDescription = {
  title: "Cut off",
  detail: "The chat ended before the answer was complete.",
  retry: "ask",
  code: "closed",
};

/** Ends an open message of a chat that has ended. Returns the same object if nothing was open. */
export function cutOff(message: ChatMessage): ChatMessage {
  const { status, parts } = message;
  if (status === "queued") return { ...message, status: "failed", error: NEVER_SENT };
  if (status !== "open" && status !== "recovering") return message;
  return { ...message, status: "failed", error: CUT_OFF, parts: endParts(parts) };
}

const endParts = (parts: List<ChatPart>): List<ChatPart> =>
  listOf(
    parts.map((part) => {
      const ended = endPart(part);
      return ended.type === "subagent" ? { ...ended, parts: endParts(ended.parts) } : ended;
    }),
  );

/** Ends an open part after its turn; otherwise returns the same object. Sub-agents end their own parts. */
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

/** Ends a call on which no decision is possible any more. */
function endTool(part: ChatToolPart): ChatToolPart {
  const { approval } = part;
  if (hasEnded(part)) return part;
  const ended: ChatToolPart = { ...part, state: "abandoned" };
  if (approval?.status !== "requested") return ended;
  return { ...ended, approval: { ...approval, status: "reject", reason: "disconnected" } };
}
