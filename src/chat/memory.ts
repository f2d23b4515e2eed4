// What the backend still knows of the chat: everything, nothing, or a recap.
import type { ConversationState } from "../core/turn/conversation.ts";

type State =
  | { readonly name: "kept"; readonly state: ConversationState | undefined }
  | { readonly name: "lost" }
  | { readonly name: "recap" };

/**
 * What the backend knows of the chat. `goTo` (another branch) leads from each state to `kept`.
 *
 *     kept ──forget()──▶ lost ──resume(false)──▶ kept, without state
 *      ▲                   └────resume(true)───▶ recap
 *      └───────── recapMade(): the next prompt ───────┘
 */
export class Memory {
  #state: State;
  /** Whether the backend has received a prompt. */
  #hasContext = false;

  /** @param state the state that the backend's conversation continues from */
  constructor(state: ConversationState | undefined) {
    this.#state = { name: "kept", state };
  }

  /** The state that the next conversation continues from. */
  get state(): ConversationState | undefined {
    return this.#state.name === "kept" ? this.#state.state : undefined;
  }

  /** Whether the prompts wait until the user chooses how to continue. */
  get isLost(): boolean {
    return this.#state.name === "lost";
  }

  get needsRecap(): boolean {
    return this.#state.name === "recap";
  }

  /** Whether the backend has received prompts, and there is no state to continue from. */
  get isMissing(): boolean {
    return this.#hasContext && this.#state.name === "kept" && this.#state.state === undefined;
  }

  /** The backend has received a prompt. */
  told(): void {
    this.#hasContext = true;
  }

  /** Stores the conversation's current state. */
  keep(state: ConversationState | undefined): void {
    if (this.#state.name === "kept" && this.#hasContext) this.#state = { name: "kept", state };
  }

  /** Continues from another state: `undefined` if that state is no longer known. */
  goTo(state: ConversationState | undefined): void {
    this.#state = { name: "kept", state };
    this.#hasContext = true;
  }

  /** The backend has forgotten the conversation. Returns false if it was empty or already lost. */
  forget(): boolean {
    if (this.isLost) return false;
    if (this.#hasContext) this.#state = { name: "lost" };
    else if (!this.needsRecap) this.#state = { name: "kept", state: undefined };
    return this.#hasContext;
  }

  /** Continues as the user chose. Returns false if nothing is lost. */
  resume(withTranscript: boolean): boolean {
    if (!this.isLost) return false;
    this.#state = withTranscript ? { name: "recap" } : { name: "kept", state: undefined };
    this.#hasContext = false;
    return true;
  }

  /** A prompt with the recap was made: the next one needs none. */
  recapMade(): void {
    if (this.needsRecap) this.#state = { name: "kept", state: undefined };
  }

  needRecap(): void {
    if (!this.isLost) this.#state = { name: "recap" };
  }
}
