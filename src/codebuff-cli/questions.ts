import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import { readAnswer } from "../core/gate/question.ts";
import { Recent } from "../core/recent.ts";
import type { Question, Reply } from "../core/values.ts";

/** Questions that are remembered, for who replies late. */
const REMEMBERED = 256;

interface Asked {
  readonly question: Question;
  readonly turnId: string;
  reply: Reply | undefined;
}

/**
 * What agents ask the user. Nothing can be told to a process that runs: it is answered, if at all, by the next prompt of the
 * conversation.
 */
export class Questions {
  readonly #answerByContinue: boolean;
  readonly #asked = new Recent<string, Asked>(REMEMBERED);
  /** How the conversation of a turn is gone on with. */
  readonly #continue = new Recent<string, (answer: string) => void>(REMEMBERED);

  constructor(answerByContinue: boolean) {
    this.#answerByContinue = answerByContinue;
  }

  /** The turn is one of a conversation. */
  belongTo(turnId: string, goOn: (answer: string) => void): void {
    this.#continue.set(turnId, goOn);
  }

  /** Programs count their calls anew in each run: the id of a second question would be that of the first. */
  idOf(turnId: string, callId: string): string {
    return this.#asked.get(callId) ? `${turnId}:${callId}` : callId;
  }

  /** A turn asks it. */
  add(question: Question, turnId: string): void {
    this.#asked.set(question.id, { question, turnId, reply: undefined });
  }

  /** @throws InvalidInputError for an id that was never asked; UnsupportedError where there is no way to answer */
  reply(id: string, answer: unknown): Reply {
    const asked = this.#asked.get(id);
    if (!asked) {
      throw new InvalidInputError(
        "no question has this id.",
        "Take that of a `question` event; the program asks for no approval.",
      );
    }
    const goOn = this.#continue.get(asked.turnId);
    if (!this.#answerByContinue || !goOn) {
      throw new UnsupportedError(
        "nothing can be told to the program while it runs.",
        "It goes on without an answer. In a `conversation()`, the option `answerByContinue` sends one as the next prompt.",
      );
    }
    if (asked.reply) return asked.reply;
    const answers = readAnswer(asked.question, answer);
    const reply: Reply = { answers, by: "reply" };
    goOn(textOf(asked.question, answers)); // which may refuse it
    asked.reply = reply;
    return reply;
  }
}

/** The answers as a user would write them. */
function textOf({ questions }: Question, answers: ReturnType<typeof readAnswer>): string {
  if (!answers) return "I do not want to answer that.";
  const lines = answers.map((given) => given.join(", "));
  if (questions.length === 1) return lines[0] ?? "";
  return questions.map(({ question }, index) => `${question} ${lines[index] ?? ""}`).join("\n");
}
