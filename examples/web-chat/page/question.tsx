import { type ChatPending, type ChatQuestionPart, inert } from "agentwire/chat";
import { useChat } from "agentwire/react";
import type { UniversalQuestion } from "agentwire/universal";
import { type FormEvent, type ReactElement, useState } from "react";
import { useSettled } from "./use-settled.ts";

/** Questions that wait for answers: choices, several of them, and words of the user's own. */
export function OpenQuestion({
  request,
}: {
  readonly request: Extract<ChatPending, { readonly type: "question" }>;
}): ReactElement {
  const chat = useChat();
  const { id, questions } = request;
  const [isMissing, setMissing] = useState(false);
  const choices = useSettled(request);
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const answers = questions.map((question, index) => chosen(question, fields, index));
    const isComplete = answers.every((labels) => labels.length > 0);
    setMissing(!isComplete);
    if (isComplete) chat.answer(id, answers);
  };
  return (
    <form className="questions" onSubmit={onSubmit}>
      <h2 id="request-title">
        {questions.length === 1 ? "The agent asks" : `The agent asks ${questions.length} questions`}
      </h2>
      <div className="questions-list">
        {questions.map((question, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one request never change
          <Question key={index} question={question} index={index} />
        ))}
      </div>
      <p className="problem" role="alert">
        {isMissing ? "Each question needs an answer." : ""}
      </p>
      <div className="request-choices" {...choices}>
        <button className="primary" type="submit">
          Answer
        </button>
        <button className="plain" type="button" onClick={() => chat.answer(id, null)}>
          Do not answer
        </button>
      </div>
    </form>
  );
}

function Question({
  question,
  index,
}: {
  readonly question: UniversalQuestion;
  readonly index: number;
}): ReactElement {
  const { header, options, multi_select: isMultiple } = question;
  const words = inert(question.question);
  return (
    <fieldset>
      <legend>
        {header !== undefined && (
          <span className="question-header">{inert(header, { keepNewlines: false })}</span>
        )}{" "}
        {words}
      </legend>
      {options.map(({ label, description }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the options of one question never change
        <label key={at} className="option">
          <input type={isMultiple ? "checkbox" : "radio"} name={`choice-${index}`} value={at} />
          <span>
            {inert(label)}{" "}
            {description !== undefined && <span className="option-about">{inert(description)}</span>}
          </span>
        </label>
      ))}
      <label className="own-words">
        <span className={options.length > 0 ? undefined : "unseen"}>
          {options.length > 0 ? "In other words" : words}
        </span>
        <input name={`words-${index}`} autoComplete="off" />
      </label>
    </fieldset>
  );
}

/** The labels that were chosen, and the user's own words. */
function chosen({ options }: UniversalQuestion, fields: FormData, index: number): readonly string[] {
  const labels = fields.getAll(`choice-${index}`).flatMap((at) => options[Number(at)]?.label ?? []);
  const words = String(fields.get(`words-${index}`) ?? "").trim();
  return words === "" ? labels : [...labels, words];
}

/** A question in the thread, with what became of it. */
export function AnsweredQuestion({ part }: { readonly part: ChatQuestionPart }): ReactElement {
  const { questions, status, answers } = part;
  return (
    <div className="question" data-state={status}>
      {questions.map(({ question }, index) => {
        const answer = answers.find(({ question_index }) => question_index === index);
        const said = [...(answer?.selected ?? []), ...(answer?.other_text ? [answer.other_text] : [])];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one part never change
          <p key={index}>
            {inert(question)} <strong>{status === "answered" ? inert(said.join(", ")) : ""}</strong>
          </p>
        );
      })}
      {status === "requested" && <p className="tool-state">waits for your answer</p>}
      {status === "rejected" && <p className="tool-state">was not answered</p>}
    </div>
  );
}
