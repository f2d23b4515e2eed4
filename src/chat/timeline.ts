// The messages of a chat: those from events, then the queued prompts.
import type { ConversationState } from "../core/turn/conversation.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { indexOf, promptIndex, upTo } from "../universal/transcript/branches.ts";
import { append, appendAll, type List, replace } from "../universal/transcript/list.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import { reduce } from "../universal/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../universal/transcript/transcript.ts";
import type { ErrorDescription } from "../universal/words/error-description.ts";
import type { Branch } from "./queue.ts";

/** The end of a prompt that the events do not report. */
export interface UnreportedEnd {
  readonly status: "sent" | "cancelled" | "failed";
  readonly error?: ErrorDescription;
  readonly endedAt?: number;
}

/** The content of an earlier chat. */
export type Restored = Pick<Transcript, "messages" | "branches" | "usage" | "cost"> &
  Partial<Pick<Transcript, "plan" | "context">> & {
    /** The conversation states at the end of hidden branches, by the id of the branch. */
    readonly states?: ReadonlyMap<string, ConversationState>;
  };

/** The messages of a chat: those from events, then queued prompts. Prompts keep their ids and places. */
export class Timeline {
  #transcript: Transcript;
  /** Prompts that no event has shown, in order: `queued` ones, and ended ones behind them. */
  #waiting = new Map<string, ChatMessage>();
  /** The message that a waiting prompt will replace. */
  #replaced: Branch | undefined;
  /** `messages`, cached until a change. */
  #shown: List<ChatMessage> | undefined;
  #states: ReadonlyMap<string, ConversationState>;
  /** The placed messages of prompts whose end no event has shown. */
  readonly #unreported = new Map<string, ChatMessage>();
  /** Those of them that a reset has moved behind the others. */
  readonly #moved = new Set<string>();

  constructor({ states, ...transcript }: Partial<Restored>) {
    this.#transcript = { ...emptyTranscript, ...transcript };
    this.#states = new Map(states);
  }

  /** See {@link Restored}. Each change makes a new map, because snapshots keep the old one. */
  get states(): ReadonlyMap<string, ConversationState> {
    return this.#states;
  }

  /** Sets the state at the end of a hidden branch. Undefined removes it. */
  setState(id: string, state: ConversationState | undefined): void {
    const states = new Map(this.#states);
    if (state) states.set(id, state);
    else states.delete(id);
    this.#states = states;
  }

  /** All visible messages. The cost depends on the number of queued prompts, not on the chat's length. */
  get messages(): List<ChatMessage> {
    this.#shown ??= appendAll(this.before(this.#replaced), this.#waiting.values());
    return this.#shown;
  }

  /** All messages, including those that a waiting prompt will replace. */
  get kept(): List<ChatMessage> {
    return this.#replaced ? appendAll(this.told, this.#waiting.values()) : this.messages;
  }

  /** The messages from events, without the queued prompts. */
  get told(): List<ChatMessage> {
    return this.#transcript.messages;
  }

  /** The messages before a branch. Without a branch, all. */
  before(branch: Branch | undefined): List<ChatMessage> {
    const at = branch ? this.indexOf(branch.prompt) : -1;
    return at < 0 ? this.told : upTo(this.told, branch?.isEdit ? at : at + 1);
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  /** Inserts the stored messages before all others. @param more messages that no event has shown */
  restore(stored: Restored, more: readonly ChatMessage[]): void {
    const messages = appendAll(stored.messages, [...more, ...this.told]);
    this.#set({ ...emptyTranscript, ...stored, messages });
  }

  /** Forgets what the events have shown, and continues from other messages. Unsent prompts stay. */
  reset({ states, ...transcript }: Partial<Restored>): void {
    this.#states = new Map(states);
    this.#waiting = new Map([...this.#unreported, ...this.#waiting]);
    for (const id of this.#unreported.keys()) this.#moved.add(id);
    this.#unreported.clear();
    this.#replaced = undefined;
    this.#set({ ...emptyTranscript, ...transcript });
  }

  /** Forgets a waiting prompt. */
  drop(id: string): void {
    this.#waiting.delete(id);
    this.#shown = undefined;
  }

  wait(message: ChatMessage): void {
    this.#waiting.set(message.id, message);
    this.#shown = undefined;
  }

  /** Hides the messages that a waiting prompt will replace. */
  replace(branch: Branch): void {
    this.#replaced = branch;
    this.#shown = undefined;
  }

  /** Sorts the queued prompts. Ended prompts among them keep their places. */
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
        this.#place(Date.parse(event.time));
        return;
    }
  }

  /** Whether a visible message, or the first message of a hidden branch, has this id. */
  has(id: string): boolean {
    return this.#waiting.has(id) || this.indexOf(id) >= 0 || this.#transcript.branches.get(id) !== undefined;
  }

  /** Whether the prompt is queued and no event has shown it. */
  isWaiting(id: string): boolean {
    return this.#waiting.get(id)?.status === "queued";
  }

  /** Ends a prompt that no event has ended. */
  end(id: string, end: UnreportedEnd): void {
    const waiting = this.#waiting.get(id);
    this.#shown = undefined;
    if (waiting) {
      this.#waiting.set(id, { ...waiting, ...end });
      this.#place();
      return;
    }
    const at = this.indexOf(id);
    const message = this.told.at(at);
    if (!message || at < 0) return;
    this.#set({ ...this.#transcript, messages: replace(this.told, at, { ...message, ...end }) });
  }

  /** Shows the replaced messages again. */
  keepReplaced(): void {
    this.#replaced = undefined;
    this.#shown = undefined;
  }

  /** The user's message that this message answers, or this message if the user wrote it. */
  promptOf(id: string): ChatMessage | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting) return waiting;
    const at = promptIndex(this.#transcript, this.indexOf(id));
    return at < 0 ? undefined : this.told.at(at);
  }

  /** The index of a message from events. -1 if there is none. */
  indexOf(id: string): number {
    return indexOf(this.told, id);
  }

  /** Moves ended prompts at the front of the waiting ones to the transcript. */
  #place(time = Number.POSITIVE_INFINITY): void {
    for (const [id, message] of this.#waiting) {
      if (message.status === "queued" || (this.#moved.has(id) && message.startedAt > time)) return;
      this.#waiting.delete(id);
      this.#moved.delete(id);
      this.#unreported.set(id, message);
      this.#set({ ...this.#transcript, messages: append(this.told, message) });
    }
  }

  #set(transcript: Transcript): void {
    this.#transcript = transcript;
    this.#shown = undefined;
  }
}
