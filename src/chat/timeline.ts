import type { UniversalEvent } from "../universal/events.ts";
import { append, type List, replace } from "../universal/transcript/list.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import { reduce } from "../universal/transcript/reduce.ts";
import type { ChatTotals } from "../universal/transcript/totals.ts";
import { emptyTranscript, type Transcript } from "../universal/transcript/transcript.ts";
import type { ErrorDescription } from "../universal/words/error-description.ts";

/** How a prompt ended that the events do not tell. */
export interface PromptEnd {
  readonly status: "sent" | "cancelled" | "failed";
  readonly error?: ErrorDescription;
  readonly endedAt?: number;
}

/**
 * The messages of a chat: those that the events tell, and behind them the prompts that wait. A prompt that is sent keeps its id and its
 * place, because it is the oldest that waits, and its event comes last. A prompt that ends behind one that waits keeps its place too.
 */
export class Timeline {
  #state: Transcript;
  /** Prompts that no event has shown, oldest first: those that are `queued`, and those that ended behind them. */
  readonly #waiting = new Map<string, ChatMessage>();
  /** The prompt whose events come now, and the index of its message. */
  #sent: { readonly message: ChatMessage; readonly at: number } | undefined;
  /** `messages`, until a change. */
  #shown: List<ChatMessage> | undefined;

  constructor(messages: List<ChatMessage>, totals: ChatTotals) {
    this.#state = { ...emptyTranscript, messages, ...totals };
  }

  /** All messages. Costs one step for each prompt that waits, however long the chat is. */
  get messages(): List<ChatMessage> {
    if (!this.#shown) {
      let shown = this.#state.messages;
      for (const message of this.#waiting.values()) shown = append(shown, message);
      this.#shown = shown;
    }
    return this.#shown;
  }

  /** The messages without the prompts that wait. */
  get told(): List<ChatMessage> {
    return this.#state.messages;
  }

  /** What the events have said. */
  get transcript(): Transcript {
    return this.#state;
  }

  /** Puts the messages of a stored chat in front of the others. */
  restore(stored: List<ChatMessage>, totals: ChatTotals): void {
    let messages = stored;
    for (const message of this.told) messages = append(messages, message);
    this.#state = { ...emptyTranscript, messages, ...totals };
    this.#shown = undefined;
  }

  /** Adds a prompt that waits. */
  wait(message: ChatMessage): void {
    this.#waiting.set(message.id, message);
    this.#shown = undefined;
  }

  fold(event: UniversalEvent): void {
    const state = reduce(this.#state, event);
    if (state === this.#state) return;
    this.#state = state;
    this.#shown = undefined;
    if (event.type === "turn.ended") this.#place();
  }

  /** Folds an event of the item that shows the prompt `id`, which waits no more. The message stays as it was shown. */
  foldPrompt(event: UniversalEvent, id: string): void {
    if (this.isWaiting(id)) this.#place();
    const before = this.told.length;
    this.fold(event);
    const waiting = this.#waiting.get(id);
    if (waiting && this.told.length > before && this.told.at(before)?.role === "user") {
      this.#waiting.delete(id);
      this.#sent = { message: waiting, at: before };
    }
    if (this.#sent?.message.id !== id) return;
    const { at, message } = this.#sent;
    const { parts, startedAt } = message;
    const told = this.told.at(at);
    if (told) this.#put(at, { ...told, id, parts, startedAt });
  }

  /** Whether the prompt waits: no event has shown it. */
  isWaiting(id: string): boolean {
    return this.#waiting.get(id)?.status === "queued";
  }

  /** A prompt has ended. */
  end(id: string, end: PromptEnd): void {
    const waiting = this.#waiting.get(id);
    if (waiting) {
      this.#waiting.set(id, { ...waiting, ...end });
      this.#shown = undefined;
      this.#place();
      return;
    }
    const at = this.#indexOf(id);
    const message = this.told.at(at);
    if (message && at >= 0) this.#put(at, { ...message, ...end });
  }

  /** The user's message that this message answers; the message itself if the user has written it. */
  promptOf(id: string): ChatMessage | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting) return waiting;
    let at = this.#indexOf(id);
    const message = at < 0 ? undefined : this.told.at(at);
    if (message?.role === "user") return message;
    if (message?.turnId === undefined) return undefined;
    // A prompt that was not sent can stand between a prompt and its answer. It has no turn.
    while (--at >= 0) {
      const prompt = this.told.at(at);
      if (prompt?.role === "user" && prompt.turnId === message.turnId) return prompt;
    }
    return undefined;
  }

  /** From the end: calls are about recent messages. -1: none. */
  #indexOf(id: string): number {
    let at = this.told.length - 1;
    while (at >= 0 && this.told.at(at)?.id !== id) at--;
    return at;
  }

  /** Prompts that have ended, and wait behind no other, take their place for good. */
  #place(): void {
    for (const [id, message] of this.#waiting) {
      if (message.status === "queued") return;
      this.#waiting.delete(id);
      this.#state = { ...this.#state, messages: append(this.told, message) };
      this.#shown = undefined;
    }
  }

  #put(at: number, message: ChatMessage): void {
    this.#state = { ...this.#state, messages: replace(this.told, at, message) };
    this.#shown = undefined;
  }
}
