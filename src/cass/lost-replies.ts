// Which lost turns are searched for over REST, and which replies may still be stored at any time.
import type { AgentwireError } from "../core/errors.ts";
import { Recent } from "../core/recent.ts";
import { Table } from "../core/table.ts";
import type { CassCore } from "./events.ts";
import { type CassJob, complete, isAlike, matchText, type SentTurn } from "./job.ts";
import type { CassSettings } from "./options.ts";
import { type FoundReply, Recovery } from "./recovery.ts";
import type { RestHost } from "./rest/host.ts";
import { CassRest } from "./rest/rest.ts";
import type { ReceivedTime } from "./server-time.ts";
import { recoveredReply } from "./turn.ts";
import type { CassWire } from "./wire.ts";

/** The number of remembered messages of turns whose late replies must not be taken for another turn's. */
const LEFT_BEHIND = 64;

/** Concurrent searches: each one calls REST repeatedly. Further lost turns fail at once. */
const MAX_SEARCHES = 32;

interface LostRepliesSetup {
  readonly settings: CassSettings;
  readonly wire: CassWire;
  readonly rest: RestHost;
  readonly core: CassCore;
}

/**
 * The replies of turns whose connection was lost. A server stores a reply before it sends it, perhaps after the loss. With the option
 * `recover`, the client searches for some of the replies; the others may be stored at any time.
 *
 * 1. When a prompt is sent, `job` notes the server's latest timestamp: see `ServerTimes`.
 * 2. The connection ends. The turn leaves the line, and its status is `recovering`. The queue goes on over the next connection. A
 *    prompt with the same text in the same conversation waits, because its answer could not be told apart.
 * 3. `recovery` reads the last messages over REST: at once, then after 1 s, 2 s, 4 s, up to 30 s. It looks for the user's last
 *    message with the same text, newer than the noted timestamp, and an answer directly after it. Between both timestamps not much
 *    more time may lie than has passed here: after the server's clock has gone back, messages from before then look new.
 * 4. A found answer completes the turn with `recovered: true`. After `recoverTimeout` the turn fails with the error of the lost link.
 *    A cancel or `close()` ends the search.
 */
export class LostReplies {
  readonly #setup: LostRepliesSetup;
  readonly #recovery: Recovery;
  readonly #over: () => void;
  readonly #recovering = new Table<CassJob, true>();
  /** The texts of turns whose replies are not searched for. */
  readonly #leftBehind = new Recent<string, true>(LEFT_BEHIND);

  /** `over` is called after each search. */
  constructor(setup: LostRepliesSetup, over: () => void) {
    const { rest, core, settings } = setup;
    this.#setup = setup;
    this.#over = over;
    const userId = (): string | undefined => rest.credentials.userId;
    this.#recovery = new Recovery(new CassRest(rest), userId, core.clock, settings.recoverTimeout);
  }

  /** The lost turns whose replies can be found, and told apart from all other stored messages. */
  findable(lost: readonly (readonly [CassJob, SentTurn])[]): readonly CassJob[] {
    if (typeof this.#setup.wire.handshake.identity?.userId !== "string") return [];
    return lost
      .filter(
        ([job, { since }]) =>
          job.turn.open &&
          job.recover &&
          job.request.kind === "chat" &&
          since !== undefined &&
          !this.#leftBehind.get(matchText(job.request)) &&
          !lost.some(([other]) => other !== job && isAlike(other, job)),
      )
      .map(([job]) => job)
      .slice(0, MAX_SEARCHES - this.#recovering.size);
  }

  /** The client does not search for the reply to this turn. The server may still store the reply. */
  leave({ request }: CassJob): void {
    if (request.kind === "chat") this.#leftBehind.set(matchText(request), true);
  }

  /** Whether a search runs for a turn with the same text in the same conversation. That search could find the reply to this turn. */
  standInFor({ request, conversation }: CassJob): boolean {
    return [...this.#recovering.keys()].some(
      (lost) =>
        lost.request.message === request.message &&
        (lost.conversation.id ?? conversation.id) === (conversation.id ?? lost.conversation.id),
    );
  }

  /** Searches for the reply to a turn. Completes the turn with the reply, or fails the turn with `failure`. */
  search(job: CassJob, since: ReceivedTime, failure: AgentwireError): void {
    const { wire, core } = this.#setup;
    const { request, conversation } = job;
    const search = new AbortController();
    job.stage = { name: "recovering", search };
    this.#recovering.set(job, true);
    const lost = {
      message: request.message ?? "",
      conversationId: conversation.id ?? undefined,
      since: since.stamp,
      seenAt: since.at,
      userId: wire.handshake.identity?.userId ?? undefined,
    };
    job.turn.recovering();
    core.events.emit("recovering", job.turn);
    // The search calls the caller's `fetch` and token function.
    core.outbox.tell(() => {
      void this.#recovery
        .find(lost, search.signal)
        .then((found) => core.outbox.run(() => this.#ended(job, found, failure)));
    });
  }

  #ended(job: CassJob, found: FoundReply | undefined, failure: AgentwireError): void {
    const wasWanted = this.#recovering.delete(job);
    job.stage = { name: "over" };
    if (found) {
      this.#setup.wire.found(found.timestamp);
      job.conversation.id ??= found.conversation_id;
      complete(job, recoveredReply(found), found.text.length);
    } else {
      if (wasWanted) this.leave(job);
      job.turn.fail(failure);
    }
    this.#over();
  }

  /** The turn ends without its reply: stops the search. */
  giveUp(job: CassJob): void {
    if (job.stage.name !== "recovering") return;
    const { search } = job.stage;
    this.#recovering.delete(job);
    job.stage = { name: "over" };
    this.leave(job);
    search.abort(); // calls no code of the caller: `fetch` gets a separate signal
  }

  close(): void {
    for (const { stage } of this.#recovering.keys()) if (stage.name === "recovering") stage.search.abort();
    this.#recovering.clear();
  }
}
