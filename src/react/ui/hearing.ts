// What a screen reader is told of a chat: requests, losses, and the sentences of answers, each once.
import { inert } from "../../chat/print/inert.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { PageWords } from "../../screens/words-page.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { Sentences } from "./sentences.ts";

export class Hearing {
  readonly #words: PageWords;
  /** The last of what is not an answer. */
  #said = "";
  #wasBusy = false;
  /** The message that is read, and its texts by part. */
  #message = "";
  #texts = new Map<string, Sentences>();
  #error = "";

  /** @param now what is shown already: nothing of it is told */
  constructor(words: PageWords, now: ChatSnapshot) {
    this.#words = words;
    this.#answer(now);
    this.next(now);
  }

  /** What is new. */
  next(now: ChatSnapshot): readonly string[] {
    const wasBusy = this.#wasBusy;
    this.#wasBusy = now.busy;
    const said = this.#stateOf(now);
    const isNews = said !== this.#said;
    this.#said = said;
    const answer = now.busy || wasBusy ? this.#answer(now) : [];
    return [
      ...(now.busy && !wasBusy ? [this.#words.hearsAnswer] : []),
      ...answer,
      ...(isNews && said !== "" ? [said] : []),
    ];
  }

  #stateOf({ pending: [request], connection }: ChatSnapshot): string {
    const words = this.#words;
    if (request?.type === "approval")
      return words.hearsApproval(inert(request.tool, { keepNewlines: false }));
    if (request) return words.hearsQuestion;
    if (connection.contextLost) return `${words.forgotten} ${words.forgottenDetail}`;
    return connection.attempt > 0 ? words.hearsLoss : "";
  }

  #answer({ messages }: ChatSnapshot): readonly string[] {
    const message = lastAnswer(messages);
    if (!message) return [];
    if (message.id !== this.#message) {
      this.#message = message.id;
      this.#texts = new Map();
      this.#error = "";
    }
    const said: string[] = [];
    for (const part of message.parts) {
      if (part.type !== "text") continue;
      const sentences = this.#texts.get(part.id) ?? new Sentences(this.#words.hearsCode);
      if (sentences.isOver) continue;
      this.#texts.set(part.id, sentences);
      said.push(...sentences.next(part.text, !part.open).map((sentence) => inert(sentence)));
    }
    const { title, detail } = message.error ?? {};
    const error = title === undefined ? "" : inert(`${title}. ${detail}`);
    if (error !== this.#error && error !== "") said.push(error);
    this.#error = error;
    return said;
  }
}

/** The answer at the end. Prompts that wait come behind it. */
function lastAnswer(messages: ChatSnapshot["messages"]): ChatMessage | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    if (message?.role === "assistant") return message;
    if (message?.role === "user" && message.status !== "queued") return undefined;
  }
  return undefined;
}
