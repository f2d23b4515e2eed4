// Questions of agents, which the next prompt of the conversation answers.
import { UnsupportedError } from "../core/errors.ts";
import { askedOtherwise, neverAsked, REMEMBERED, readAnswer } from "../core/gate/decision.ts";
import { RequestIds } from "../core/gate/request-ids.ts";
import { Recent } from "../core/recent.ts";
import { Table } from "../core/table.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { DecidedBy, PendingRequest, Question, Reply } from "../core/values.ts";
import type { CliCore } from "./cli-core.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import type { CodebuffCliResult } from "./turn.ts";

/** The limit of open questions: far more than a user would answer. */
const MAX_OPEN = 256;

/** The way to answer a question: the next prompt of the conversation. */
interface Channel {
  readonly conversation: object;
  readonly prompt: (answer: string) => void;
}

interface Open {
  readonly question: Question;
  readonly channel: Channel;
}

/**
 * The agents' questions. A running process takes no input, so the answer is the next prompt of the conversation. The question is pending
 * until then, even after its turn has ended. Without a conversation, the question cannot be answered.
 */
export class Questions {
  readonly #core: CliCore;
  /** The channels for the questions of each turn. */
  readonly #channels = new WeakMap<object, Channel>();
  /** The turns whose prompts are answers. */
  readonly #answers = new WeakSet<object>();
  #isAnswering = false;
  readonly #ids = new RequestIds();
  readonly #open = new Table<string, Open>();
  /** The outcomes of questions. A question that could not be answered has no reply. */
  readonly #ended = new Recent<string, { readonly reply?: Reply }>(REMEMBERED);

  constructor(core: CliCore) {
    this.#core = core;
  }

  /** The questions that can be answered, oldest first. */
  get pending(): readonly PendingRequest[] {
    return [...this.#open.values()].map(({ question }) => ({ type: "question", id: question.id, question }));
  }

  /** Links a turn to its conversation. */
  belongTo(turn: object, channel: Channel): void {
    if (!this.#core.settings.answerByContinue) return;
    this.#channels.set(turn, channel);
    if (this.#isAnswering) this.#answers.add(turn);
  }

  /** The turn begins. Unless the turn is an answer, the open questions of its conversation end. */
  started(turn: object): void {
    const channel = this.#channels.get(turn);
    if (!channel || this.#answers.has(turn)) return;
    for (const [id, open] of [...this.#open.entries()]) {
      if (open.channel.conversation === channel.conversation)
        this.#withdraw(id, "ended", "the conversation went on");
    }
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** A new id for a question: programs restart the count of their calls in each run. */
  idFor(callId: string): string {
    return this.#ids.make(callId);
  }

  /** The agent of a turn asks a question. Tells the listeners. The question is pending only if it can be answered. */
  add(asked: Question, turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>): void {
    const { id } = asked;
    const question: Question = { ...asked, turnId: turn.id };
    const channel = this.#channels.get(turn);
    if (!channel || this.#core.isClosing) {
      this.#ended.set(id, {});
      turn.observed(question);
      this.#core.shared.emit("question", question, turn);
      return;
    }
    this.#open.set(id, { question, channel });
    const [oldest = id] = this.#open.keys();
    if (this.#open.size > MAX_OPEN)
      this.#withdraw(oldest, "ended", `more than ${MAX_OPEN} questions are open`);
    const request = { type: "question", id, question } as const;
    turn.opened(request);
    this.#core.opened(request);
  }

  /** The program has reported the result of the question. Without an answer in the result, the user may still answer. */
  answered(id: string, isAnswered: boolean): void {
    if (isAnswered) this.#withdraw(id, "elsewhere", "the program has the answer");
  }

  /** The client is closed: ends all open questions. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.#withdraw(id, "ended", "the client was closed");
  }

  /** @throws InvalidInputError for an unknown id; UnsupportedError if there is no way to answer */
  answer(id: string, answer: unknown): Reply {
    const open = this.#open.get(id);
    if (!open) return this.#endOf(id);
    const { question, channel } = open;
    const answers = readAnswer(question, answer);
    this.#isAnswering = true;
    try {
      channel.prompt(textOf(question, answers)); // if the prompt is refused, the question stays open
    } finally {
      this.#isAnswering = false;
    }
    return this.#end(question, { answers, by: "reply" });
  }

  #endOf(id: string): Reply {
    const ended = this.#ended.get(id);
    if (!ended) throw neverAsked(id);
    if (ended.reply) return ended.reply;
    throw new UnsupportedError(
      "nothing can be told to the program while it runs.",
      "It goes on without an answer. In a `conversation()`, the option `answerByContinue` sends one as the next prompt.",
    );
  }

  /** @throws InvalidInputError always: the program asks for no decision */
  decide(id: string): never {
    throw this.#isKnown(id) ? askedOtherwise(id, "a question") : neverAsked(id);
  }

  #isKnown(id: string): boolean {
    return this.isOpen(id) || this.#ended.get(id) !== undefined;
  }

  #withdraw(id: string, by: DecidedBy, reason: string): void {
    const open = this.#open.get(id);
    if (open) this.#end(open.question, { answers: undefined, by, reason });
  }

  #end(question: Question, reply: Reply): Reply {
    const { id, turnId = "" } = question;
    this.#open.delete(id);
    this.#ended.set(id, { reply });
    this.#core.find(turnId)?.closed(id);
    this.#core.settled({ type: "question", id, question, reply });
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
