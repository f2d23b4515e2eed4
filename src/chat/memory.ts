// What the backend still knows of the chat: all, nothing, or a recap of it.
import type { ConversationState } from "../core/turn/conversation.ts";

type State =
  | { readonly name: "kept"; readonly state: ConversationState | undefined }
  | { readonly name: "lost" }
  | { readonly name: "recap" };

/**
 * What the backend knows of the chat. `goTo`, another branch, leads from each state to `kept`.
 *
 *     kept ──forget()──▶ lost ──resume(false)──▶ kept, without state
 *      ▲                   └────resume(true)───▶ recap
 *      └───── the next prompt, with the recap, is made ────┘
 */
export class Memory {
  #state: State;
  /** Whether the backend has had a prompt that it can forget. */
  #hasContext = false;

  /** @param state what the backend's conversation goes on from */
  constructor(state: ConversationState | undefined) {
    this.#state = { name: "kept", state };
  }

  /** What the next conversation goes on from. */
  get state(): ConversationState | undefined {
    return this.#state.name === "kept" ? this.#state.state : undefined;
  }

  /** The prompts wait until the user has chosen how to go on. */
  get isLost(): boolean {
    return this.#state.name === "lost";
  }

  get needsRecap(): boolean {
    return this.#state.name === "recap";
  }

  /** Whether the backend has had prompts, and there is no state to go on from. */
  get isMissing(): boolean {
    return this.#hasContext && this.#state.name === "kept" && this.#state.state === undefined;
  }

  /** The backend has had a prompt. */
  told(): void {
    this.#hasContext = true;
  }

  /** The conversation has this state now. */
  keep(state: ConversationState | undefined): void {
    if (this.#state.name === "kept" && this.#hasContext) this.#state = { name: "kept", state };
  }

  /** The chat goes on from another state: `undefined` if nobody knows that state any more. */
  goTo(state: ConversationState | undefined): void {
    this.#state = { name: "kept", state };
    this.#hasContext = true;
  }

  /** The backend has forgotten the conversation. Returns whether there was anything to forget. */
  forget(): boolean {
    if (this.isLost) return false;
    if (this.#hasContext) this.#state = { name: "lost" };
    else if (!this.needsRecap) this.#state = { name: "kept", state: undefined };
    return this.#hasContext;
  }

  /** The user has chosen. Returns false if nothing is lost. */
  resume(withTranscript: boolean): boolean {
    if (!this.isLost) return false;
    this.#state = withTranscript ? { name: "recap" } : { name: "kept", state: undefined };
    this.#hasContext = false;
    return true;
  }

  /** A prompt with the recap was made. */
  recapMade(): void {
    if (this.needsRecap) this.#state = { name: "kept", state: undefined };
  }

  /** The next prompt needs the recap. */
  needRecap(): void {
    if (!this.isLost) this.#state = { name: "recap" };
  }
}
