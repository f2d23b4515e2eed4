// A tool call that waits for a decision. The input is shown whole, and nothing in it is hidden.
import { type FormEvent, type KeyboardEvent, type ReactElement, useId, useState } from "react";
import { reveal } from "../../chat/print/reveal.ts";
import type { TranscriptRequest } from "../../universal/transcript/transcript.ts";
import { useChat } from "../index.ts";
import { Diff } from "./diff.tsx";
import { useWords } from "./root.tsx";
import { inputText } from "./tool.tsx";
import { useSettled } from "./use-settled.ts";

interface ApprovalProps {
  readonly request: Extract<TranscriptRequest, { readonly type: "approval" }>;
  /** The id of the heading. */
  readonly titleId?: string;
}

export function ApprovalView({ request, titleId }: ApprovalProps): ReactElement {
  const chat = useChat();
  const words = useWords();
  const reasonId = useId();
  const [isGivingReason, setGivingReason] = useState(false);
  const [isForEveryCall, setForEveryCall] = useState(false);
  const { id, tool, input, grant, agent, preview = [] } = request;
  const onReason = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get("reason")).trim();
    chat.decide(id, reason === "" ? "reject" : { decision: "reject", reason });
  };
  const choices = useSettled(request); // the request before had its buttons in the same place
  const onReasonKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // only the reason is taken back, and not the whole answer
    setGivingReason(false);
  };
  return (
    <>
      <h2 id={titleId}>
        {words.allow[0]}
        <code>{reveal(tool)}</code>
        {words.allow[1]}
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long input scrolls, and a keyboard must reach all of it */}
      <pre tabIndex={0} dir="ltr">
        {inputText(input) || words.noInput}
      </pre>
      {agent !== undefined && <p className="aw-request-words">{words.askedBySubagent(reveal(agent))}</p>}
      {grant !== undefined && <p className="aw-request-words">{words.always(reveal(grant))}</p>}
      {preview.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one file may come twice, and the changes of a call never change
        <Diff key={index} {...change} />
      ))}
      {isForEveryCall ? (
        <EveryCall request={request} onBack={() => setForEveryCall(false)} />
      ) : isGivingReason ? (
        <form className="aw-reason" onSubmit={onReason}>
          <label htmlFor={reasonId}>{words.whyNot}</label>
          {/* biome-ignore lint/a11y/noAutofocus: the user has just asked for this field */}
          <input id={reasonId} name="reason" autoComplete="off" autoFocus onKeyDown={onReasonKey} />
          <button className="aw-choice" type="submit">
            {words.reject}
          </button>
          <button className="aw-plain" type="button" onClick={() => setGivingReason(false)}>
            {words.back}
          </button>
        </form>
      ) : (
        <div className="aw-choices" {...choices}>
          <button className="aw-primary" type="button" onClick={() => chat.decide(id, "once")}>
            {words.allowOnce}
          </button>
          {grant !== undefined && (
            <>
              <button
                className="aw-choice"
                type="button"
                onClick={() => chat.decide(id, { decision: "once", scope: "turn" })}
              >
                {words.allowInTurn}
              </button>
              <button className="aw-choice" type="button" onClick={() => chat.decide(id, "always")}>
                {words.alwaysAllow}
              </button>
            </>
          )}
          <button className="aw-choice" type="button" onClick={() => chat.decide(id, "reject")}>
            {words.reject}
          </button>
          <button className="aw-plain" type="button" onClick={() => setGivingReason(true)}>
            {words.rejectWithReason}
          </button>
          {grant !== undefined && (
            <button className="aw-plain" type="button" onClick={() => setForEveryCall(true)}>
              {words.everyCall}
            </button>
          )}
        </div>
      )}
    </>
  );
}

/** The second step: what covers more than the words above. */
function EveryCall({ request, onBack }: ApprovalProps & { onBack(): void }): ReactElement {
  const chat = useChat();
  const words = useWords();
  const choices = useSettled(request); // a second click on the button before must not mean every call
  const { id, tool } = request;
  return (
    <>
      <p>{words.everyCallOf(reveal(tool))}</p>
      <div className="aw-choices" {...choices}>
        <button className="aw-primary" type="button" onClick={onBack}>
          {words.back}
        </button>
        <button
          className="aw-choice"
          type="button"
          onClick={() => chat.decide(id, { decision: "always", tool: true })}
        >
          {words.allowEveryCall}
        </button>
      </div>
    </>
  );
}
