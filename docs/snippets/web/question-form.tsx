// A question of an agent, for docs/react.md.
// #region react-question
// question-form.tsx
import { type ChatPending, inert, reveal } from "agentwire/chat";
import { useChat } from "agentwire/react";
import { type FormEvent, useState } from "react";

export function QuestionForm({ request }: { readonly request: Extract<ChatPending, { type: "question" }> }) {
  const { answer } = useChat();
  const [isMissing, setMissing] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const answers = request.questions.map((_, at) =>
      fields
        .getAll(String(at))
        .map(String)
        .filter((text) => text.trim() !== ""),
    );
    const isComplete = answers.every((texts) => texts.length > 0);
    setMissing(!isComplete);
    if (isComplete) answer(request.id, answers);
  };
  return (
    <form onSubmit={onSubmit}>
      {request.questions.map(({ question, options, multi_select }, at) => (
        <fieldset key={question}>
          <legend>{reveal(question)}</legend>
          {options.map(({ label }) => (
            <label key={label}>
              <input type={multi_select ? "checkbox" : "radio"} name={String(at)} value={label} />{" "}
              {inert(label)}
            </label>
          ))}
          {/* An answer may always be in the user's own words. */}
          <input name={String(at)} aria-label={`In your words: ${reveal(question)}`} />
        </fieldset>
      ))}
      {isMissing && <p role="alert">Each question needs an answer.</p>}
      <button type="submit">Answer</button>
      <button type="button" onClick={() => answer(request.id, null)}>
        No answer
      </button>
    </form>
  );
}
// #endregion
