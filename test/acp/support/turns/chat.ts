import { type Chat, type ChatMessage, createChat } from "agentwire/chat";
import type { ManualClock } from "agentwire/testing";
import { type Book, type Ending, TurnFacts } from "../../../soak/book.ts";
import { promptOf, turnNamedIn } from "../../../soak/plan.ts";
import type { AcpTurnPlan } from "./plan.ts";

type Source = Parameters<typeof createChat>[0];

/** The user of a chat: sends, cancels, resumes, and reads the messages. */
export class ChatUser {
  readonly chat: Chat;
  readonly #book: Book;
  #changes = 0;
  #sentAtCancel = -1;

  constructor(
    source: Source,
    { book, clock, stirred }: { book: Book; clock: ManualClock; stirred: () => void },
  ) {
    this.#book = book;
    this.chat = createChat(source, { clock });
    this.chat.subscribe(() => {
      this.#changes++;
      stirred();
      const { connection } = this.chat.getSnapshot();
      if ("contextLost" in connection && connection.contextLost) this.chat.resume("without-context");
    });
  }

  send({ number, stop, before }: AcpTurnPlan): void {
    const { chat } = this;
    if (before === "cancelAll") this.#cancel("all");
    if (before === "connect") chat.connect();
    const sent = chat.send(promptOf(number));
    if (!sent.ok) {
      this.#book.note("send-refused", `the chat refused it: ${sent.error.code}`, number);
      return;
    }
    const facts = new TurnFacts({ number, expected: "", isAnswered: false, isCalm: false });
    this.#book.turns.set(number, facts);
    if (!stop?.afterEvents) return;
    const at = this.#changes + stop.afterEvents;
    const off = chat.subscribe(() => {
      if (this.#changes < at) return;
      off();
      this.#cancel("turn");
    });
  }

  /** Resolves once nothing runs and nothing waits. */
  async idle(): Promise<void> {
    const isIdle = (): boolean => {
      const { busy, queue } = this.chat.getSnapshot();
      return !busy && queue.length === 0;
    };
    if (isIdle()) return;
    await new Promise<void>((resolve) => {
      const off = this.chat.subscribe(() => {
        if (!isIdle()) return;
        off();
        resolve();
      });
    });
  }

  /** Writes what the messages say into the book. */
  read(): void {
    let number: number | undefined;
    for (const message of this.chat.getSnapshot().messages) {
      if (message.role === "user") number = turnNamedIn(textOf(message));
      const facts = this.#book.turns.get(number ?? -1);
      if (!facts) continue;
      facts.status = message.status;
      const ending = endingOf(message);
      if (!ending) continue;
      // The last message of a turn is the agent's.
      facts.endings.length = 0;
      facts.endings.push(ending);
      facts.heard = ending.text;
      facts.agrees = true;
    }
  }

  #cancel(what: "turn" | "all"): void {
    const sent = [...this.chat.getSnapshot().messages].filter(({ status }) => status === "sent").length;
    if (sent === this.#sentAtCancel) return; // a second cancel of a turn kills the agent
    this.#sentAtCancel = sent;
    this.chat.cancel(what);
    for (const facts of this.#book.turns.values()) facts.stopped = "sent"; // which one runs is up to the chat
  }
}

/** How the message of a user or an agent ended. Undefined while it has not, and for a prompt that was taken. */
function endingOf(message: ChatMessage): Ending | undefined {
  const { role, status } = message;
  const text = role === "user" ? "" : textOf(message);
  if (status === "cancelled" || status === "failed") return { status, text };
  return role === "assistant" && status === "completed" ? { status, text } : undefined;
}

function textOf({ parts }: ChatMessage): string {
  return [...parts].flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
