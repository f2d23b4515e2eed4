import { defined } from "../../core/checks.ts";
import type { QuestionData, UniversalAnswer, UniversalQuestion } from "../events.ts";
import {
  addPart,
  changePart,
  type Draft,
  finish,
  leaveOpen,
  partAt,
  remember,
  settle,
  wait,
} from "./draft.ts";
import type { ChatQuestionPart } from "./message.ts";
import { keyOf } from "./transcript.ts";
import { answerOf } from "./turns.ts";

/** A question takes the place of the call that asks it (`ask_user`), so the call is no part of its own. */
export function askQuestion(draft: Draft, data: QuestionData): void {
  const id = data.question_id;
  const key = keyOf.question(id);
  const call = data.call_id === undefined ? undefined : draft.book.places.get(keyOf.call(data.call_id));
  const spot = call?.kind === "call" ? call.spot : undefined;
  const asked = spot && partAt(draft, spot)?.type === "tool" ? spot : undefined;
  if (asked) changePart(draft, asked, () => questionPart(data));
  const place = asked ?? addPart(draft, { message: answerOf(draft, id), path: [] }, questionPart(data));
  const waits = wait(draft, { type: "question", id, questions: questionsOf(data) });
  remember(draft, key, { kind: "question", spot: place, waits });
  leaveOpen(draft, key, place);
}

export function settleQuestion(draft: Draft, data: QuestionData): void {
  const key = keyOf.question(data.question_id);
  const place = draft.book.places.get(key);
  if (place?.kind !== "question") return;
  settle(draft, place.waits);
  const { status, reason } = data;
  changePart(draft, place.spot, (part) => {
    if (part.type !== "question") return part;
    return { ...part, status, answers: answersOf(data), ...defined({ reason }) };
  });
  finish(draft, key);
}

function questionPart(data: QuestionData): ChatQuestionPart {
  const { question_id: id, status } = data;
  return { type: "question", id, questions: questionsOf(data), status, answers: answersOf(data) };
}

/** Of an event of the base schema: its one question. */
function questionsOf({ questions, prompt, options }: QuestionData): readonly UniversalQuestion[] {
  return (
    questions ?? [{ question: prompt, options: options.map((label) => ({ label })), multi_select: false }]
  );
}

function answersOf({ answers, response, options }: QuestionData): readonly UniversalAnswer[] {
  if (answers) return answers;
  if (response === null) return [];
  const answer = options.includes(response) ? { selected: [response] } : { other_text: response };
  return [{ question_index: 0, ...answer }];
}
