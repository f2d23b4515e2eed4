// The type of any client, for code that works with every protocol, such as a user interface.

import type { ListenOptions, Unsubscribe } from "../tell/events.ts";
import type { Conversation, ConversationState } from "../turn/conversation.ts";
import type { FileList, FilesOptions } from "../turn/prompt-files.ts";
import type { PromptInput } from "../turn/prompt-input.ts";
import type { Turn, TurnOptions, TurnResult } from "../turn/turn.ts";
import type { AnyEvent } from "../values.ts";
import type { AgentClient, AnyClientEvents } from "./agent-client.ts";
import type { PromptInbox } from "./inbox.ts";

/** A turn of any client. */
export type AnyTurn = Turn<AnyEvent, TurnResult>;

/** What the user can choose in a conversation. */
export interface ConversationChoices {
  readonly modes?: { readonly current: string | null; readonly available: readonly object[] };
  readonly models?: { readonly current: string | null; readonly available: readonly object[] };
  readonly commands?: readonly object[];
}

/** A conversation of any client. */
export interface AnyConversation
  extends Pick<
    Conversation<AnyEvent, TurnResult, object, object>,
    "messages" | "state" | "shared" | "earlier"
  > {
  /** The modes, models and commands, as the backend has said them. Undefined until then. */
  readonly session?: ConversationChoices | undefined;
  /** Calls `listener` when `session` has changed. */
  readonly onSession?: ((listener: () => void) => Unsubscribe) | undefined;
  /** Opens the backend's session without a prompt, so that `session` is known. Absent if nothing opens. @throws AgentwireError */
  readonly open?: (() => Promise<unknown>) | undefined;
  /** Sets the mode. Absent if `capabilities.modes` is false. @throws InvalidInputError for an unknown id; AgentwireError */
  readonly setMode?: ((id: string) => Promise<void>) | undefined;
  /** Sets the model. Absent if `capabilities.models` is false. @throws InvalidInputError for an unknown id; AgentwireError */
  readonly setModel?: ((id: string) => Promise<void>) | undefined;
  prompt(input: string | PromptInput, options?: TurnOptions): AnyTurn;
}

/** Any client, for a user interface that works with every backend. */
export interface AnyAgentClient
  extends Pick<
      AgentClient<AnyEvent, TurnResult, object, object>,
      | "status"
      | "capabilities"
      | "closedBy"
      | "pending"
      | "decide"
      | "answer"
      | "grants"
      | "revoke"
      | "connect"
      | "close"
    >,
    AsyncDisposable {
  /** Cancels another client's turn, by the id in its events. Absent if other clients have no turns there. */
  readonly cancel?: ((turnId: string) => void) | undefined;
  /** Absent if each client has a queue of its own. */
  readonly inbox?: PromptInbox | undefined;
  /** Paths for a completion in a prompt. Absent if this client never has a folder. @throws UnsupportedError; the signal's reason */
  readonly files?: ((prefix: string, options?: FilesOptions) => Promise<FileList>) | undefined;
  prompt(input: string | PromptInput, options?: TurnOptions): AnyTurn;
  conversation(options?: { readonly from?: ConversationState }): AnyConversation;
  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
}
