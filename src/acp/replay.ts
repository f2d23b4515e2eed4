// The messages that an agent repeats when it loads a session.
import type { Clock } from "../core/clock.ts";
import type { ConversationMessage } from "../core/turn/conversation.ts";
import type { Update } from "./messages.ts";

/** ms without an update after which a replay is over. Gemini sends the rest of it at once. */
const QUIET = 250;
/** Waits of `QUIET`, for an agent that never stops. */
const MAX_WAITS = 40;

export class Replay {
  readonly #messages: { readonly role: "user" | "assistant"; content: string }[] = [];
  #updates = 0;
  /** Whether the last update was a message of the user, so that an answer should follow. */
  #isUnanswered = false;

  get messages(): readonly ConversationMessage[] {
    return this.#messages.map(({ role, content }) => ({ role, content }));
  }

  take(update: Update): void {
    this.#updates++;
    this.#isUnanswered = update.type === "chunk" && update.from === "user";
    if (update.type !== "chunk" || update.from === "thought" || update.block.type !== "text") return;
    const role = update.from === "user" ? "user" : "assistant";
    const last = this.#messages.at(-1);
    if (last?.role === role) last.content += update.block.text;
    else if (update.block.text !== "") this.#messages.push({ role, content: update.block.text });
  }

  /**
   * Call this after the answer to `session/load`. Most agents answer after the replay. Gemini answers after the first
   * message of it, which is the user's. The rest would look like an answer to the next prompt.
   * @param ended resolves when the agent has ended
   */
  async settled(clock: Clock, ended: Promise<unknown>): Promise<void> {
    if (!this.#isUnanswered) return;
    let seen: number;
    let waits = 0;
    do {
      seen = this.#updates;
      await new Promise<void>((resolve) => {
        const cancel = clock.setTimeout(resolve, QUIET);
        void ended.then(() => {
          cancel();
          resolve();
        });
      });
    } while (this.#updates !== seen && ++waits < MAX_WAITS);
  }
}
