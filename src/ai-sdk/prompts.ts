// The prompts of a page: sends the last message of the user, as a new turn or in place of an earlier message.
import type { ChatTransport, UIMessage } from "ai";
import type { Chat, ChatSend } from "../chat/chat.ts";
import { readPrompt } from "../chat/prompt.ts";
import type { TurnFeed } from "../chat/turn-feed.ts";
import { InvalidInputError } from "../core/errors.ts";
import { indexOf } from "../universal/transcript/branches.ts";
import { readUserMessage } from "./user-message.ts";

export type SendOptions = Parameters<ChatTransport<UIMessage>["sendMessages"]>[0];

export class PagePrompts {
  readonly #chat: Chat;
  readonly #feed: TurnFeed;
  /** The chat's ids of the user's messages, by the page's ids. */
  readonly #ids = new Map<string, string>();

  constructor(chat: Chat, feed: TurnFeed) {
    this.#chat = chat;
    this.#feed = feed;
  }

  /** Sends the last prompt of the user: as a new turn, or in place of an earlier message where the backend can go back. */
  send({ messageId, trigger }: SendOptions, messages: readonly UIMessage[]): ChatSend {
    const message = [...messages].reverse().find(({ role }) => role === "user");
    if (!message)
      throw new InvalidInputError("no message of the user is given.", "Write what the agent is to do.");
    const prompt = readUserMessage(message);
    readPrompt(prompt);
    const { capabilities } = this.#chat.getSnapshot();
    const known = this.#ids.get(message.id);
    if (capabilities?.branches && trigger === "regenerate-message") {
      const id = this.#idOf(messageId) ?? known;
      const sent = id === undefined ? undefined : this.#feed.send(() => this.#chat.regenerate(id));
      if (sent && !isNothingToReplace(sent)) return sent;
    }
    const isEdit = trigger === "submit-message" && messageId === message.id;
    const edited =
      capabilities?.branches && isEdit && known !== undefined
        ? this.#feed.send(() => this.#chat.edit(known, prompt))
        : undefined;
    const sent =
      edited && !isNothingToReplace(edited) ? edited : this.#feed.send(() => this.#chat.send(prompt));
    if (sent.ok) this.#ids.set(message.id, sent.id);
    return sent;
  }

  /** The chat's id of a message of the page. An answer has the same id in both. */
  #idOf(messageId: string | undefined): string | undefined {
    if (messageId === undefined) return undefined;
    const isKnown = indexOf(this.#chat.getSnapshot().messages, messageId) >= 0;
    return isKnown ? messageId : this.#ids.get(messageId);
  }
}

/** The message was never sent: nothing can be regenerated or edited. */
function isNothingToReplace(sent: ChatSend): boolean {
  return !sent.ok && sent.error.code === "invalid-input";
}
