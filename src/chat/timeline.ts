// The messages of a chat: those of the events, then the prompts that wait.
import type { ConversationState } from "../core/turn/conversation.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { indexOf, promptIndex, type Swap, swapsTo, upTo } from "../universal/transcript/branches.ts";
import { append, appendAll, type List, replace } from "../universal/transcript/list.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import { reduce } from "../universal/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../universal/transcript/transcript.ts";
import type { ErrorDescription } from "../universal/words/error-description.ts";
import type { Branch } from "./queue.ts";

/** How a prompt ended that the events do not tell. */
export interface PromptEnd {
  readonly status: "sent" | "cancelled" | "failed";
  readonly error?: ErrorDescription;
  readonly endedAt?: number;
}

/** What an earlier chat has shown. */
export type Restored = Pick<Transcript, "messages" | "branches" | "usage" | "cost"> &
  Partial<Pick<Transcript, "plan" | "context">> & {
    /** The states of the conversations behind branches that are not shown, by the id of the branch. */
    readonly states?: ReadonlyMap<string, ConversationState>;
  };

/**
 * The messages of a chat: those that the events tell, and behind them the prompts that wait. A prompt that is sent keeps its id. A prompt that
 * ends behind one that waits keeps its place too.
 */
export class Timeline {
  #transcript: Transcript;
  /** Prompts that no event has shown, in their order: those that are `queued`, and those that ended behind them. */
  #waiting = new Map<string, ChatMessage>();
  /** What a prompt that waits will take the place of. */
  #replaced: Branch | undefined;
  /** `messages`, until a change. */
  #shown: List<ChatMessage> | undefined;
  #states: ReadonlyMap<string, ConversationState>;

  constructor({ states, ...transcript }: Partial<Restored>) {
    this.#transcript = { ...emptyTranscript, ...transcript };
    this.#states = new Map(states);
  }

  /** See {@link Restored}. Another map after each change: snapshots keep theirs. */
  get states(): ReadonlyMap<string, ConversationState> {
    return this.#states;
  }

  /** The state behind a branch that is not shown. Undefined: nobody knows it, or the branch is shown. */
  setState(id: string, state: ConversationState | undefined): void {
    const states = new Map(this.#states);
    if (state) states.set(id, state);
    else states.delete(id);
    this.#states = states;
  }

  /** All messages. Costs one step for each prompt that waits, however long the chat is. */
  get messages(): List<ChatMessage> {
    this.#shown ??= appendAll(this.before(this.#replaced), this.#waiting.values());
    return this.#shown;
  }

  /** All messages, also those whose place a prompt that waits will take. */
  get kept(): List<ChatMessage> {
    return this.#replaced ? appendAll(this.told, this.#waiting.values()) : this.messages;
  }

  /** The messages without the prompts that wait. */
  get told(): List<ChatMessage> {
    return this.#transcript.messages;
  }

  /** The messages before a branch. Undefined: all. */
  before(branch: Branch | undefined): List<ChatMessage> {
    const at = branch ? this.indexOf(branch.prompt) : -1;
    return at < 0 ? this.told : upTo(this.told, branch?.isEdit ? at : at + 1);
  }

  /** What the events have said. */
  get transcript(): Transcript {
    return this.#transcript;
  }

  /** Puts what a store has told in front of the rest. @param more messages that no event has shown */
  restore(stored: Restored, more: readonly ChatMessage[]): void {
    const messages = appendAll(stored.messages, [...more, ...this.told]);
    this.#set({ ...emptyTranscript, ...stored, messages });
  }

  /** Adds a prompt that waits, or changes one. */
  wait(message: ChatMessage): void {
    this.#waiting.set(message.id, message);
    this.#shown = undefined;
  }

  /** A prompt that waits will take the place of what follows here. */
  replace(branch: Branch): void {
    this.#replaced = branch;
    this.#shown = undefined;
  }

  /** The prompts that wait are shown in this order. Prompts that have ended among them keep their places. */
  order(ids: readonly string[]): void {
    const queued = ids.flatMap((id) => this.#waiting.get(id) ?? []).values();
    const moving = new Set(ids);
    this.#waiting = new Map(
      [...this.#waiting.values()].map((message) => {
        const here: ChatMessage = moving.has(message.id) ? (queued.next().value ?? message) : message;
        return [here.id, here];
      }),
    );
    this.#shown = undefined;
  }

  fold(event: UniversalEvent): void {
    const transcript = reduce(this.#transcript, event);
    if (transcript === this.#transcript) return;
    this.#set(transcript);
    switch (event.type) {
      case "turn.started":
        if (event.data.metadata?.branch_of !== undefined) this.#replaced = undefined;
        return;
      case "item.started": {
        const { prompt_id } = transcript.turn?.metadata ?? {};
        if (event.data.item.role === "user" && prompt_id !== undefined) this.#waiting.delete(prompt_id);
        return;
      }
      case "turn.ended":
        this.#place();
        return;
    }
  }

  /** Whether a message that is shown, or begins a branch, has this id. */
  has(id: string): boolean {
    return this.#waiting.has(id) || this.indexOf(id) >= 0 || this.#transcript.branches.get(id) !== undefined;
  }

  /** Whether the prompt waits: no event has shown it. */
  isWaiting(id: string): boolean {
    return this.#waiting.get(id)?.status === "queued";
  }

  /** A prompt has ended, or will not take the place of another message. */
  end(id: string, end: PromptEnd): void {
    const waiting = this.#waiting.get(id);
    this.#shown = undefined;
    if (waiting) {
      this.#waiting.set(id, { ...waiting, ...end });
      this.#place();
      return;
    }
    const at = this.indexOf(id);
    const message = this.told.at(at);
    if (message && at >= 0) this.#put(at, { ...message, ...end });
  }

  /** No prompt takes the place of another message any more. */
  keepReplaced(): void {
    this.#replaced = undefined;
    this.#shown = undefined;
  }

  /** The user's message that this message answers; the message itself if the user has written it. */
  promptOf(id: string): ChatMessage | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting) return waiting;
    const at = promptIndex(this.#transcript, this.indexOf(id));
    return at < 0 ? undefined : this.told.at(at);
  }

  /** See {@link swapsTo}. */
  swapsTo(id: string): readonly Swap[] | undefined {
    return swapsTo(this.#transcript, id);
  }

  /** The index of a message that an event has told. -1: none. */
  indexOf(id: string): number {
    return indexOf(this.told, id);
  }

  /** Prompts that have ended, and wait behind no other, take their place for good. */
  #place(): void {
    for (const [id, message] of this.#waiting) {
      if (message.status === "queued") return;
      this.#waiting.delete(id);
      this.#set({ ...this.#transcript, messages: append(this.told, message) });
    }
  }

  #put(at: number, message: ChatMessage): void {
    this.#set({ ...this.#transcript, messages: replace(this.told, at, message) });
  }

  #set(transcript: Transcript): void {
    this.#transcript = transcript;
    this.#shown = undefined;
  }
}
