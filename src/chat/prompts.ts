// The prompts of a chat, as an interface: with a queue of this chat, or with the inbox of the backend.
import type { AnyAgentClient, AnyConversation } from "../core/client/any-client.ts";
import type { AnyAgentwireError } from "../core/errors.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import type { ChatCancel } from "./chat.ts";
import type { PendingRequests } from "./pending.ts";
import type { ChatPrompt } from "./prompt.ts";
import type { PromptJob, QueuedPrompt } from "./queue.ts";

/** The prompts of a chat, from `send()` to the end of their turns, and the client that gets them. */
export interface ChatPrompts {
  readonly client: AnyAgentClient | undefined;
  /** The client's requests that wait for the user. */
  readonly requests: PendingRequests | undefined;
  readonly isBusy: boolean;
  /** Whether the prompts wait until the user chooses how to continue. */
  readonly isForgotten: boolean;
  /** The queue for snapshots. */
  readonly list: readonly QueuedPrompt[];
  /** Whether a new prompt must wait for an earlier one. */
  readonly hasNext: boolean;

  /** Creates the first client. @throws what the source throws */
  make(): void;
  /**
   * Adds the unsent prompts of an earlier chat. They are held until `resume` or `sendNow`.
   * @param isNew whether the store may not have them
   */
  hold(messages: readonly ChatMessage[], isNew: boolean): void;
  /** Starts the conversation and sends queued prompts. @param hasContext whether prompts were sent before */
  open(hasContext: boolean): void;
  /** The backend's conversation, a new one if there is none. Undefined until the chat is open. @throws what the source throws */
  converse(): AnyConversation | undefined;
  /** Connects now, or as soon as the store has loaded. */
  connect(): void;
  /** Ends the unsent prompts and closes the client. */
  close(): Promise<void>;

  /** Sends or queues a prompt. Returns the error if it cannot be sent. */
  send(job: PromptJob): AnyAgentwireError | undefined;
  /** Cancels the running turn, and sends a prompt that replaces a message before all queued ones. */
  sendAnew(job: PromptJob): AnyAgentwireError | undefined;
  /** Finds the prompt to regenerate or edit. @throws InvalidInputError if there is none, UnsupportedError */
  promptOf(id: string, isEdit: boolean): ChatMessage;
  /** Shows another branch. @throws InvalidInputError while a turn runs, and if no message has this id */
  select(id: string): void;

  /** @throws InvalidInputError if this turn does not run; UnsupportedError if the client cannot cancel it */
  cancel(what: ChatCancel): void;
  /** Withdraws a queued prompt. @throws InvalidInputError for an unknown id, as the three below */
  takeBack(id: string): void;
  edit(id: string, prompt: ChatPrompt): void;
  /** @param before the id of another prompt. Null: the prompt becomes the last one */
  move(id: string, before: string | null): void;
  /** Cancels the running turn and sends a queued prompt. */
  sendNow(id: string): void;
  /** Releases held prompts, and continues after the backend has forgotten the conversation. */
  resume(withTranscript: boolean): void;
  /** The client's requests or grants may have changed. */
  onRequests(): void;
}
