// The interface `Chat`: what user interfaces call.

import type { AnyAgentwireError } from "../core/errors.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { Answer, Decision } from "../core/values.ts";
import type { ChatResult } from "./problem.ts";
import type { ChatSnapshot } from "./snapshot.ts";

/**
 * The outcome of `send` and `retry`. `id`: the message that shows the prompt. It is absent if the prompt was refused before it became a
 * message.
 */
export type ChatSend =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly error: AnyAgentwireError; readonly id?: string };

/** What to do about a conversation that the backend has forgotten. */
export type ChatResume = "without-context" | "with-transcript";

/** What `cancel` ends. `turnId`: the turn of a message, also one of somebody else where the backend can cancel it. */
export type ChatCancel = "turn" | "all" | { readonly turnId: string };

/**
 * One conversation with an agent, as a user interface shows it.
 *
 * No function throws or rejects, whatever it is called with. What goes wrong is in the snapshot, and in the result of the call. The
 * functions need no `this`: `useSyncExternalStore(chat.subscribe, chat.getSnapshot)`.
 */
export interface Chat extends AsyncDisposable {
  /** Calls `listener` after changes, at most once per microtask, until the returned function is called. */
  readonly subscribe: (listener: () => void) => Unsubscribe;
  /** The chat now: the same object until something changes. */
  readonly getSnapshot: () => ChatSnapshot;
  /**
   * Sends a prompt. It shows at once as a message, which keeps its id. While a turn runs it waits, with the status `queued`; the option
   * `whenBusy` changes that. A prompt that could not be sent stays as a message with the status `failed`.
   */
  readonly send: (input: string | PromptInput) => ChatSend;
  /**
   * Cancels the turn that runs. Prompts that wait are sent next: the user may have written one instead of the answer. `"all"` takes
   * them back too, also while no turn runs: they get the status `cancelled`, and `retry` sends them. Ok if nothing runs. @default "turn"
   */
  readonly cancel: (what?: ChatCancel) => ChatResult;
  /**
   * Sends the text and the images of a message again, as a new prompt. `messageId` names a message of the user, or an answer to one. The
   * agent may do again what it did for the first one. The old message stays as it was.
   */
  readonly retry: (messageId: string) => ChatSend;
  /**
   * Asks for another answer, with the conversation as it was before this one. `messageId` names the answer, or its prompt. A turn that runs is
   * cancelled first. The old answer stays as a branch (`message.branches`), and so does what the agent did for it: files stay changed.
   *
   * Works where the history is kept here (`capabilities.branches`); elsewhere the outcome is an `UnsupportedError`.
   */
  readonly regenerate: (messageId: string) => ChatSend;
  /** Replaces a prompt of the user with another one, as `regenerate` asks again. The old prompt and all that follows it stay as a branch. */
  readonly edit: (messageId: string, input: string | PromptInput) => ChatSend;
  /**
   * Shows the branch with this message, and goes on there. `messageId` is mostly one of `message.branches.ids`. Refused while a turn runs. If
   * the state behind that branch is not known any more, `connection.contextLost` is true afterwards.
   */
  readonly selectBranch: (messageId: string) => ChatResult;
  /** Takes back a prompt that waits. Its message gets the status `cancelled`, and `retry` sends it. */
  readonly unqueue: (id: string) => ChatResult;
  /** Changes a prompt that waits. */
  readonly editQueued: (id: string, input: string | PromptInput) => ChatResult;
  /** Moves a prompt that waits before another one. Null: behind all. */
  readonly moveQueued: (id: string, before: string | null) => ChatResult;
  /** Sends a prompt that waits before all others. A turn that runs is cancelled first. */
  readonly sendNow: (id: string) => ChatResult;
  /**
   * Decides on a tool call in `pending`. Ok, without effect, for any other id: a decision names what was shown, or does nothing. So a late
   * decision, or one for a request of an earlier client, never decides another request.
   *
   * `{ decision: "once", scope: "turn" }` and `"always"` also allow later calls, without asking: those of the same tool that are about the
   * same, as `grant` of the entry says. `tool: true` allows every call of the tool: ask for that in a step of its own, in words. What stands
   * is in `approvals`.
   */
  readonly decide: (id: string, decision: Decision) => ChatResult;
  /** Takes back what a decision allows beyond its call, by an id in `approvals`. Ok, without effect, for any other id. */
  readonly revoke: (id: string) => ChatResult;
  /** Answers a question in `pending`. Ok, without effect, for any other id. */
  readonly answer: (id: string, answer: Answer) => ChatResult;
  /**
   * Goes on after the backend has forgotten the conversation (`connection.contextLost`), and sends the prompts that wait. With the
   * transcript, the next prompt begins with the newest messages as text, `MAX_RECAP_LENGTH` characters at most; the chat does not show that
   * text. Also sends the prompts that were loaded and are `held`: not those that another chat over the same store sends, or has taken back. Ok, without effect, if nothing is lost or held.
   *
   * @param how may be left out if the backend has forgotten nothing
   */
  readonly resume: (how?: ChatResume) => ChatResult;
  /**
   * Connects now, without a prompt. A client that waits for its next attempt (`connection.retryAt`) makes the attempt at once, and a client
   * that has closed for good is replaced. Ok before the connection is made: `connection` tells how it goes, and `connection.reason` why it
   * failed. Prompts that wait for `resume` go on waiting.
   */
  readonly connect: () => ChatResult;
  /** Takes `problem` out of the snapshot. */
  readonly dismiss: () => void;
  /**
   * Closes the client and ends what is open. Prompts that wait become `failed`, and the store gets the last events: for at most
   * `MAX_STORE_WAIT` ms. The snapshot stays, and listeners still hear of changes, such as the problem of a later `send`. Never rejects.
   * Idempotent.
   */
  readonly close: () => Promise<void>;
}
