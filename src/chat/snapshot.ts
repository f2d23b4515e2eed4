import type { Capabilities } from "../core/client/agent-client.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { UniversalCost, UniversalUsage } from "../universal/events.ts";
import type { List } from "../universal/transcript/list.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import type { ChatConnection } from "./connection.ts";
import type { ChatPending } from "./pending.ts";
import type { ChatProblem } from "./problem.ts";
import { type SavedChat, saveMessages } from "./saving/saved.ts";

/** A chat at one moment. Never changes; what is the same as before is the same object. */
export interface ChatSnapshot {
  /** Oldest first. The prompts that wait are the last ones. */
  readonly messages: List<ChatMessage>;
  readonly connection: ChatConnection;
  /** What waits for the user, oldest first. */
  readonly pending: readonly ChatPending[];
  /** The tokens of all turns. */
  readonly usage: UniversalUsage;
  /** The cost of all turns: one total for each currency. */
  readonly cost: readonly UniversalCost[];
  /** What the backend can do. Absent while no client could be made. */
  readonly capabilities: Capabilities | undefined;
  /** Whether the store is still being read. Prompts wait for it. */
  readonly loading: boolean;
  /** Whether the client has a prompt: a turn runs, or its prompt waits for the link. The message of the latter is `queued`. */
  readonly busy: boolean;
  /**
   * The number of prompts that the client does not have: they wait for an earlier turn, for the store or for `chat.resume()`. A prompt that
   * waits for the link is not among them, although its message is `queued`.
   */
  readonly queued: number;
  /**
   * What went wrong last, if it is not shown by a message. Stays until `chat.dismiss()`, or until a later call succeeds. The problem of a
   * store stays until the store works again.
   */
  readonly problem: ChatProblem | undefined;
  /**
   * A JSON value to go on from: `createChat(source, { from })`. Made at the first read, which takes time in proportion to the number of
   * messages; later snapshots share what has not changed.
   */
  readonly saved: SavedChat;
}

/** The parts of a snapshot that change on their own. */
export interface SnapshotParts
  extends Pick<
    ChatSnapshot,
    | "messages"
    | "connection"
    | "pending"
    | "usage"
    | "cost"
    | "capabilities"
    | "loading"
    | "busy"
    | "queued"
    | "problem"
  > {
  readonly state: ConversationState | undefined;
  readonly source: string;
}

/** A snapshot of these parts: `before`, if no part has changed. */
export function snapshotOf(parts: SnapshotParts, before: Snapshot | undefined): Snapshot {
  return before?.isOf(parts) ? before : new Snapshot(parts);
}

export class Snapshot implements ChatSnapshot {
  readonly messages: List<ChatMessage>;
  readonly connection: ChatConnection;
  readonly pending: readonly ChatPending[];
  readonly usage: UniversalUsage;
  readonly cost: readonly UniversalCost[];
  readonly capabilities: Capabilities | undefined;
  readonly loading: boolean;
  readonly busy: boolean;
  readonly queued: number;
  readonly problem: ChatProblem | undefined;
  readonly #parts: SnapshotParts;
  #saved: SavedChat | undefined;

  constructor(parts: SnapshotParts) {
    this.messages = parts.messages;
    this.connection = parts.connection;
    this.pending = parts.pending;
    this.usage = parts.usage;
    this.cost = parts.cost;
    this.capabilities = parts.capabilities;
    this.loading = parts.loading;
    this.busy = parts.busy;
    this.queued = parts.queued;
    this.problem = parts.problem;
    this.#parts = parts;
  }

  get saved(): SavedChat {
    if (!this.#saved) {
      const { source, messages, state, usage, cost } = this.#parts;
      const going = state === undefined ? {} : { state };
      this.#saved = {
        version: 1,
        source,
        messages: saveMessages(messages),
        ...going,
        totals: { usage, cost },
      };
    }
    return this.#saved;
  }

  isOf(parts: SnapshotParts): boolean {
    const mine = this.#parts;
    return (
      mine.messages === parts.messages &&
      mine.connection === parts.connection &&
      mine.pending === parts.pending &&
      mine.capabilities === parts.capabilities &&
      mine.loading === parts.loading &&
      mine.busy === parts.busy &&
      mine.queued === parts.queued &&
      mine.problem === parts.problem &&
      mine.usage === parts.usage &&
      mine.cost === parts.cost &&
      mine.state === parts.state
    );
  }
}
