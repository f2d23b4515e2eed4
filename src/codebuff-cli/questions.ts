// Questions of agents, which the next prompt of the conversation answers.
import { UnsupportedError } from "../core/errors.ts";
import { askedOtherwise, readAnswer } from "../core/gate/decision.ts";
import { neverAsked, REMEMBERED } from "../core/gate/outcome.ts";
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
 * The agents' questions. A running process takes no input, so the conversation's next prompt is the answer. The
 * question stays open after its turn. Without a conversation it cannot be answered.
 */
export class Questions {
  readonly #core: CliCore;
  readonly #channels = new WeakMap<object, Channel>();
  /** The turns whose prompts are answers. */
  readonly #answers = new WeakSet<object>();
  #isAnswering = false;
  readonly #ids = new RequestIds();
  readonly #open = new Table<string, Open>();
  /** Ended questions. A question that could not be answered has no reply. */
  readonly #ended = new Recent<string, { readonly reply?: Reply }>(REMEMBERED);

  constructor(core: CliCore) {
    this.#core = core;
  }

  get pending(): readonly PendingRequest[] {
    return [...this.#open.values()].map(({ question }) => ({ type: "question", id: question.id, question }));
  }

  belongTo(turn: object, channel: Channel): void {
    if (!this.#core.settings.answerByContinue) return;
    this.#channels.set(turn, channel);
    if (this.#isAnswering) this.#answers.add(turn);
  }

  /** A turn begins: ends the open questions of its conversation, unless the turn is an answer. */
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

  /** Makes a unique id: programs reuse their call ids in each run. */
  idFor(callId: string): string {
    return this.#ids.make(callId);
  }

  /** Emits a question. Keeps it open only if it can be answered. */
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

  /** Ends the question if the program's result has an answer. Otherwise the user may still answer. */
  answered(id: string, isAnswered: boolean): void {
    if (isAnswered) this.#withdraw(id, "elsewhere", "the program has the answer");
  }

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
      "the program takes no input while it runs.",
      "The program continues without an answer. In a `conversation()`, the option `answerByContinue` sends the answer as the next prompt.",
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

function textOf({ questions }: Question, answers: ReturnType<typeof readAnswer>): string {
  if (!answers) return "I do not want to answer that.";
  const lines = answers.map((given) => given.join(", "));
  if (questions.length === 1) return lines[0] ?? "";
  return questions.map(({ question }, index) => `${question} ${lines[index] ?? ""}`).join("\n");
}
