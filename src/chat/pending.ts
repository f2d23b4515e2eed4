// The approvals and questions that wait for the user, and the calls that the user has allowed.
import { defined, isObject } from "../core/checks.ts";
import type { AnyAgentClient } from "../core/client/any-client.ts";
import type { Grant, PendingRequest, Question } from "../core/values.ts";
import type { Json, ToolPreview, UniversalEvent, UniversalQuestion } from "../universal/events.ts";
import type { TranscriptRequest } from "../universal/transcript/transcript.ts";

/** A request that waits for the user: an approval for `chat.decide`, or a question for `chat.answer`. */
export type ChatPending = TranscriptRequest;

/** A grant: later calls that the user has allowed. Belongs to the current client, and is never saved. */
export interface ChatGrant {
  /** The id for `chat.revoke`. Unique across all chats. */
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  /** What the grant covers, in words. The words quote the agent: print them with `reveal`. */
  readonly grant: string;
  /** When the grant ends. */
  readonly scope: "turn" | "session";
}

export const NO_APPROVALS: readonly ChatGrant[] = [];

const approvals = new WeakMap<readonly Grant[], readonly ChatGrant[]>();

/** The grants for a snapshot: the same list until the client's grants change. */
export function approvalsOf(grants: readonly Grant[] = NO_APPROVALS): readonly ChatGrant[] {
  if (grants.length === 0) return NO_APPROVALS;
  const list =
    approvals.get(grants) ?? grants.map(({ id, tool, grant, scope }) => ({ id, tool, grant, scope }));
  approvals.set(grants, list);
  return list;
}

export const NO_PENDING: readonly ChatPending[] = [];

/** The limit of announced requests that no snapshot has read. At the limit, ended ones are removed. */
const MAX_UNREAD = 1_024;

/** A request that an event has announced. `shown` is made at the first read. */
interface Told {
  readonly id: string;
  /** Only for approvals. Taken from the event, whose size limits always apply. */
  readonly preview?: readonly ToolPreview[] | undefined;
  shown?: ChatPending;
}

/** A client's requests that wait for the user. Shown by event id, because clients may reuse their ids. */
export class PendingRequests {
  readonly #client: Pick<AnyAgentClient, "pending" | "inbox">;
  /** Requests by the client's request id. */
  #told = new Map<string, Told>();
  /** From the shown id to the client's request id. */
  #requestIds = new Map<string, string>();
  #list = NO_PENDING;
  #isStale = false;

  constructor(client: Pick<AnyAgentClient, "pending" | "inbox">) {
    this.#client = client;
  }

  /** The client's requests may have changed. */
  changed(): void {
    this.#isStale = true;
  }

  /** Reads an event that announces a request. */
  told(event: UniversalEvent): void {
    if (event.type === "permission.requested") {
      const { permission_id: id, metadata, preview } = event.data;
      this.#add({ id, preview }, metadata);
    }
    if (event.type === "question.requested") this.#add({ id: event.data.question_id }, event.data.metadata);
  }

  /**
   * The pending requests, oldest first. A request is not listed before its event. Unchanged entries stay the same
   * objects. The client's list is read once per change, because each read builds a new list.
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

  /** The client's id of a pending request. */
  requestOf(id: string): string | undefined {
    return this.list.length === 0 ? undefined : this.#requestIds.get(id);
  }

  /** @param forgets whether the requests that are not listed by the client have ended for good */
  #look(forgets = !this.#client.inbox): readonly ChatPending[] {
    const told = this.#told;
    const list: ChatPending[] = [];
    this.#told = forgets ? new Map() : told; // an inbox may refuse a decision: then the request is listed again
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

  /** @param metadata of the event. Has the client's id as `request_id`, unless both ids are the same */
  #add(told: Told, metadata: Json | undefined): void {
    const requestId = isObject(metadata) ? metadata["request_id"] : undefined;
    if (this.#told.size >= MAX_UNREAD) this.#look(true);
    const isOwn = typeof requestId === "string" && !this.#client.inbox; // with an inbox, that is the id of another client
    this.#told.set(isOwn ? requestId : told.id, told);
    this.#isStale = true;
  }
}

function shown({ id, preview }: Told, request: PendingRequest): ChatPending {
  if (request.type === "question")
    return { type: "question", id, questions: request.question.questions.map(asUniversal) };
  const { name: tool, input, grant, agent } = request.call;
  return { type: "approval", id, tool, input, ...defined({ grant, agent, preview }) };
}

/** The same form as in message parts, so that a UI shows both with one component. */
function asUniversal({ multiSelect, ...question }: Question["questions"][number]): UniversalQuestion {
  return { ...question, multi_select: multiSelect };
}
