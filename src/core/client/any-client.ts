// The type of a client for code that knows no protocol, such as a user interface.

import type { ListenOptions, Unsubscribe } from "../tell/events.ts";
import type { Conversation, ConversationState } from "../turn/conversation.ts";
import type { PromptInput } from "../turn/prompt-input.ts";
import type { Turn, TurnOptions, TurnResult } from "../turn/turn.ts";
import type { AnyEvent } from "../values.ts";
import type { AgentClient, AnyClientEvents } from "./agent-client.ts";

/** A turn of any client. */
export type AnyTurn = Turn<AnyEvent, TurnResult>;

/** A conversation of any client. */
export interface AnyConversation
  extends Pick<
    Conversation<AnyEvent, TurnResult, object, object>,
    "messages" | "state" | "shared" | "earlier"
  > {
  prompt(input: string | PromptInput, options?: TurnOptions): AnyTurn;
}

/** Any client: the type for a user interface that runs on every backend. */
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
  /** Cancels a turn that another client of the same backend has begun. `turnId` is the id in its events. Absent: nobody else has turns there. */
  readonly cancel?: ((turnId: string) => void) | undefined;
  prompt(input: string | PromptInput, options?: TurnOptions): AnyTurn;
  conversation(options?: { readonly from?: ConversationState }): AnyConversation;
  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
}
