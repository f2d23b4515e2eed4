// Questions that wait for answers, and questions in the transcript.
import { type FormEvent, type ReactElement, useId, useState } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { UniversalQuestion } from "../../universal/events.ts";
import type { ChatQuestionPart } from "../../universal/transcript/message.ts";
import type { TranscriptRequest } from "../../universal/transcript/transcript.ts";
import { useChat } from "../index.ts";
import { useWords } from "./root.tsx";
import { useSettled } from "./use-settled.ts";

interface QuestionProps {
  readonly request: Extract<TranscriptRequest, { readonly type: "question" }>;
  /** The id of the heading. */
  readonly titleId?: string;
}

/** Choices, several of them, and words of the user's own. */
export function Question({ request, titleId }: QuestionProps): ReactElement {
  const chat = useChat();
  const words = useWords();
  const { id, questions } = request;
  const [missing, setMissing] = useState<readonly number[]>([]);
  const choices = useSettled(request);
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const data = new FormData(form);
    const answers = questions.map((question, index) => chosen(question, data, index));
    const without = answers.flatMap((labels, index) => (labels.length > 0 ? [] : index));
    setMissing(without);
    const [first] = without;
    if (first === undefined) chat.answer(id, answers);
    else {
      const fields = form.querySelectorAll("fieldset")[first];
      fields?.scrollIntoView({ block: "nearest" }); // with its words
      fields?.querySelector("input")?.focus();
    }
  };
  return (
    <form className="aw-questions" onSubmit={onSubmit}>
      <h2 id={titleId}>{words.asks(questions.length)}</h2>
      <div className="aw-questions-list">
        {questions.map((question, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one request never change
          <OneQuestion key={index} question={question} index={index} isMissing={missing.includes(index)} />
        ))}
      </div>
      <div className="aw-choices" {...choices}>
        <button className="aw-primary" type="submit">
          {words.giveAnswer}
        </button>
        <button className="aw-plain" type="button" onClick={() => chat.answer(id, null)}>
          {words.doNotAnswer}
        </button>
      </div>
    </form>
  );
}

interface OneQuestionProps {
  readonly question: UniversalQuestion;
  readonly index: number;
  /** Whether the user is told that its answer is missing. */
  readonly isMissing: boolean;
}

function OneQuestion({ question, index, isMissing }: OneQuestionProps): ReactElement {
  const { header, options, multi_select: isMultiple } = question;
  const words = useWords();
  const problemId = useId();
  const text = inert(question.question);
  const about = isMissing ? problemId : undefined;
  return (
    <fieldset dir="auto">
      <legend>
        {header !== undefined && (
          <span className="aw-question-header">{inert(header, { keepNewlines: false })}</span>
        )}{" "}
        {text}
      </legend>
      {options.map(({ label, description }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the options of one question never change
        <label key={at} className="aw-option">
          <input
            type={isMultiple ? "checkbox" : "radio"}
            name={`choice-${index}`}
            value={at}
            aria-describedby={about}
          />
          <span>
            {inert(label)}{" "}
            {description !== undefined && <span className="aw-option-about">{inert(description)}</span>}
          </span>
        </label>
      ))}
      <label className="aw-own-words">
        <span className={options.length > 0 ? undefined : "aw-unseen"}>
          {options.length > 0 ? words.ownWords : text}
        </span>
        <input name={`words-${index}`} autoComplete="off" aria-describedby={about} aria-invalid={isMissing} />
      </label>
      <p id={problemId} className="aw-problem" role="alert">
        {isMissing ? words.needsAnswer : ""}
      </p>
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
  const words = useWords();
  const { questions, status, answers } = part;
  return (
    <div className="aw-question" data-state={status}>
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
      {status === "requested" && <p className="aw-tool-state">{words.waitsForAnswer}</p>}
      {status === "rejected" && <p className="aw-tool-state">{words.notAnswered}</p>}
    </div>
  );
}
