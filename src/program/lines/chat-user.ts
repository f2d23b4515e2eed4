// The user at the terminal: what the chat waits for, asked in lines.
import { type Chat, type ChatPending, reveal } from "../../chat/index.ts";
import { behindBar, type Screen, type TypedLines } from "./terminal.ts";
import { until } from "./until.ts";

/** Why an approval that nobody decided is denied. */
export const INPUT_ENDED = "the input has ended";

/** The user at the terminal, who is asked what the chat waits for. */
export class ChatUser {
  readonly #chat: Chat;
  readonly #screen: Screen;
  readonly #lines: TypedLines;
  readonly #undecided: (id: string) => void;

  /** @param undecided gets the id of an approval that is denied because the input has ended */
  constructor(chat: Chat, screen: Screen, lines: TypedLines, undecided: (id: string) => void) {
    this.#chat = chat;
    this.#screen = screen;
    this.#lines = lines;
    this.#undecided = undecided;
  }

  /** Decides or answers. What was settled meanwhile, by a time limit or a cancel, is not asked any more. */
  async settle(pending: ChatPending): Promise<void> {
    const settled = new AbortController();
    void until(this.#chat, (snapshot) => !snapshot.pending.includes(pending)).then(() => settled.abort());
    if (pending.type === "approval") {
      const decision = await this.#decision(pending, settled.signal);
      if (decision === undefined) this.#undecided(pending.id);
      this.#chat.decide(pending.id, decision ?? { decision: "reject", reason: INPUT_ENDED });
      return;
    }
    const answers: (readonly string[])[] = [];
    for (const { question, options } of pending.questions) {
      const answer = await this.#answer(
        question,
        options.map(({ label }) => label),
        settled.signal,
      );
      if (answer === undefined) {
        this.#chat.answer(pending.id, null);
        return;
      }
      answers.push([answer]);
    }
    this.#chat.answer(pending.id, answers);
  }

  /** The agent has forgotten the conversation. Resolves with false if the user has left: then nothing is sent. */
  async resume(): Promise<boolean> {
    this.#screen.ask("Send the transcript along with the next message? y(es), n(o): ", "yellow");
    const line = await this.#lines.answer(new AbortController().signal);
    if (line === undefined) return false;
    this.#chat.resume(isYes(line) ? "with-transcript" : "without-context");
    return true;
  }

  /**
   * Shows the whole of what is to be run, with nothing hidden in it. Anything but a clear yes is a no. Undefined once the input has
   * ended.
   */
  async #decision(
    { tool, input, grant, agent, preview = [] }: Extract<ChatPending, { readonly type: "approval" }>,
    signal: AbortSignal,
  ): Promise<"once" | "always" | "reject" | undefined> {
    const name = reveal(tool);
    const who = agent === undefined ? "The agent" : `The sub-agent ${reveal(agent)}`;
    this.#screen.line(`${who} wants to use ${name}:`, "yellow");
    const fields = typeof input === "object" && input !== null ? input : { input };
    for (const [field, value] of Object.entries(fields)) {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      this.#screen.line(`  ${reveal(field)}:\n${behindBar(reveal(text))}`, "bold");
    }
    for (const { path, diff, by } of preview) {
      const whose = by === "agent" ? ", as the agent states it" : "";
      this.#screen.line(
        `  What it would change in ${reveal(path)}${whose}:\n${behindBar(reveal(diff))}`,
        "bold",
      );
    }
    const always = grant === undefined ? "" : `, always (${reveal(grant)}, in this session)`;
    this.#screen.ask(`Allow it? y(es), n(o)${always}: `, "yellow");
    const line = await this.#lines.answer(signal);
    if (line === undefined && this.#lines.ended) return undefined;
    if (line?.trim().toLowerCase() === "always") return "always";
    return isYes(line) ? "once" : "reject";
  }

  /** A number names an option; other words are an answer of their own. */
  async #answer(
    question: string,
    labels: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    this.#screen.line(question, "yellow");
    for (const [at, label] of labels.entries()) this.#screen.line(`  ${at + 1}  ${label}`);
    this.#screen.ask("Your answer; an empty line is none: ", "yellow");
    const line = (await this.#lines.answer(signal))?.trim();
    return line ? (labels[Number(line) - 1] ?? line) : undefined;
  }
}

function isYes(line: string | undefined): boolean {
  return /^y(es)?$/i.test(line?.trim() ?? "");
}
