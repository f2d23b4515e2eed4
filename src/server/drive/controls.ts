// Carries out the commands that do not wait for a turn.
import type { Chat } from "../../chat/chat.ts";
import type { EventLog } from "../event-log.ts";
import { isAttended } from "../view/attended.ts";
import type { Channel } from "../view/channel.ts";
import { type RelayWish, readKept, waitingIn } from "../wire/command.ts";
import type { DrivenRequests } from "./requests.ts";

export interface ControlCommandsHost {
  readonly settings: { readonly log: EventLog };
  readonly channel: Pick<Channel, "id">;
  readonly epoch: number;
  readonly isEnding: boolean;
  readonly requests: DrivenRequests;
  readonly chat: Chat | undefined;
  readonly prompts: { readonly active: { readonly key: string } | undefined };
  onAttended(): void;
  /** Looks at the inbox again. */
  wake(): void;
  failed(what: string, error: unknown): void;
}

/** Carries out commands on the chat and on its inbox. One that comes too late has no effect. */
export class ControlCommands {
  readonly #host: ControlCommandsHost;
  /** The key of the prompt that goes next, even in place of the running turn. */
  sendNow: string | undefined;

  /** How many choices of a mode or a model the agent has not confirmed. */
  choosing = 0;

  /** The key of the command that was taken last. */
  #taken: string | undefined;

  constructor(host: ControlCommandsHost) {
    this.#host = host;
  }

  /**
   * Takes all commands that wait.
   * @param isCarriedOut false: they have no effect
   * @throws what the log throws
   */
  async take(isCarriedOut: boolean): Promise<void> {
    const { settings, channel, epoch } = this.#host;
    while (!this.#host.isEnding) {
      const command = await settings.log.take(channel.id, epoch, "control", this.#taken);
      if (!command) return;
      const { key, value } = command;
      this.#taken = key;
      const kept = readKept(value);
      if (isAttended(value)) this.#host.onAttended();
      else if (!kept) this.#host.failed("the inbox has a command that cannot be read", undefined);
      else if (isCarriedOut) await this.#carryOut(key, kept.wish);
    }
  }

  async #carryOut(key: string, wish: RelayWish): Promise<void> {
    const { requests, chat, settings, channel } = this.#host;
    switch (wish.type) {
      case "withdraw":
        await this.#withdraw(wish.target);
        return;
      case "cancel":
        await this.#cancel(wish.target);
        return;
      case "decide": {
        const { permission_id: id, session_id, decision } = wish;
        if (requests.statusOf(id, session_id, key) !== "open") return;
        requests.decides(id, key);
        chat?.decide(id, decision);
        return;
      }
      case "answer": {
        const { question_id: id, session_id, answer } = wish;
        if (requests.statusOf(id, session_id, key) !== "open") return;
        requests.decides(id, key);
        chat?.answer(id, answer);
        return;
      }
      case "resume":
        chat?.resume(wish.how);
        return;
      case "edit_queued": {
        const kept = readKept(await this.#queued(wish.target));
        if (kept?.wish.type !== "prompt") return;
        const value = { ...kept, wish: { ...kept.wish, input: wish.input } };
        await settings.log.edit(channel.id, wish.target, value);
        return;
      }
      case "move_queued":
        await settings.log.move(channel.id, wish.target, wish.before);
        return;
      case "send_now":
        this.sendNow = wish.target;
        return;
      case "select_branch":
        chat?.selectBranch(wish.message_id);
        return;
      case "revoke":
        chat?.revoke(wish.id);
        return;
      case "set_mode":
      case "set_model":
        if (chat) void this.#choose(chat, wish.type, wish.id); // other commands do not wait for the agent
        return;
      case "prompt":
      case "regenerate":
      case "edit":
        return; // these wait for their turn
      default:
        return wish satisfies never;
    }
  }

  async #choose(chat: Chat, what: "set_mode" | "set_model", id: string): Promise<void> {
    this.choosing++;
    const done = await (what === "set_mode" ? chat.setMode(id) : chat.setModel(id));
    this.choosing--;
    if (!done.ok) this.#host.failed(`\`${what}\` was not carried out`, done.error);
    this.#host.wake(); // the driver may have waited for it before it ends
  }

  async #cancel(target: Extract<RelayWish, { type: "cancel" }>["target"]): Promise<void> {
    const { chat, requests, prompts } = this.#host;
    const { turn } = requests;
    if (typeof target !== "string") {
      if (turn?.turn_id === target.turn_id && turn.session_id === target.session_id)
        chat?.cancel({ turnId: target.turn_id });
    } else if (prompts.active?.key === target || turn?.prompt === target) {
      // The prompt may still wait in the chat.
      if (chat?.getSnapshot().queue.some(({ id }) => id === target)) chat.unqueue(target);
      else chat?.cancel();
    } else await this.#withdraw(target);
  }

  /** The prompt stays in the inbox until the log says that it is over. */
  async #withdraw(target: string): Promise<void> {
    const { settings, channel } = this.#host;
    const kept = readKept(await this.#queued(target));
    if (kept) await settings.log.edit(channel.id, target, { ...kept, withdrawn: true });
  }

  /** The value of a prompt that waits. */
  async #queued(target: string): Promise<unknown> {
    const queue = await this.#host.settings.log.queue(this.#host.channel.id);
    return waitingIn(queue).find(({ key }) => key === target)?.value;
  }
}
