import { type ChatPending, reveal } from "agentwire/chat";
import { useChat } from "agentwire/react";
import { type FormEvent, type KeyboardEvent, type ReactElement, useState } from "react";
import { inputOf } from "./tool-call.tsx";
import { useSettled } from "./use-settled.ts";

/** Lines of a diff that are shown at once. More is folded. */
const MAX_LINES = 20;

/** A diff as plain text. Nothing in it is hidden. */
function Diff({ text }: { readonly text: string }): ReactElement {
  const lines = reveal(text).replace(/\n$/, "").split("\n");
  const more = lines.length - MAX_LINES;
  return (
    <>
      <pre>{lines.slice(0, MAX_LINES).join("\n")}</pre>
      {more > 0 && (
        <details className="folded">
          <summary className="folded-label">{more} more lines</summary>
          <pre>{lines.slice(MAX_LINES).join("\n")}</pre>
        </details>
      )}
    </>
  );
}

/** A tool call that waits for a decision. The input is shown whole, and nothing in it is hidden. */
export function Approval({
  request,
}: {
  readonly request: Extract<ChatPending, { readonly type: "approval" }>;
}): ReactElement {
  const chat = useChat();
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
      <h2 id="request-title">
        Allow <code>{reveal(tool)}</code>?
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long input scrolls, and a keyboard must reach all of it */}
      <pre tabIndex={0}>{inputOf(input) || "No input"}</pre>
      {agent !== undefined && <p className="request-words">Asked by the sub-agent {reveal(agent)}</p>}
      {grant !== undefined && <p className="request-words">Always: {reveal(grant)}</p>}
      {preview.map(({ path, diff, by }, index) => {
        const key = `${index}-${path}`; // one file may come twice
        return (
          <section key={key} className="preview">
            <p className="folded-label">
              {reveal(path)}
              {by === "agent" && ", as the agent states it"}
            </p>
            <Diff text={diff} />
          </section>
        );
      })}
      {isForEveryCall ? (
        <EveryCall request={request} onBack={() => setForEveryCall(false)} />
      ) : isGivingReason ? (
        <form className="reason" onSubmit={onReason}>
          <label htmlFor="reason">Why not?</label>
          {/* biome-ignore lint/a11y/noAutofocus: the user has just asked for this field */}
          <input id="reason" name="reason" autoComplete="off" autoFocus onKeyDown={onReasonKey} />
          <button className="choice" type="submit">
            Reject
          </button>
          <button className="plain" type="button" onClick={() => setGivingReason(false)}>
            Back
          </button>
        </form>
      ) : (
        <div className="request-choices" {...choices}>
          <button className="primary" type="button" onClick={() => chat.decide(id, "once")}>
            Allow once
          </button>
          {grant !== undefined && (
            <>
              <button
                className="choice"
                type="button"
                onClick={() => chat.decide(id, { decision: "once", scope: "turn" })}
              >
                Allow in this turn
              </button>
              <button className="choice" type="button" onClick={() => chat.decide(id, "always")}>
                Always allow
              </button>
            </>
          )}
          <button className="choice" type="button" onClick={() => chat.decide(id, "reject")}>
            Reject
          </button>
          <button className="plain" type="button" onClick={() => setGivingReason(true)}>
            Reject with a reason
          </button>
          {grant !== undefined && (
            <button className="plain" type="button" onClick={() => setForEveryCall(true)}>
              Every call…
            </button>
          )}
        </div>
      )}
    </>
  );
}

/** The second step: what covers more than the words above. */
function EveryCall({
  request,
  onBack,
}: {
  readonly request: Extract<ChatPending, { readonly type: "approval" }>;
  onBack(): void;
}): ReactElement {
  const chat = useChat();
  const choices = useSettled(request); // a second click on the button before must not mean every call
  const { id, tool } = request;
  return (
    <>
      <p>Allow every call of {reveal(tool)} in this session, whatever it does?</p>
      <div className="request-choices" {...choices}>
        <button className="primary" type="button" onClick={onBack}>
          Back
        </button>
        <button
          className="choice"
          type="button"
          onClick={() => chat.decide(id, { decision: "always", tool: true })}
        >
          Allow every call
        </button>
      </div>
    </>
  );
}
