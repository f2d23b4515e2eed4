// What docs/react.md shows besides its first program.

import { cass } from "agentwire/cass";
import { type Chat, type ChatPending, type ChatStore, createChat, inert, reveal } from "agentwire/chat";
import { useAgentChat, useChat, useConnection, useOwnChat, useSeconds } from "agentwire/react";
import { readJsonl, toJsonl } from "agentwire/universal";

export function Everything({ chat }: { readonly chat: Chat }) {
  // #region react-select
  const snapshot = useAgentChat(chat); // everything: renders again with every change
  const busy = useAgentChat(chat, (now) => now.busy); // renders again when a turn begins or ends
  const last = useAgentChat(chat, (now) => now.messages.at(-1)); // when the last message changes
  // #endregion
  return <p>{`${snapshot.queued} ${busy} ${last?.id}`}</p>;
}

// #region react-own
export function Panel({ url, token }: { readonly url: string; readonly token: string }) {
  const chat = useOwnChat(() => createChat(cass({ url, token, recover: true })));
  const { messages } = useAgentChat(chat);
  return <p>{messages.length} messages</p>;
}
// #endregion

// #region react-connection
export function Banner() {
  const { resume, dismiss } = useChat();
  const { status, attempt, retryAt, reason, contextLost } = useConnection();
  const wait = -useSeconds(retryAt);
  const problem = useAgentChat(undefined, (now) => now.problem);
  if (retryAt !== undefined)
    return <p role="status">{`${reason?.title}. Attempt ${attempt} in ${wait} s`}</p>;
  if (problem)
    return (
      <p role="alert">
        {`${problem.title}. ${problem.detail}`}
        <button type="button" onClick={dismiss}>
          Close
        </button>
      </p>
    );
  if (contextLost)
    return (
      <p role="status">
        The agent has forgotten this conversation.
        <button type="button" onClick={() => resume("with-transcript")}>
          Send the transcript
        </button>
        <button type="button" onClick={() => resume("without-context")}>
          Go on without
        </button>
      </p>
    );
  return status === "closed" && reason ? <p role="status">{reason.detail}</p> : null;
}
// #endregion

// #region react-question
export function QuestionForm({ request }: { readonly request: Extract<ChatPending, { type: "question" }> }) {
  const { answer } = useChat();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        const answers = request.questions.map((_, at) =>
          fields.getAll(String(at)).map(String).filter(Boolean),
        );
        answer(request.id, answers);
      }}
    >
      {request.questions.map(({ question, options, multi_select }, at) => (
        <fieldset key={question}>
          <legend>{reveal(question)}</legend>
          {options.map(({ label }) => (
            <label key={label}>
              <input type={multi_select ? "checkbox" : "radio"} name={String(at)} value={label} />{" "}
              {inert(label)}
            </label>
          ))}
          {options.length === 0 && <input name={String(at)} aria-label={reveal(question)} />}
        </fieldset>
      ))}
      <button type="submit">Answer</button>
      <button type="button" onClick={() => answer(request.id, null)}>
        No answer
      </button>
    </form>
  );
}
// #endregion

// #region react-store
export const browserStore: ChatStore = {
  async load(id) {
    return readJsonl(localStorage.getItem(`chat ${id}`) ?? "").events;
  },
  async append(id, events) {
    const before = localStorage.getItem(`chat ${id}`) ?? "";
    localStorage.setItem(`chat ${id}`, before + toJsonl(events));
  },
  async list() {
    const names = Object.keys(localStorage).filter((name) => name.startsWith("chat "));
    return names.map((name) => name.slice("chat ".length)).sort();
  },
};
// #endregion
