// What waits for the user: the oldest request. The next one follows when it is settled.
import { type KeyboardEvent, type ReactElement, type RefObject, useEffect, useId, useRef } from "react";
import { usePending } from "../index.ts";
import { ApprovalView } from "./approval.tsx";
import { Question } from "./question.tsx";
import { useWords } from "./root.tsx";

export interface RequestPanelProps {
  /** Gets the focus when nothing waits any more, and what somebody writes without looking. */
  readonly composer?: RefObject<HTMLTextAreaElement | null>;
}

export function RequestPanel({ composer }: RequestPanelProps): ReactElement | null {
  const words = useWords();
  const titleId = useId();
  const pending = usePending();
  const [request] = pending;
  const panel = useRef<HTMLElement>(null);
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    const hasGone = before.current !== undefined && before.current !== request?.id;
    before.current = request?.id;
    if (request && !isTyping()) panel.current?.focus();
    if (request) showChange(panel.current);
    // A button that had the focus is gone with its request.
    else if (hasGone && document.activeElement === document.body) composer?.current?.focus();
  }, [request, composer]);
  if (!request) return null;

  // Who begins to write without looking goes on in the composer. Enter and Space do nothing here: nobody approves by accident.
  const onKeyDown = (event: KeyboardEvent): void => {
    const isCharacter = event.key.length === 1 && event.key !== " ";
    if (event.target === panel.current && isCharacter && !(event.ctrlKey || event.metaKey || event.altKey))
      composer?.current?.focus();
  };
  return (
    <section
      key={request.id}
      ref={panel}
      className="aw-request"
      aria-labelledby={titleId}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {request.type === "approval" ? (
        <ApprovalView request={request} titleId={titleId} />
      ) : (
        <Question request={request} titleId={titleId} />
      )}
      {pending.length > 1 && <p className="aw-hint">{words.moreRequests(pending.length - 1)}</p>}
    </section>
  );
}

/** Scrolls to the first changed line of a diff, if it is not in the upper half: above the buttons. */
function showChange(panel: HTMLElement | null): void {
  const line = panel?.querySelector<HTMLElement>(".aw-line:is([data-type=added], [data-type=removed])");
  if (panel && line) panel.scrollTop = line.offsetTop - panel.clientHeight / 2;
}

/** Whether somebody is in the middle of a text. The focus stays there. */
function isTyping(): boolean {
  const { activeElement } = document;
  const isField = activeElement instanceof HTMLTextAreaElement || activeElement instanceof HTMLInputElement;
  return isField && activeElement.value !== "";
}
