// The interface `Chat`, which user interfaces call.
import type { AnyAgentwireError } from "../core/errors.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import type { FileList, FilesOptions } from "../core/turn/prompt-files.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { Answer, Decision } from "../core/values.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { ChatResult } from "./problem.ts";
import type { ChatSnapshot } from "./snapshot.ts";

/** The result of `send` and `retry`. `id`: the message that shows the prompt, if there is one. */
export type ChatSend =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly error: AnyAgentwireError; readonly id?: string };

/** The result of `files`. */
export type ChatFiles =
  | ({ readonly ok: true } & FileList)
  | { readonly ok: false; readonly error: AnyAgentwireError };

/** How to continue after the backend has forgotten the conversation: empty, or with a recap. */
export type ChatResume = "without-context" | "with-transcript";

/** What `cancel` ends. `turnId`: a message's turn, even another client's if the backend can cancel it. */
export type ChatCancel = "turn" | "all" | { readonly turnId: string };

/**
 * One conversation with an agent, for a user interface.
 *
 * No function throws or rejects. The result of the call and the snapshot report errors. The functions do not use
 * `this`: `useSyncExternalStore(chat.subscribe, chat.getSnapshot)` works.
 */
export interface Chat extends AsyncDisposable {
  /** Calls `listener` after changes, at most once per microtask. Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => Unsubscribe;
  /**
   * Calls `listener` with each universal event that the snapshot shows, in order and at once. The listener
   * gets no stored events of an earlier chat, and no events of an unsent prompt. Its errors go to `onListenerError`.
   * `position`: the event's place in the log of a source with a log.
   *
   * Calls a listener for `reset` when all events so far are void, and the messages from them are gone: a source with a
   * log has lost the end of the log, or has made it anew, or no longer has the next event. Waiting prompts stay.
   */
  readonly on: {
    (name: "event", listener: (event: UniversalEvent, position?: string) => void): Unsubscribe;
    (name: "reset", listener: () => void): Unsubscribe;
  };
  /** The current snapshot: the same object until something changes. */
  readonly getSnapshot: () => ChatSnapshot;
  /**
   * Sends a prompt. It appears at once as a message, whose id never changes. While a turn runs, the prompt is queued
   * (status `queued`), unless the option `whenBusy` refuses it. A prompt that cannot be sent stays as a message with
   * the status `failed`.
   */
  readonly send: (input: string | PromptInput) => ChatSend;
  /**
   * Cancels the running turn. Queued prompts are sent next. `"all"` also withdraws them, even while no turn runs: they
   * get the status `cancelled`, and `retry` sends them. Succeeds if nothing runs. @default "turn"
   */
  readonly cancel: (what?: ChatCancel) => ChatResult;
  /**
   * Sends the text, images and files of a message again, as a new prompt. `messageId` names a message of the user, or an
   * answer to one. The agent may repeat its work. The old message does not change.
   */
  readonly retry: (messageId: string) => ChatSend;
  /**
   * Asks for another answer, from the conversation before the old one. `messageId` names the answer or its prompt.
   * Cancels a running turn first. The old answer stays as a branch (`message.branches`). Files that the agent changed
   * stay changed. Fails with an `UnsupportedError` if `capabilities.branches` is false. If it is cancelled before the
   * first word, the old answer is shown again.
   */
  readonly regenerate: (messageId: string) => ChatSend;
  /** Replaces and sends a prompt, like `regenerate`. The old one and all after it stay as a branch. */
  readonly edit: (messageId: string, input: string | PromptInput) => ChatSend;
  /**
   * Shows the branch with this message, often one of `message.branches.ids`, and continues from its end. Refused while
   * a turn runs. If the branch's state is no longer known, `connection.contextLost` becomes true.
   */
  readonly selectBranch: (messageId: string) => ChatResult;
  /** Withdraws a queued prompt. Its message gets the status `cancelled`, and `retry` sends it. */
  readonly unqueue: (id: string) => ChatResult;
  /** Changes a queued prompt. */
  readonly editQueued: (id: string, input: string | PromptInput) => ChatResult;
  /** Moves a queued prompt in front of another one. Null moves it to the end. */
  readonly moveQueued: (id: string, before: string | null) => ChatResult;
  /** Sends a queued prompt before all others. A running turn is cancelled first. */
  readonly sendNow: (id: string) => ChatResult;
  /**
   * Decides on a tool call in `pending`. Succeeds without effect for any other id. So a late decision never decides
   * another request.
   *
   * `{ decision: "once", scope: "turn" }` and `"always"` also grant later calls of the same tool on the same subject.
   * `grant` of the entry says which calls. `tool: true` grants every call of the tool: ask the user for that in a
   * separate step, in words. `approvals` lists the grants.
   */
  readonly decide: (id: string, decision: Decision) => ChatResult;
  /**
   * Sets the agent's mode: the id of an entry of `modes` in the snapshot. Connects first if needed. Resolves once the
   * agent has confirmed it, and lasts as long as the backend's conversation. Fails with an `UnsupportedError` if
   * `capabilities.modes` is false, with `invalid-input` for an id that the agent does not have, and with `request-refused`
   * if the agent refuses. Never rejects.
   *
   * A mode may let the agent act without asking: the user chooses it.
   */
  readonly setMode: (id: string) => Promise<ChatResult>;
  /**
   * Sets the model, like `setMode`: the id of an entry of `models`, if `capabilities.models` is true. Some agents write it
   * into the user's configuration.
   */
  readonly setModel: (id: string) => Promise<ChatResult>;
  /**
   * Lists paths for the completion of a file in a prompt (`files` of its input). `prefix`: what the user has typed, such
   * as `src/a`. Fails with an `UnsupportedError` if `capabilities.files` is false. `snapshot.problem` does not show a
   * failure. Never rejects: an aborted search has no paths.
   */
  readonly files: (prefix: string, options?: FilesOptions) => Promise<ChatFiles>;
  /** Revokes a grant by its id in `approvals`. Succeeds without effect for any other id. */
  readonly revoke: (id: string) => ChatResult;
  /** Answers a question in `pending`. Succeeds without effect for any other id. */
  readonly answer: (id: string, answer: Answer) => ChatResult;
  /**
   * Continues after the backend has forgotten the conversation (`connection.contextLost`), and sends the queued
   * prompts. `"with-transcript"` puts the newest messages in front of the next prompt, as text of at most
   * `MAX_RECAP_LENGTH` characters. The chat does not show that text.
   *
   * Also sends prompts that were loaded from a saved chat or a store (`held`), unless another chat over the same store
   * sends or has withdrawn them. Succeeds without effect if nothing is lost or held.
   *
   * @param how optional if the backend has forgotten nothing
   */
  readonly resume: (how?: ChatResume) => ChatResult;
  /**
   * Connects now, without a prompt. Ends the backoff (`connection.retryAt`), half a second after the last such attempt at the
   * earliest, or replaces a closed client. Returns
   * before the connection is ready: `connection` shows its progress, and `connection.reason` why it failed. Prompts
   * that wait for `resume` keep waiting.
   */
  readonly connect: () => ChatResult;
  /** Removes `problem` from the snapshot. */
  readonly dismiss: () => void;
  /**
   * Closes the client and ends what is open. Queued prompts become `failed`. The store gets the last events, within
   * `MAX_STORE_WAIT` ms. The snapshot and its listeners keep working. Never rejects. Idempotent.
   */
  readonly close: () => Promise<void>;
}
