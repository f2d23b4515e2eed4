import { type ChatSnapshot, inert } from "agentwire/chat";
import { useAgentChat } from "agentwire/react";
import type { ReactElement } from "react";

/** Characters of an answer that are read aloud by themselves: about a minute. The rest is in the log. */
const MAX_SPOKEN = 1_000;

/** Tells a screen reader what has changed: an answer when it is whole, and not each piece of it. */
export function Announcer(): ReactElement {
  const words = useAgentChat(undefined, newsIn);
  return (
    <p className="unseen" role="status">
      {words}
    </p>
  );
}

/** What matters most now. The same words while an answer comes. */
function newsIn({ pending, connection, busy, messages, loading }: ChatSnapshot): string {
  const [request] = pending;
  if (request?.type === "approval")
    return `The agent asks to use ${inert(request.tool)}. Decide above the message field.`;
  if (request) return "The agent asks you something. Answer above the message field.";
  if (connection.contextLost) return "The agent has forgotten this conversation. Choose how to go on.";
  if (connection.attempt > 0) return "The connection is lost, and is being repaired.";
  if (busy) return "The agent answers.";
  const last = messages.at(-1);
  if (loading || last?.role !== "assistant") return "";
  if (last.error) return inert(`${last.error.title}. ${last.error.detail}`);
  const texts = last.parts.toArray().flatMap((part) => (part.type === "text" ? part.text : []));
  return inert(texts.join(" ").slice(0, MAX_SPOKEN));
}
