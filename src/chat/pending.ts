// The approvals and questions that wait for the user.
import { defined, isObject } from "../core/checks.ts";
import type { AnyAgentClient } from "../core/client/any-client.ts";
import type { PendingRequest, Question } from "../core/values.ts";
import type { Json, ToolPreview, UniversalEvent, UniversalQuestion } from "../universal/events.ts";

/** A request that waits for the user. */
export type ChatPending =
  | {
      readonly type: "approval";
      /** Goes to `chat.decide`. Unique over all clients of the chat, and over all chats. */
      readonly id: string;
      /** The name of the tool. */
      readonly tool: string;
      /** As the backend sent it. */
      readonly input: unknown;
      /**
       * What a decision for the turn or the session covers, in words: "`npm test` in the project". Absent: the call can only be allowed once.
       * The words quote the agent: print them by `reveal`, so that nothing in them is hidden.
       */
      readonly grant?: string;
      /** The name of the sub-agent that asks. Absent: the main agent, or the backend does not say. */
      readonly agent?: string;
      /** What the call would change, if that can be told. Text of files and of the agent: print it by `reveal`. */
      readonly preview?: readonly ToolPreview[];
    }
  | {
      readonly type: "question";
      /** Goes to `chat.answer`. Unique over all clients of the chat, and over all chats. */
      readonly id: string;
      readonly questions: readonly UniversalQuestion[];
    };

/** Nothing waits. */
export const NO_PENDING: readonly ChatPending[] = [];

/** Requests that were told of and not looked at. At so many, those that have ended are forgotten, although nobody has looked. */
const MAX_UNREAD = 1_024;

/** A request that an event has told of. `shown` is made when it is first looked at. */
interface Told {
  readonly id: string;
  /** Of an approval. The event keeps its limits, whatever the client has. */
  readonly preview?: readonly ToolPreview[] | undefined;
  shown?: ChatPending;
}

/**
 * The requests of one client that wait for the user. Users see the ids of the universal events: a client's own id may be that of another
 * request under the next client.
 */
export class Requests {
  readonly #client: Pick<AnyAgentClient, "pending">;
  /** By the ids at the client. */
  #told = new Map<string, Told>();
  /** The ids at the client of what is shown, by the ids that are shown. */
  #requestIds = new Map<string, string>();
  #list = NO_PENDING;
  #isStale = false;

  constructor(client: Pick<AnyAgentClient, "pending">) {
    this.#client = client;
  }

  /** Requests may have opened or ended. */
  changed(): void {
    this.#isStale = true;
  }

  /** An event of the client's conversation: a request was told of. */
  told(event: UniversalEvent): void {
    if (event.type === "permission.requested") {
      const { permission_id: id, metadata, preview } = event.data;
      this.#add({ id, preview }, metadata);
    }
    if (event.type === "question.requested") this.#add({ id: event.data.question_id }, event.data.metadata);
  }

  /**
   * What waits, by the client's word, oldest first. A request that no event has told of yet is not shown yet. What has not changed is the
   * same object as before. After a change the client is asked once: it makes a list of all its requests at each read.
   */
  get list(): readonly ChatPending[] {
    if (!this.#isStale) return this.#list;
    this.#isStale = false;
    const before = this.#list;
    const now = this.#look();
    const isSame = now.length === before.length && now.every((pending, at) => pending === before[at]);
    if (!isSame) this.#list = now.length === 0 ? NO_PENDING : now;
    return this.#list;
  }

  /** The id at the client of a request that waits. */
  requestOf(id: string): string | undefined {
    return this.list.length === 0 ? undefined : this.#requestIds.get(id);
  }

  #look(): readonly ChatPending[] {
    const told = this.#told;
    const list: ChatPending[] = [];
    this.#told = new Map();
    this.#requestIds = new Map();
    for (const request of this.#client.pending) {
      const of = told.get(request.id);
      if (!of) continue;
      of.shown ??= shown(of, request);
      list.push(of.shown);
      this.#told.set(request.id, of);
      this.#requestIds.set(of.id, request.id);
    }
    return list;
  }

  /** @param metadata of the event: it has the id at the client, but for sources that use one id for both */
  #add(told: Told, metadata: Json | undefined): void {
    const requestId = isObject(metadata) ? metadata["request_id"] : undefined;
    if (this.#told.size >= MAX_UNREAD) this.#look();
    this.#told.set(typeof requestId === "string" ? requestId : told.id, told);
    this.#isStale = true;
  }
}

function shown({ id, preview }: Told, request: PendingRequest): ChatPending {
  if (request.type === "question")
    return { type: "question", id, questions: request.question.questions.map(asUniversal) };
  const { name: tool, input, grant, agent } = request.call;
  return { type: "approval", id, tool, input, ...defined({ grant, agent, preview }) };
}

/** The form that the parts of messages have too, so that a UI shows both with the same code. */
function asUniversal({ multiSelect, ...question }: Question["questions"][number]): UniversalQuestion {
  return { ...question, multi_select: multiSelect };
}
