// The type of a snapshot: the state of a chat at one moment.
import type { Capabilities } from "../core/client/agent-client.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { List } from "../universal/transcript/list.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import type { Transcript } from "../universal/transcript/transcript.ts";
import type { ChatConnection } from "./connection.ts";
import type { ChatGrant, ChatPending } from "./pending.ts";
import type { ChatProblem } from "./problem.ts";
import type { QueuedPrompt } from "./queue.ts";
import type { SavedChat } from "./saving/saved.ts";

/** The state of a chat at one moment. Never changes, and shares unchanged parts with the last snapshot. */
export interface ChatSnapshot
  extends Pick<Transcript, "usage" | "cost" | "plan" | "context" | "modes" | "models" | "commands"> {
  /** The messages, oldest first. Queued prompts come last. */
  readonly messages: List<ChatMessage>;
  readonly connection: ChatConnection;
  /** The requests that wait for the user, oldest first. */
  readonly pending: readonly ChatPending[];
  /** The grants: calls allowed for the turn or the session, oldest first. `chat.revoke` revokes one. */
  readonly approvals: readonly ChatGrant[];
  /** What the backend can do. Undefined until there is a client. */
  readonly capabilities: Capabilities | undefined;
  /** Whether the store is still loading, which delays prompts, or a source is still replaying old events. */
  readonly loading: boolean;
  /** Whether any client's turn runs, or a prompt of this chat (`queued`) waits for the connection. */
  readonly busy: boolean;
  /**
   * The prompts that the client does not have yet, in order. They wait for an earlier turn, for the store or for
   * `chat.resume()`. One that waits for the connection is not in this list, although its message is `queued`.
   */
  readonly queue: readonly QueuedPrompt[];
  /**
   * The last problem that no message shows. `chat.dismiss()` or a later successful call clears it. Only a working store
   * clears the problem of a store.
   */
  readonly problem: ChatProblem | undefined;
  /** The state of the backend's conversation, a JSON value. Undefined if there is none to continue from. */
  readonly state: ConversationState | undefined;
  /**
   * A JSON value to continue from: `createChat(source, { from })`. Made at the first read, in time proportional to the
   * number of messages. Later snapshots share the unchanged parts.
   */
  readonly saved: SavedChat;
}
