// `--ask-stdio`: decisions and answers as lines of JSON on the standard input.
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Chat, ChatResult } from "../../chat/index.ts";
import { isObject } from "../../core/checks.ts";
import type { Answer, Decision } from "../../core/index.ts";
import { ProgramFailure, wrongCall } from "../failure.ts";

export interface Decisions {
  readonly close: () => void;
}

/**
 * Carries out each line: `{ permission_id, decision, reason? }` or `{ question_id, answers }`. A line about a request that is settled does
 * nothing.
 * @param complain is told of lines that say nothing
 * @param ended is called when no more can come
 */
export function readDecisions(
  input: Readable,
  chat: Chat,
  complain: (error: unknown) => void,
  ended: () => void,
): Decisions {
  const lines = createInterface({ input });
  let count = 0;
  lines.on("line", (line) => {
    count++;
    if (line.trim() === "") return;
    try {
      const result = carryOut(chat, JSON.parse(line));
      if (!result.ok) complain(result.error);
    } catch (error) {
      const reason = error instanceof ProgramFailure ? error.message : "it is no JSON";
      complain(wrongCall(`Line ${count} of the standard input is no decision: ${reason}.`, FORMS));
    }
  });
  lines.on("close", ended);
  return { close: () => lines.close() };
}

const FORMS =
  'Write {"permission_id": "...", "decision": "once"} or {"question_id": "...", "answers": [["yes"]]}, each on one line.';

const DECISIONS = ["once", "always", "reject"] as const;

function carryOut(chat: Chat, value: unknown): ChatResult {
  const {
    permission_id: permission,
    question_id: question,
    decision,
    reason,
    answers,
  } = isObject(value) ? value : {};
  if (typeof permission === "string") {
    const word = DECISIONS.find((each) => each === decision);
    if (word === undefined) throw wrongCall(`decision is none of ${DECISIONS.join(", ")}`, FORMS);
    const made: Decision =
      word === "reject" && typeof reason === "string" ? { decision: word, reason } : word;
    return chat.decide(permission, made);
  }
  if (typeof question !== "string") throw wrongCall("it names no permission_id and no question_id", FORMS);
  if (answers !== null && !isLabels(answers))
    throw wrongCall("answers is no list of labels for each question, and not null", FORMS);
  const answer: Answer = answers;
  return chat.answer(question, answer);
}

function isLabels(value: unknown): value is readonly (readonly string[])[] {
  return (
    Array.isArray(value) &&
    value.every((labels) => Array.isArray(labels) && labels.every((label) => typeof label === "string"))
  );
}
