import { reveal } from "agentwire/chat";
import { useAgentChat, useChat } from "agentwire/react";
import type { ReactElement } from "react";

/** What the user has allowed beyond one call, each with a button that takes it back. */
export function Standing(): ReactElement | null {
  const chat = useChat();
  const approvals = useAgentChat(undefined, (snapshot) => snapshot.approvals);
  if (approvals.length === 0) return null;
  return (
    <details className="standing">
      <summary>Allowed without asking: {approvals.length}</summary>
      <ul>
        {approvals.map(({ id, tool, grant, scope }) => (
          <li key={id}>
            <span>
              {reveal(tool)}: {reveal(grant)}, {scope === "turn" ? "in this turn" : "in this session"}
            </span>
            <button className="plain" type="button" onClick={() => chat.revoke(id)}>
              Take back
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
