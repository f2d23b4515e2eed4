// The agent's plan, as a list that ticks.
import type { ReactElement } from "react";
import { inert } from "../../chat/print/inert.ts";
import { useAgentChat } from "../index.ts";
import { useWords } from "./root.tsx";

/** Folded: how much is done. */
export function PlanView(): ReactElement | null {
  const words = useWords();
  const plan = useAgentChat(undefined, (chat) => chat.plan);
  if (!plan || plan.length === 0) return null;
  const done = plan.filter(({ status }) => status === "completed").length;
  return (
    <details className="aw-plan" open={done < plan.length}>
      <summary>{words.plan(done, plan.length)}</summary>
      <ol>
        {plan.map(({ content, status, priority }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: each plan replaces the one before
          <li key={index} data-status={status} data-priority={priority}>
            <span className="aw-tick" role="img" aria-label={words.planState[status]} />
            <bdi>{inert(content)}</bdi>
          </li>
        ))}
      </ol>
    </details>
  );
}
