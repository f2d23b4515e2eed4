import type { ErrorDescription } from "../words/error-description.ts";
import { endPart } from "./end-part.ts";
import type { List } from "./list.ts";
import { listOf } from "./list.ts";
import type { ChatMessage, ChatPart } from "./message.ts";

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

/** A message of a chat that has ended: nothing of it is under way. The same message if nothing was. */
export function cutOff(message: ChatMessage): ChatMessage {
  switch (message.status) {
    case "queued":
      return { ...message, status: "failed", error: NEVER_SENT };
    case "open":
    case "recovering":
      return { ...message, status: "failed", error: CUT_OFF, parts: endParts(message.parts) };
    case "sent":
    case "completed":
    case "cancelled":
    case "failed":
      return message;
  }
}

const endParts = (parts: List<ChatPart>): List<ChatPart> =>
  listOf(
    parts.map((part) => {
      const ended = endPart(part);
      return ended.type === "subagent" ? { ...ended, parts: endParts(ended.parts) } : ended;
    }),
  );
