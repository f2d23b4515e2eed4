import type { AnyAgentClient } from "../core/client/any-client.ts";
import type { PendingRequest, Question } from "../core/values.ts";
import type { UniversalQuestion } from "../universal/events.ts";

/** A request that waits for the user. */
export type ChatPending =
  | {
      readonly type: "approval";
      /** Goes to `chat.decide`. */
      readonly id: string;
      /** The name of the tool. */
      readonly tool: string;
      /** As the backend sent it. */
      readonly input: unknown;
    }
  | {
      readonly type: "question";
      /** Goes to `chat.answer`. */
      readonly id: string;
      readonly questions: readonly UniversalQuestion[];
    };

/** The requests that wait for the user, and the ids of those that have ended. A client forgets them when it is replaced. */
export class Requests {
  readonly #settled = new Set<string>();
  /** What each open request was made of. */
  readonly #subjects = new WeakMap<ChatPending, object>();
  #open: readonly ChatPending[] = [];
  #isStale = false;

  /** Requests may have opened or ended. */
  changed(): void {
    this.#isStale = true;
  }

  settled(id: string): void {
    this.#settled.add(id);
  }

  /** What waits, by the client's word. After a change the client is asked once: it makes a list of all its requests at each read. */
  open(client: Pick<AnyAgentClient, "pending"> | undefined): readonly ChatPending[] {
    if (!this.#isStale) return this.#open;
    this.#isStale = false;
    const before = this.#open;
    this.#open = this.#pendingOf(client?.pending ?? [], before);
    const open = new Set(this.#open);
    for (const request of before) if (!open.has(request)) this.#settled.add(request.id);
    return this.#open;
  }

  /** Whether the request has ended. A new client may use the id of an old request again, so the open requests come first. */
  hasEnded(id: string, client: Pick<AnyAgentClient, "pending"> | undefined): boolean {
    return this.#settled.has(id) && !this.open(client).some((request) => request.id === id);
  }

  /** The open requests of a client, oldest first. What has not changed is the same object as before. */
  #pendingOf(requests: readonly PendingRequest[], before: readonly ChatPending[]): readonly ChatPending[] {
    const known = new Map(before.map((pending) => [pending.id, pending]));
    const now = requests.map((request) => {
      const same = known.get(request.id);
      if (same && this.#subjects.get(same) === subjectOf(request)) return same;
      const made = shown(request);
      this.#subjects.set(made, subjectOf(request));
      return made;
    });
    const isSame = now.length === before.length && now.every((pending, at) => pending === before[at]);
    return isSame ? before : now;
  }
}

/** The call or the question: another one may have the same id. */
function subjectOf(request: PendingRequest): object {
  return request.type === "approval" ? request.call : request.question;
}

function shown(request: PendingRequest): ChatPending {
  if (request.type === "question")
    return { type: "question", id: request.id, questions: request.question.questions.map(asUniversal) };
  const { name, input } = request.call;
  return { type: "approval", id: request.id, tool: name, input };
}

/** The form that the parts of messages have too, so that a UI shows both with the same code. */
function asUniversal({ multiSelect, ...question }: Question["questions"][number]): UniversalQuestion {
  return { ...question, multi_select: multiSelect };
}
