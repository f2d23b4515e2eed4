import { type ChatStatusPart, inert } from "agentwire/chat";
import { memo, type ReactElement } from "react";
import { countRender } from "./render-count.ts";

export interface StepsProps {
  readonly steps: readonly ChatStatusPart[];
  /** Whether the last step is what happens now. */
  readonly isOpen: boolean;
}

/** What the agent did on the way: the last step while it happens, all of them folded when they are over. */
export const Steps = memo(function Steps({ steps, isOpen }: StepsProps): ReactElement | null {
  const last = steps.at(-1);
  if (!last) return null;
  countRender(last.id);
  if (isOpen) return <p className="progress">{wordsOf(last).replace(/(\.\.\.|…)$/, "")}</p>;
  if (steps.length === 1) return <p className={last.failed ? "part-error" : "step"}>{wordsOf(last)}</p>;
  return (
    <details className="steps">
      <summary>{steps.length} steps</summary>
      <ul>
        {steps.map((step) => (
          <li key={step.id} className={step.failed ? "part-error" : "step"}>
            {wordsOf(step)}
          </li>
        ))}
      </ul>
    </details>
  );
}, isSame);

function wordsOf({ detail, label }: ChatStatusPart): string {
  return inert(detail ?? label);
}

/** A list is made at each render; its entries are the same objects as long as they have not changed. */
function isSame(before: StepsProps, now: StepsProps): boolean {
  return (
    before.isOpen === now.isOpen &&
    before.steps.length === now.steps.length &&
    now.steps.every((step, index) => step === before.steps[index])
  );
}
