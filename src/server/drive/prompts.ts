// The prompts of a driven chat: out of the inbox one by one, each to the end of its turn or to its reason.
import type { Chat } from "../../chat/chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { LogCommand } from "../event-log.ts";
import type { RelaySettings } from "../options.ts";
import type { Channel } from "../view/channel.ts";
import { readKept, type StoredCommand, waitingIn } from "../wire/command.ts";
import { type FailedPrompt, promptInputOf } from "./failed-prompt.ts";

export interface DrivenPromptsHost {
  readonly settings: Pick<RelaySettings, "log">;
  readonly channel: Pick<Channel, "id" | "queue" | "setQueue">;
  readonly epoch: number;
  readonly chat: Chat | undefined;
  /** The name of the source. */
  readonly source: string;
  readonly isEnding: boolean;
  /** Whether the log has all events of the backend. */
  readonly isSaved: boolean;
  writeFailed(prompt: FailedPrompt): Promise<void>;
  failed(what: string, error: unknown): void;
  /** The chat has a prompt. */
  onBegin(): void;
}

/** The prompt that the chat has. */
export interface ActivePrompt {
  readonly key: string;
  readonly kept: StoredCommand;
  /** False: the driving ended before. */
  readonly wasSent: boolean;
  /** Whether its turn is in the events. */
  hasTurn: boolean;
  /** Why the chat did not take it. */
  error: { readonly code: string; readonly message: string } | undefined;
}

const NOT_SENT = { delivery: "not-sent" };

export class DrivenPrompts {
  readonly #host: DrivenPromptsHost;
  #active: ActivePrompt | undefined;
  /** The keys of prompts that have a turn. A log that has lost its end may have such a prompt in its inbox again. */
  #known = new Set<string>();
  /** The key of the prompt that was taken last. */
  #taken: string | undefined;
  #nextId = "";

  constructor(host: DrivenPromptsHost) {
    this.#host = host;
  }

  get active(): ActivePrompt | undefined {
    return this.#active;
  }

  get taken(): string | undefined {
    return this.#taken;
  }

  /** The id of the message that the chat makes next: the key of its prompt. */
  readonly nextId = (): string => this.#nextId;

  /** What the log holds. */
  recovered(known: ReadonlySet<string>, taken: string | undefined): void {
    this.#known = new Set(known);
    this.#taken = taken;
  }

  /** A turn has begun. */
  seeTurn(promptId: string | undefined): void {
    if (this.#active && promptId === this.#active.key) this.#active.hasTurn = true;
  }

  /** Whether the active prompt waits in the chat, because the agent has forgotten the conversation. */
  isQueued({ queue }: ChatSnapshot): boolean {
    return queue.some(({ id }) => id === this.#active?.key);
  }

  /** Ends the active prompt if its turn is over. A prompt without a turn gets one, with the reason. */
  async settle(): Promise<boolean> {
    const active = this.#active;
    const { chat, isSaved } = this.#host;
    const snapshot = chat?.getSnapshot();
    if (!active || !snapshot || snapshot.busy || !isSaved || this.isQueued(snapshot)) return false;
    if (!active.hasTurn) await this.#writeReason(active, snapshot);
    this.#active = undefined;
    return true;
  }

  /**
   * Gives the chat the next prompt, if it can take one.
   * @param sendNow the key of the prompt that goes first, even in place of the running turn
   * @returns whether to look at the inbox again
   */
  async next(sendNow: string | undefined): Promise<boolean> {
    const { channel, chat, settings, epoch, isSaved, isEnding } = this.#host;
    const { log } = settings;
    const { id } = channel;
    if (!chat || isEnding) return false;
    const isBetween = !chat.getSnapshot().busy && isSaved;
    const queue = waitingIn(channel.queue);
    const withdrawn = channel.queue.find((command) => !queue.includes(command));
    if (withdrawn && isBetween) {
      await this.#endWithdrawn(withdrawn);
      return true;
    }
    const [first] = queue;
    if (!first) return false;
    const hurried =
      queue.find(({ value }) => replaces(readKept(value))) ?? queue.find(({ key }) => key === sendNow);
    if (hurried && hurried !== first) {
      await log.move(id, hurried.key, first.key);
      return true;
    }
    const { busy, connection } = chat.getSnapshot();
    if (hurried && busy) chat.cancel();
    if (!isBetween || this.#active || connection.contextLost) return false;
    if (this.#known.has(first.key)) {
      await log.withdraw(id, first.key); // it has a turn: an earlier driver stopped before it could remove it
      return true;
    }
    const command = await log.take(id, epoch, "prompt", this.#taken);
    if (!command) return false;
    this.#taken = command.key;
    if (this.#known.has(command.key)) return true; // a log that has lost its end has it in its inbox again
    this.#begin(chat, command); // viewers see `busy` before the prompt leaves the queue
    channel.setQueue(channel.queue.filter(({ key }) => key !== command.key));
    return true; // it may be over already
  }

  /** The log first says that the prompt is over. If this process stops then, the next one removes it. */
  async #endWithdrawn({ key, value }: LogCommand): Promise<void> {
    const { settings, channel, writeFailed } = this.#host;
    const kept = readKept(value);
    if (kept && !this.#known.has(key)) {
      const message = "The message was withdrawn before the agent got it.";
      const error = { code: "relay.withdrawn", message, details: NOT_SENT };
      await writeFailed({ key, input: promptInputOf(kept.wish), status: "cancelled", error });
      this.#known.add(key);
    }
    await settings.log.withdraw(channel.id, key);
  }

  /** Ends all prompts in the inbox: the source makes no client. */
  async refuseAll(): Promise<void> {
    const { settings, channel, epoch } = this.#host;
    for (;;) {
      const command = await settings.log.take(channel.id, epoch, "prompt", this.#taken);
      if (!command) return;
      this.#taken = command.key;
      const kept = readKept(command.value);
      if (!kept) continue;
      const message = "The server could not start the agent.";
      const error = { code: "relay.source-failed", message, details: NOT_SENT };
      await this.#host.writeFailed({
        key: command.key,
        input: promptInputOf(kept.wish),
        status: "failed",
        error,
      });
    }
  }

  #begin(chat: Chat, { key, value }: LogCommand): void {
    const kept = readKept(value);
    if (!kept) {
      this.#host.failed("the inbox has a command that cannot be read", undefined);
      return;
    }
    const active: ActivePrompt = {
      key,
      kept,
      wasSent: !this.#host.isEnding,
      hasTurn: false,
      error: undefined,
    };
    this.#active = active;
    this.#known.add(key);
    this.#nextId = key;
    if (!active.wasSent) return;
    const sent = send(chat, kept);
    if (!sent.ok) active.error = sent.error;
    this.#host.onBegin();
  }

  async #writeReason({ key, kept, error }: ActivePrompt, { messages }: ChatSnapshot): Promise<void> {
    const shown = messages.toArray().find(({ id }) => id === key);
    const status = shown?.status === "cancelled" ? "cancelled" : "failed";
    const { code, message } = error ?? {
      code: shown?.error?.code ?? "unknown",
      message: shown?.error?.detail ?? "The prompt could not be sent.",
    };
    const words = { code: `${this.#host.source}.${code.replaceAll("-", "_")}`, message, details: NOT_SENT };
    await this.#host.writeFailed({ key, input: promptInputOf(kept.wish), status, error: words });
  }
}

function send(chat: Chat, { wish }: StoredCommand): ReturnType<Chat["send"]> {
  if (wish.type === "regenerate") return chat.regenerate(wish.message_id);
  if (wish.type === "edit") return chat.edit(wish.message_id, wish.input);
  return chat.send(wish.type === "prompt" ? wish.input : ""); // the inbox of prompts has no other commands
}

function replaces(kept: StoredCommand | undefined): boolean {
  return kept?.wish.type === "regenerate" || kept?.wish.type === "edit";
}
