// Sends prompts to the client one at a time, and follows each to its end.

import type { Clock } from "../core/clock.ts";
import {
  type AnyAgentwireError,
  ClosedError,
  ConnectionLostError,
  isAgentwireError,
} from "../core/errors.ts";
import type { TurnOutcome, TurnResult } from "../core/turn/turn.ts";
import type { AgentSource, UniversalOptions } from "../universal/stream.ts";
import { describeError } from "../universal/words/describe-error.ts";
import { ActivePrompt } from "./active-prompt.ts";
import type { ChatBackend } from "./backend.ts";
import type { Branches } from "./branches.ts";
import type { ConnectionChange } from "./connection.ts";
import type { Memory } from "./memory.ts";
import { toInput } from "./prompt.ts";
import type { HeldPrompt, PromptQueue, QueueHost } from "./queue.ts";
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
  readonly #host: TurnsHost;
  readonly #queue: PromptQueue;
  readonly #memory: Memory;
  readonly #backend: ChatBackend;
  readonly #branches: Branches;
  #active: ActivePrompt | undefined;
  /** Whether the store is checking which chat may send the next prompt. */
  #isClaiming = false;
  #isOpen = false;

  constructor(setup: SenderSetup) {
    this.#setup = setup;
    this.#host = setup.host;
    this.#queue = setup.queue;
    this.#memory = setup.memory;
    this.#backend = setup.backend;
    this.#branches = setup.branches;
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
    this.#branches.end();
  }

  /** Sends the next prompt, if the chat may send one. */
  pump(): void {
    const { log } = this.#host;
    while (this.#isOpen && !this.#active && !this.#isClaiming && !this.#memory.isLost) {
      const job = this.#queue.next;
      if (!job) break;
      if (log && this.#queue.isShared(job)) void this.#claim(job, log);
      else this.#start(job);
    }
    this.#setup.onChange();
  }

  /** Sends a stored prompt, unless another chat has claimed it first. */
  async #claim(job: HeldPrompt, log: ChatLog): Promise<void> {
    this.#isClaiming = true;
    this.#queue.claim(job);
    const isSender = await log.isSender(job.id);
    if (!this.#isOpen) return;
    this.#isClaiming = false;
    const claimed = this.#queue.jobs.find(({ id }) => id === job.id);
    if (claimed && !this.#queue.isShared(claimed)) {
      if (isSender === false) {
        this.#queue.drop(claimed);
        this.end(claimed, { status: "cancelled" });
      } else if (isSender === undefined && claimed.isLoaded) {
        this.#queue.unclaim(claimed);
        this.#queue.hold(claimed); // another chat may have sent it
      } else if (this.#memory.isLost) this.#queue.unclaim(claimed);
    }
    this.pump();
  }

  #start(job: HeldPrompt): void {
    const recap = this.#branches.needsRecap(job.branch)
      ? recapOf(this.#host.timeline.before(job.branch && { ...job.branch, isEdit: true }))
      : "";
    const active = new ActivePrompt(job, recap !== "");
    this.#active = active;
    try {
      this.#backend.open();
      if (this.#memory.isLost) {
        this.#active = undefined; // the backend has forgotten the conversation: the prompt waits for `resume`
        return;
      }
      const branch = job.branch ? { branchOf: this.#branches.begin(job.branch) } : {};
      this.#queue.start(job);
      const shown = active.hasRecap ? { shown: toInput(job.prompt) } : {};
      const turn = this.#backend.prompt({
        input: toInput(job.prompt, recap),
        key: job.id,
        ...branch,
        ...shown,
      });
      if (!turn) {
        this.#active = undefined; // the same, found only after a closed client was replaced
        this.#branches.end();
        this.#queue.giveBack(job);
        return;
      }
      this.#memory.recapMade();
      if (active.hasRecap) this.#branches.recapMade(job);
      this.#queue.started(job);
      turn.outcome.then(
        (outcome) => this.#ended(active, outcome),
        (thrown: unknown) => this.#ended(active, undefined, thrown),
      );
      active.began(turn);
    } catch (thrown) {
      this.#active = undefined;
      const error = asError(thrown);
      if (error.code === "context-lost") this.#setup.onForgotten();
      this.#branches.end();
      if (this.#memory.isLost) {
        this.#queue.giveBack(job);
        return;
      }
      this.#queue.take(job);
      this.#fail(job, error);
    }
  }

  #ended(active: ActivePrompt, outcome: TurnOutcome<TurnResult> | undefined, thrown?: unknown): void {
    if (this.#active !== active) return; // the chat was closed
    this.#active = undefined;
    const error = outcome?.status === "failed" ? outcome.error : outcome ? undefined : asError(thrown);
    if (error?.code === "context-lost") this.#setup.onForgotten();
    const isCompleted = outcome?.status === "completed";
    if (isCompleted) this.#memory.told();
    const wasSent = isCompleted || (active.wasSent && error?.delivery !== "not-sent");
    if (active.hasRecap && !wasSent) this.#memory.needRecap();
    else this.#memory.keep(this.#backend.state);
    this.#settle(active.job, outcome?.status ?? "failed", error);
    this.#branches.end();
    this.pump();
  }

  /** Shows the end of a prompt without events: it was not sent, or its source reports no events. */
  #settle(
    job: HeldPrompt,
    status: "completed" | "cancelled" | "failed",
    error: AnyAgentwireError | undefined,
  ): void {
    const { timeline } = this.#host;
    if (error && (error.delivery === "not-sent" || timeline.isWaiting(job.id))) this.#fail(job, error);
    else if (timeline.isWaiting(job.id))
      timeline.end(job.id, {
        status: status === "completed" ? "sent" : "cancelled",
        endedAt: this.#host.clock.wallTime(),
      });
  }

  /** Ends all prompts that the client does not have. @param isKept whether a later chat can send them */
  handBack(error: ClosedError, isKept: boolean): void {
    const { jobs, anew } = this.#queue;
    if (isKept) this.#host.view.unsent = jobs.map(({ id }) => id);
    for (const job of anew ? [anew, ...jobs] : jobs) {
      if (job === this.#active?.job) continue;
      if (!isKept || job === anew) this.#queue.take(job);
      this.#fail(job, error);
    }
    if (isKept) this.#queue.clear();
  }

  #fail(job: HeldPrompt, error: AnyAgentwireError): void {
    job.error = error;
    if (job.branch?.isEdit === false) this.#host.onFailed(error);
    this.end(job, { status: "failed", error: describeError(error), endedAt: this.#host.clock.wallTime() });
    this.#host.view.changed();
  }

  /** Shows the end of a prompt. */
  end(job: HeldPrompt, end: UnreportedEnd): void {
    this.#host.timeline.end(job.id, end);
    if (job.branch) this.#host.timeline.keepReplaced();
  }
}

function asError(thrown: unknown): AnyAgentwireError {
  if (isAgentwireError(thrown)) return thrown;
  return new ConnectionLostError("the prompt could not be sent", { cause: thrown, delivery: "unknown" });
}
