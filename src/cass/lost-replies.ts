import type { AgentwireError } from "../core/errors.ts";
import { Recent } from "../core/recent.ts";
import type { CassCore } from "./events.ts";
import { complete, isAlike, type Job, wordsOf } from "./job.ts";
import type { FoundReply, Recovery } from "./recovery.ts";
import { recoveredReply } from "./turn.ts";
import type { Wire } from "./wire.ts";

/** Turns that a client remembers not to take the answer of for another's: more than are lost while a server works on one. */
const LEFT_BEHIND = 64;

/** Replies that are searched for at a time: each search asks over REST again and again. A turn that is lost besides them fails at once. */
const MAX_SEARCHES = 32;

export interface LostRepliesSetup {
  readonly wire: Wire;
  readonly recovery: Recovery;
  readonly core: CassCore;
}

/** The replies that lost connections left to the server: some are searched for, and others may turn up there at any time. */
export class LostReplies {
  readonly #setup: LostRepliesSetup;
  readonly #searches = new Map<Job, AbortController>();
  /** Words of the others. */
  readonly #leftBehind = new Recent<string, true>(LEFT_BEHIND);

  constructor(setup: LostRepliesSetup) {
    this.#setup = setup;
  }

  /** Those of the lost turns whose replies can be searched for, and told from all else that was said. */
  findable(lost: readonly Job[]): readonly Job[] {
    return lost.filter((job) => this.#mayFind(job, lost)).slice(0, MAX_SEARCHES - this.#searches.size);
  }

  #mayFind(job: Job, lost: readonly Job[]): boolean {
    const { turn, recover, request, since } = job;
    if (!turn.open || !recover || request.kind !== "chat" || since === undefined) return false;
    if (typeof this.#setup.wire.handshake.identity?.userId !== "string") return false;
    return (
      !this.#leftBehind.get(wordsOf(request)) && !lost.some((other) => other !== job && isAlike(other, job))
    );
  }

  /** Nobody searches for the reply to this turn, which the server may store all the same. */
  leave({ request }: Job): void {
    if (request.kind === "chat") this.#leftBehind.set(wordsOf(request), true);
  }

  /** The same words again, in the same conversation, could not be told from those whose reply is searched for. */
  standInFor({ request, conversation }: Job): boolean {
    return [...this.#searches.keys()].some(
      (lost) =>
        lost.request.message === request.message &&
        (lost.conversation.id ?? conversation.id) === (conversation.id ?? lost.conversation.id),
    );
  }

  /** Searches for the reply to a turn, which it ends with: or with `failure`, when there is none. Calls `over` once that is done. */
  search(job: Job, failure: AgentwireError, over: () => void): void {
    const { recovery, wire, core } = this.#setup;
    const { request, conversation, since = "" } = job;
    const search = new AbortController();
    this.#searches.set(job, search);
    const lost = {
      message: request.message ?? "",
      conversationId: conversation.id ?? undefined,
      since,
      userId: wire.handshake.identity?.userId ?? undefined,
    };
    const ended = (found: FoundReply | undefined): void => {
      const wasWanted = this.#searches.delete(job);
      if (found) {
        const { reply, timestamp, conversationId } = found;
        wire.note(timestamp); // what is lost from now on is newer
        conversation.id ??= conversationId;
        complete(job, recoveredReply(reply, conversationId), reply.content.length);
      } else {
        if (wasWanted) this.leave(job);
        job.turn.fail(failure);
      }
      over();
    };
    job.turn.recovering();
    core.events.emit("recovering", job.turn);
    // REST calls the caller's `fetch` and token function.
    core.outbox.tell(
      () => void recovery.find(lost, search.signal).then((found) => core.outbox.run(() => ended(found))),
    );
  }

  /** Nobody wants the reply to this turn any more. */
  giveUp(job: Job): void {
    const search = this.#searches.get(job);
    if (!search) return;
    this.#searches.delete(job);
    this.leave(job);
    search.abort(); // calls nobody: `fetch` has a signal of its own
  }

  close(): void {
    for (const search of this.#searches.values()) search.abort();
    this.#searches.clear();
  }
}
