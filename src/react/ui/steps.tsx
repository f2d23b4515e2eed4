// What the agent did on the way: the last step while it happens, all of them folded when they are over.
import { memo, type ReactElement } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { ChatStatusPart } from "../../universal/transcript/message.ts";
import { useWords } from "./root.tsx";

export interface StepsProps {
  readonly steps: readonly ChatStatusPart[];
  /** Whether the last step is what happens now. */
  readonly isOpen: boolean;
}

/** Notices and failures stay in sight. */
export const Steps = /* @__PURE__ */ memo(function Steps({ steps, isOpen }: StepsProps): ReactElement {
  const words = useWords();
  const quiet = steps.filter((step) => !isLoud(step));
  const last = quiet.at(-1);
  return (
    <>
      {last && quiet.length === 1 && !isOpen && <p className="aw-step">{wordsOf(last)}</p>}
      {quiet.length > 1 && !isOpen && (
        <details className="aw-steps">
          <summary>{words.steps(quiet.length)}</summary>
          <ul>
            {quiet.map((step) => (
              <li key={step.id} className="aw-step">
                {wordsOf(step)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {steps.filter(isLoud).map((step) => (
        <p key={step.id} className="aw-step" data-severity={step.failed ? "error" : step.severity}>
          {wordsOf(step)}
        </p>
      ))}
      {last && isOpen && <p className="aw-progress">{wordsOf(last).replace(/(\.\.\.|…)$/, "")}</p>}
    </>
  );
}, isSame);

function isLoud({ failed, severity }: ChatStatusPart): boolean {
  return failed === true || severity !== undefined;
}

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
