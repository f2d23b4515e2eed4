// The agent's plan, as a list that ticks.
import type { ReactElement } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import { useAgentChat } from "../index.ts";
import { lastPrompt } from "./facts.ts";
import { useWords } from "./root.tsx";

/** The prompt that each plan was made for. Null for plans of which nobody knows that. */
const PROMPTS = /* @__PURE__ */ new WeakMap<object, string | null>();

/** The plan of the last prompt: what an earlier one has left undone is not under way. A plan out of a store is an earlier one's, unless a turn runs. */
function currentPlan({ plan, busy, messages }: ChatSnapshot): ChatSnapshot["plan"] {
  if (!plan) return null;
  const prompt = lastPrompt(messages)?.id ?? "";
  if (!PROMPTS.has(plan)) PROMPTS.set(plan, busy ? prompt : null);
  return PROMPTS.get(plan) === prompt ? plan : null;
}

/** Folded: how much is done. */
export function PlanView(): ReactElement | null {
  const words = useWords();
  const plan = useAgentChat(undefined, currentPlan);
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
