// The state of a chat at one moment, as a type.
import type { Capabilities } from "../core/client/agent-client.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { UniversalCost, UniversalUsage } from "../universal/events.ts";
import type { List } from "../universal/transcript/list.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import type {
  PlanEntry,
  TranscriptChoice,
  TranscriptCommand,
  TranscriptContext,
} from "../universal/transcript/transcript.ts";
import type { ChatGrant } from "./approvals.ts";
import type { ChatConnection } from "./connection.ts";
import type { ChatPending } from "./pending.ts";
import type { ChatProblem } from "./problem.ts";
import type { QueuedPrompt } from "./queue.ts";
import type { SavedChat } from "./saving/saved.ts";

/** A chat at one moment. Never changes; what is the same as before is the same object. */
export interface ChatSnapshot {
  /** Oldest first. The prompts that wait are the last ones. */
  readonly messages: List<ChatMessage>;
  readonly connection: ChatConnection;
  /** What waits for the user, oldest first. */
  readonly pending: readonly ChatPending[];
  /** What stands of the user's decisions for a turn and for the session, oldest first. `chat.revoke` takes one back. */
  readonly approvals: readonly ChatGrant[];
  /** The tokens of all turns. */
  readonly usage: UniversalUsage;
  /** The cost of all turns: one total for each currency. */
  readonly cost: readonly UniversalCost[];
  /** The agent's plan. Null: it has told none. */
  readonly plan: readonly PlanEntry[] | null;
  /** How full the model's context is, in tokens. Null: the backend has not said. */
  readonly context: TranscriptContext | null;
  /** The modes, models and commands of an agent that has some. */
  readonly modes: TranscriptChoice | null;
  readonly models: TranscriptChoice | null;
  readonly commands: readonly TranscriptCommand[] | null;
  /** What the backend can do. Absent while no client could be made. */
  readonly capabilities: Capabilities | undefined;
  /** Whether the store is still being read, for which prompts wait; or whether a source still tells what was told before. */
  readonly loading: boolean;
  /**
   * Whether a turn runs, of this chat or of somebody else, or the prompt of this chat waits for the link. The message of the latter is
   * `queued`.
   */
  readonly busy: boolean;
  /**
   * The prompts that the client does not have: they wait for an earlier turn, for the store or for `chat.resume()`, in this order. A prompt
   * that waits for the link is not among them, although its message is `queued`.
   */
  readonly queue: readonly QueuedPrompt[];
  /**
   * What went wrong last, if it is not shown by a message. Stays until `chat.dismiss()`, or until a later call succeeds. The problem of a
   * store stays until the store works again.
   */
  readonly problem: ChatProblem | undefined;
  /** The state of the backend's conversation, which is also in `saved`: a JSON value. Absent if there is none to go on from. */
  readonly state: ConversationState | undefined;
  /**
   * A JSON value to go on from: `createChat(source, { from })`. Made at the first read, which takes time in proportion to the number of
   * messages; later snapshots share what has not changed.
   */
  readonly saved: SavedChat;
}
