// What the user has allowed beyond one call.
import type { ReactElement } from "react";
import { reveal } from "../../chat/print/reveal.ts";
import { useAgentChat, useChat } from "../index.ts";
import { useWords } from "./root.tsx";

/** What the user has allowed beyond one call, each with a button that takes it back. */
export function GrantList(): ReactElement | null {
  const chat = useChat();
  const words = useWords();
  const approvals = useAgentChat(undefined, (snapshot) => snapshot.approvals);
  if (approvals.length === 0) return null;
  return (
    <details className="aw-standing">
      <summary>{words.grants(approvals.length)}</summary>
      <ul>
        {approvals.map(({ id, tool, grant, scope }) => (
          <li key={id}>
            <span>{words.grant(reveal(tool), reveal(grant), scope)}</span>
            <button className="aw-plain" type="button" onClick={() => chat.revoke(id)}>
              {words.takeBack}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
