// Shows a chat in lines.
import type { ChatConnection, ChatMessage, ChatSnapshot, ErrorDescription } from "../../chat/index.ts";
import { PartView } from "./part-view.ts";
import type { Screen } from "./terminal.ts";

/**
 * Shows a chat on a terminal, where nothing that is written can be changed: each snapshot adds what is new since the last one. Knows no
 * backend. The prompts are on the screen already: the user has typed them.
 */
export class ChatView {
  readonly #screen: Screen;
  #last: ChatSnapshot | undefined;
  /** So many messages at the beginning are over, and shown. */
  #finished = 0;
  /** The other messages, and what was shown of them. */
  readonly #open = new Map<string, { shown: ChatMessage | undefined; readonly parts: PartView }>();

  /** The approvals that nobody decided before the input ended. */
  readonly #undecided = new Set<string>();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  show(snapshot: ChatSnapshot): void {
    const before = this.#last;
    if (snapshot === before) return;
    this.#last = snapshot;
    const { connection, messages, problem } = snapshot;
    if (connection !== before?.connection) this.#connection(connection, before?.connection);
    for (let at = this.#finished; at < messages.length; at++) {
      const message = messages.at(at);
      if (!message) continue;
      this.#message(message);
      if (at !== this.#finished || !isOver(message)) continue;
      this.#finished++;
      this.#open.delete(message.id);
    }
    if (problem && problem !== before?.problem && problem.detail !== messages.at(-1)?.error?.detail)
      this.#complain(problem);
  }

  /** Something that the program itself says. */
  note(text: string): void {
    this.#screen.line(`(${text})`, "dim");
  }

  /** @param id of an approval that is denied because the input has ended */
  undecided(id: string): void {
    this.#undecided.add(id);
  }

  #connection(now: ChatConnection, before: ChatConnection | undefined): void {
    const { status, attempt, retryAt, reason, contextLost } = now;
    if (retryAt !== undefined && attempt !== before?.attempt) {
      const seconds = Math.max(0, (retryAt - Date.now()) / 1_000).toFixed(1);
      this.note(`${reason?.title ?? "The connection is lost"}: attempt ${attempt} in ${seconds} s`);
    }
    if (status === "ready" && before?.reason) this.note("connected again");
    if (contextLost && !before?.contextLost) this.note("the agent has forgotten this conversation");
  }

  #message(message: ChatMessage): void {
    const entry = this.#open.get(message.id) ?? {
      shown: undefined,
      parts: new PartView(this.#screen, this.#undecided),
    };
    const before = entry.shown;
    if (message === before) return; // what has not changed is the same object
    this.#open.set(message.id, entry);
    entry.shown = message;
    const { role, status, parts, error } = message;
    if (role !== "user") entry.parts.show(parts);
    if (error && error !== before?.error) this.#complain(error);
    if (status === before?.status) return;
    if (status === "recovering") this.note("the link was lost; looking for the answer");
    if (status === "cancelled") this.note("cancelled; /retry sends it again");
    if (role === "assistant" && status === "completed") this.#bill(message);
  }

  #bill({ usage = {}, cost, model }: ChatMessage): void {
    const { input_tokens: read, output_tokens: written, context_tokens: context } = usage;
    const words = [
      ...(read === undefined ? [] : [`${read} tokens read`]),
      ...(written === undefined ? [] : [`${written} tokens written`]),
      ...(context === undefined ? [] : [`${context} in the context`]),
      ...(cost ? [`${cost.total} ${cost.currency}`] : []),
      ...(model === undefined ? [] : [model]),
    ];
    if (words.length > 0) this.note(words.join(", "));
  }

  #complain({ title, detail, retry }: ErrorDescription): void {
    this.#screen.line(`${title}. ${detail}`, "red");
    if (retry === "safe") this.note("/retry sends it again");
    if (retry === "ask") this.note("/retry sends it again, once you have checked");
  }
}

function isOver({ status }: ChatMessage): boolean {
  return status !== "queued" && status !== "open" && status !== "recovering";
}
