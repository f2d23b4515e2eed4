// A tool call that waits for a decision: what it changes, then its input. Nothing in either is hidden.
import { type ReactElement, useState } from "react";
import { reveal } from "../../chat/print/reveal.ts";
import { isShownIn } from "../../screens/shown-input.ts";
import type { TranscriptRequest } from "../../universal/transcript/transcript.ts";
import { useChat } from "../index.ts";
import { Diff } from "./diff.tsx";
import { EditForm } from "./edit-form.tsx";
import { useWords } from "./root.tsx";
import { shownInput } from "./tool.tsx";
import { useSettled } from "./use-settled.ts";

interface ApprovalProps {
  readonly request: Extract<TranscriptRequest, { readonly type: "approval" }>;
  /** The id of the heading. */
  readonly titleId?: string;
}

export function ApprovalView({ request, titleId }: ApprovalProps): ReactElement {
  const chat = useChat();
  const words = useWords();
  const [isGivingReason, setGivingReason] = useState(false);
  const [isForEveryCall, setForEveryCall] = useState(false);
  const { id, tool, input, grant, agent, preview = [] } = request;
  const choices = useSettled(request); // the request before had its buttons in the same place
  const whole = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long input scrolls, and a keyboard must reach all of it
    <pre tabIndex={0} dir="ltr">
      {shownInput(input) || words.noInput}
    </pre>
  );
  return (
    <>
      <h2 id={titleId}>
        {words.allow[0]}
        <code>{reveal(tool)}</code>
        {words.allow[1]}
      </h2>
      {agent !== undefined && <p className="aw-request-words">{words.askedBySubagent(reveal(agent))}</p>}
      {preview.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one file may come twice, and the changes of a call never change
        <Diff key={index} {...change} isAsked />
      ))}
      {preview.length > 0 ? (
        <details open={!isShownIn(preview, input)}>
          <summary className="aw-label">{words.input}</summary>
          {whole}
        </details>
      ) : (
        whole
      )}
      {grant !== undefined && <p className="aw-request-words">{words.always(reveal(grant))}</p>}
      {isForEveryCall ? (
        <EveryCall request={request} onBack={() => setForEveryCall(false)} />
      ) : isGivingReason ? (
        <EditForm
          label={words.whyNot}
          note={words.whyNot}
          text=""
          submit={words.reject}
          onSubmit={(reason) => chat.decide(id, { decision: "reject", reason })}
          onBack={() => setGivingReason(false)}
        />
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
