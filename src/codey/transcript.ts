import type { ConnectionLostError } from "../core/errors.ts";
import type { ConversationMessage } from "../core/turn/conversation.ts";

/** What was said in one session. The server's own history is empty, so this is the only one. */
export class Transcript {
  /** Set when the session is gone. */
  lost: ConnectionLostError | undefined;
  #messages: readonly ConversationMessage[] = [];

  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  /** The server has it from now on, whatever becomes of the turn. */
  asked(content: string): void {
    this.#messages = [...this.#messages, { role: "user", content }];
  }

  /** A turn was answered to its end; of any other the server keeps no answer. */
  answered(content: string): void {
    this.#messages = [...this.#messages, { role: "assistant", content }];
  }
}
