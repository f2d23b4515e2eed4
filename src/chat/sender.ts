// Sends prompts to the client one at a time, and follows each to its end.
import type { AnyTurn } from "../core/client/any-client.ts";
import type { Clock } from "../core/clock.ts";
import {
  type AnyAgentwireError,
  ClosedError,
  ConnectionLostError,
  isAgentwireError,
} from "../core/errors.ts";
import type { TurnOutcome, TurnResult } from "../core/turn/turn.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { AgentSource, UniversalOptions } from "../universal/stream.ts";
import { describeError } from "../universal/words/describe-error.ts";
import type { ChatBackend } from "./backend.ts";
import type { Branches } from "./branches.ts";
import type { ConnectionChange } from "./connection.ts";
import type { Memory } from "./memory.ts";
import { toInput } from "./prompt.ts";
import type { PromptJob, PromptQueue, QueueHost } from "./queue.ts";
import { recapOf } from "./saving/recap.ts";
import type { ChatLog } from "./store/chat-log.ts";
import type { Timeline, UnreportedEnd } from "./timeline.ts";
import type { View } from "./view.ts";

export interface TurnsHost extends QueueHost {
  readonly source: AgentSource;
  readonly universal: UniversalOptions;
  readonly clock: Pick<Clock, "wallTime">;
  readonly timeline: Timeline;
  readonly view: View;
  /** Only with a store. */
  readonly log: ChatLog | undefined;
  onConnection(change: ConnectionChange): void;
  onReplay(isReplaying: boolean): void;
  onReset(saved: unknown): void;
  /** Another branch is shown: `shown` is the first message of it, `hidden` that of the last one. */
  onBranch(hidden: string, shown: string): void;
  /** A prompt without a message of its own could not be sent. */
  onFailed(error: AnyAgentwireError): void;
}

export interface SenderSetup {
  readonly host: TurnsHost;
  readonly queue: PromptQueue;
  readonly memory: Memory;
  readonly backend: ChatBackend;
  readonly branches: Branches;
  onForgotten(): void;
  /** Whether the chat is busy may have changed. */
  onChange(): void;
}

/** Sends prompts to the client one at a time, and follows each to its end. */
export class Sender {
  readonly #setup: SenderSetup;
  #active: ActivePrompt | undefined;
  /** Whether the store is checking which chat may send the next prompt. */
  #isClaiming = false;
  #isOpen = false;

  constructor(setup: SenderSetup) {
    this.#setup = setup;
  }

  /** The prompt that the client is working on. */
  get active(): ActivePrompt | undefined {
    return this.#active;
  }

  get isBusy(): boolean {
    return this.#active !== undefined || this.#isClaiming;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Sends no more prompts. */
  stop(): void {
    this.#isOpen = false;
    this.#isClaiming = false;
  }

  /** Ends the active prompt, because a closed client reports nothing more. */
  close(): void {
    const active = this.#active;
    this.#active = undefined;
    if (active) this.#settle(active.job, "failed", new ClosedError("the chat was closed while the turn ran"));
    this.#setup.branches.end();
  }

  /** Sends the next prompt, if the chat may send one. */
  pump(): void {
    const { host, queue, memory } = this.#setup;
    while (this.#isOpen && !this.#active && !this.#isClaiming && !memory.isLost) {
      const job = queue.next;
      if (!job) break;
      if (host.log && queue.isShared(job)) void this.#claim(job, host.log);
      else this.#start(job);
    }
    this.#setup.onChange();
  }

  /** Sends a stored prompt, unless another chat has claimed it first. */
  async #claim(job: PromptJob, log: ChatLog): Promise<void> {
    const { queue, memory } = this.#setup;
    this.#isClaiming = true;
    queue.claim(job);
    const isSender = await log.isSender(job.id);
    if (!this.#isOpen) return;
    this.#isClaiming = false;
    const claimed = queue.jobs.find(({ id }) => id === job.id);
    if (claimed && !queue.isShared(claimed)) {
      if (isSender === false) {
        queue.drop(claimed);
        this.end(claimed, { status: "cancelled" });
      } else if (isSender === undefined && claimed.isLoaded) {
        queue.unclaim(claimed);
        queue.hold(claimed); // another chat may have sent it
      } else if (memory.isLost) queue.unclaim(claimed);
    }
    this.pump();
  }

  #start(job: PromptJob): void {
    const { host, queue, memory, backend, branches } = this.#setup;
    const recap = branches.needsRecap(job.branch)
      ? recapOf(host.timeline.before(job.branch && { ...job.branch, isEdit: true }))
      : "";
    const active = new ActivePrompt(job, recap !== "");
    this.#active = active;
    try {
      backend.open();
      if (memory.isLost) {
        this.#active = undefined; // the backend has forgotten the conversation: the prompt waits for `resume`
        return;
      }
      const branch = job.branch ? { branchOf: branches.begin(job.branch) } : {};
      queue.start(job);
      const shown = active.hasRecap ? { shown: toInput(job.prompt) } : {};
      const turn = backend.prompt({
        input: toInput(job.prompt, recap),
        key: job.id,
        ...branch,
        ...shown,
      });
      if (!turn) {
        this.#active = undefined; // the same, found only after a closed client was replaced
        branches.end();
        queue.giveBack(job);
        return;
      }
      memory.recapMade();
      if (active.hasRecap) branches.recapMade(job);
      queue.started(job);
      turn.outcome.then(
        (outcome) => this.#ended(active, outcome),
        (thrown: unknown) => this.#ended(active, undefined, thrown),
      );
      active.began(turn);
    } catch (thrown) {
      this.#active = undefined;
      const error = asError(thrown);
      if (error.code === "context-lost") this.#setup.onForgotten();
      branches.end();
      if (memory.isLost) {
        queue.giveBack(job);
        return;
      }
      queue.take(job);
      this.#fail(job, error);
    }
  }

  #ended(active: ActivePrompt, outcome: TurnOutcome<TurnResult> | undefined, thrown?: unknown): void {
    const { memory, backend, branches } = this.#setup;
    if (this.#active !== active) return; // the chat was closed
    this.#active = undefined;
    const error = outcome?.status === "failed" ? outcome.error : outcome ? undefined : asError(thrown);
    if (error?.code === "context-lost") this.#setup.onForgotten();
    const isCompleted = outcome?.status === "completed";
    if (isCompleted) memory.told();
    const wasSent = isCompleted || (active.wasSent && error?.delivery !== "not-sent");
    if (active.hasRecap && !wasSent) memory.needRecap();
    else memory.keep(backend.state);
    branches.end();
    if (error?.code === "context-lost" && error.delivery === "not-sent" && memory.isLost) {
      this.#setup.queue.giveBack(active.job); // waits for `resume`
      this.#setup.queue.keep(active.job);
    } else this.#settle(active.job, outcome?.status ?? "failed", error);
    this.pump();
  }

  /** Shows the end of a prompt without events: it was not sent, or its source reports no events. */
  #settle(
    job: PromptJob,
    status: TurnOutcome<TurnResult>["status"],
    error: AnyAgentwireError | undefined,
  ): void {
    const { timeline, clock } = this.#setup.host;
    const isWaiting = timeline.isWaiting(job.id);
    const shown = status === "completed" ? "sent" : "cancelled";
    if (error && (error.delivery === "not-sent" || isWaiting)) this.#fail(job, error);
    else if (isWaiting) timeline.end(job.id, { status: shown, endedAt: clock.wallTime() });
  }

  /** Ends all prompts that the client does not have. @param isKept whether a later chat can send them */
  handBack(error: ClosedError, isKept: boolean): void {
    const { host, queue } = this.#setup;
    const { jobs, anew } = queue;
    if (isKept) host.view.unsent = jobs.map(({ id }) => id);
    for (const job of anew ? [anew, ...jobs] : jobs) {
      if (job === this.#active?.job) continue;
      if (!isKept || job === anew) queue.take(job);
      this.#fail(job, error);
    }
    if (isKept) queue.clear();
  }

  #fail(job: PromptJob, error: AnyAgentwireError): void {
    const { host } = this.#setup;
    job.error = error;
    if (job.branch?.isEdit === false) host.onFailed(error);
    this.end(job, { status: "failed", error: describeError(error), endedAt: host.clock.wallTime() });
    host.view.changed();
  }

  /** Shows the end of a prompt. */
  end(job: PromptJob, end: UnreportedEnd): void {
    const { host } = this.#setup;
    host.timeline.end(job.id, end);
    if (job.branch) host.timeline.keepReplaced();
  }
}

function asError(thrown: unknown): AnyAgentwireError {
  if (isAgentwireError(thrown)) return thrown;
  return new ConnectionLostError("the prompt could not be sent", { cause: thrown, delivery: "unknown" });
}

/** The prompt that the client is working on, from `prompt()` to the end of its turn. */
class ActivePrompt {
  readonly job: PromptJob;
  /** Whether the recap of the transcript precedes the prompt. */
  readonly hasRecap: boolean;
  /** Undefined until the client's `prompt()` has returned. */
  #turn: AnyTurn | undefined;
  /** Whether `cancel()` was called, perhaps before the turn existed. */
  #isCancelled = false;
  #told: "nothing" | "sent" | "unsent" = "nothing";

  constructor(job: PromptJob, hasRecap: boolean) {
    this.job = job;
    this.hasRecap = hasRecap;
  }

  /** Whether `turn.started` has reported this prompt as sent. */
  get wasSent(): boolean {
    return this.#told === "sent";
  }

  /** Whether the current events belong to a turn that was never sent. The chat shows none of them. */
  get isUnsent(): boolean {
    return this.#told === "unsent";
  }

  began(turn: AnyTurn): void {
    this.#turn = turn;
    if (this.#isCancelled) this.cancel();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#turn?.cancel().catch(() => {}); // the turn's outcome reports how it ended
  }

  /** Reads the events that start and end turns. */
  see(event: Extract<UniversalEvent, { readonly type: "turn.started" | "turn.ended" }>): void {
    if (event.type === "turn.ended") {
      if (this.isUnsent) this.#told = "nothing";
    } else if (event.data.metadata?.prompt_id === this.job.id)
      this.#told = this.#hasStopped ? "unsent" : "sent";
  }

  /** Whether the turn failed or was cancelled before its first event. Such a turn is never sent. */
  get #hasStopped(): boolean {
    const status = this.#turn?.status;
    return status === "cancelling" || status === "cancelled" || status === "failed";
  }
}
