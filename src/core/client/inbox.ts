// The interface of an inbox: the queue of prompts that a backend keeps for all of its clients.
import type { AnyAgentwireError } from "../errors.ts";
import type { Unsubscribe } from "../tell/events.ts";
import type { PromptInput } from "../turn/prompt-input.ts";

/** A prompt in an inbox. */
export interface InboxPrompt {
  /** The id of the prompt's message in every client. */
  readonly key: string;
  readonly input: string | PromptInput;
  /** When the user wrote it, in ms since the epoch. */
  readonly at: number;
  /** Who wrote it, if the backend says so. */
  readonly by?: string;
  /** The backend has refused the prompt, which this client had kept from an earlier page. */
  readonly error?: AnyAgentwireError;
  /** The agent gets the prompt now: it can no longer be changed or withdrawn. */
  readonly isTaken?: true;
}

/** A change that any client may ask for. `target`: the key of a prompt in the inbox. `message_id`: of a shown message. */
export type InboxCommand =
  | { readonly type: "prompt"; readonly input: string | PromptInput }
  | { readonly type: "withdraw" | "send_now"; readonly target: string }
  | { readonly type: "edit_queued"; readonly target: string; readonly input: string | PromptInput }
  | { readonly type: "move_queued"; readonly target: string; readonly before: string | null }
  | {
      readonly type: "cancel";
      readonly target: string | { readonly session_id: string; readonly turn_id: string };
    }
  | { readonly type: "resume"; readonly how?: "without-context" | "with-transcript" }
  | { readonly type: "regenerate" | "select_branch"; readonly message_id: string }
  | { readonly type: "set_mode" | "set_model"; readonly id: string }
  | { readonly type: "edit"; readonly message_id: string; readonly input: string | PromptInput };

/** How a command ended. `started`: the turn of the prompt. `withdrawn`: the prompt has no turn. `done`: any other command. */
export type InboxOutcome = "started" | "withdrawn" | "done";

/** The queue of prompts that a backend keeps for all of its clients. */
export interface PromptInbox {
  /** In the order in which they will be sent. The same list until something changes. */
  readonly prompts: readonly InboxPrompt[];
  /** Whether the backend works on a prompt. */
  readonly isBusy: boolean;
  /** The backend has forgotten the conversation: the prompts wait for the command `resume`. */
  readonly contextLost: boolean;
  /**
   * Sends a command once, however often the connection breaks.
   * @param key unique. It is the id of a prompt's message
   * @returns rejects if the backend refused the command, or if the client was closed before. `delivery` says whether the
   * backend will carry it out
   */
  send(key: string, command: InboxCommand): Promise<InboxOutcome>;
  /** The listener gets why the backend did not carry out a decision, an answer or the end of a grant. */
  onChange(listener: (refused?: AnyAgentwireError) => void): Unsubscribe;
}
