import type { AnyAgentClient } from "../core/client/any-client.ts";
import type { Clock } from "../core/clock.ts";
import {
  type AnyAgentwireError,
  ClosedError,
  ConnectionLostError,
  isAgentwireError,
} from "../core/errors.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { TurnOutcome, TurnResult } from "../core/turn/turn.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { AgentSource, UniversalOptions } from "../universal/stream.ts";
import { describeError } from "../universal/words/describe-error.ts";
import { ActivePrompt, type Job } from "./active-prompt.ts";
import { Backend } from "./backend.ts";
import type { ConnectionChange } from "./connection.ts";
import { Memory } from "./memory.ts";
import type { Requests } from "./pending.ts";
import { type ChatPrompt, toInput } from "./prompt.ts";
import { recapOf } from "./saving/recap.ts";
import type { SessionHost } from "./session.ts";
import type { Timeline } from "./timeline.ts";

export interface TurnsHost {
  readonly source: AgentSource;
  readonly universal: UniversalOptions;
  readonly clock: Pick<Clock, "wallTime">;
  readonly timeline: Timeline;
  onEvent(event: UniversalEvent): void;
  onConnection(change: ConnectionChange): void;
  changed(): void;
}

/** The prompts of a chat. The client gets one at a time; the others wait here, so that they outlive a client. */
export class Turns implements SessionHost {
  readonly clock: Pick<Clock, "wallTime">;
  readonly #host: TurnsHost;
  readonly #waiting = new Map<string, Job>();
  readonly #memory: Memory;
  readonly #backend: Backend;
  #active: ActivePrompt | undefined;
  #isOpen = false;
  /** Whether the chat connects as soon as it is open. */
  #connectsAtOnce = false;

  /** @param state what the backend's conversation goes on from */
  constructor(host: TurnsHost, state: ConversationState | undefined) {
    this.#host = host;
    this.clock = host.clock;
    this.#memory = new Memory(state);
    this.#backend = new Backend(host.source, host.universal, this, this.#memory);
  }

  get client(): AnyAgentClient | undefined {
    return this.#backend.client;
  }

  get requests(): Requests | undefined {
    return this.#backend.requests;
  }

  get isBusy(): boolean {
    return this.#active !== undefined;
  }

  /** Prompts that the client does not have yet. */
  get queued(): number {
    return this.#waiting.size;
  }

  /** What a later chat goes on from. */
  get state(): ConversationState | undefined {
    return this.#memory.state;
  }

  /** Makes the client. @throws what the source throws */
  make(): void {
    this.#backend.make();
  }

  /**
   * Begins the conversation, and sends what waits.
   * @param hasContext whether prompts were sent before
   * @throws what the source throws
   */
  open(hasContext: boolean): void {
    if (hasContext) this.#memory.told();
    this.#isOpen = true;
    try {
      if (this.#connectsAtOnce) this.#backend.connect();
      else this.#backend.open();
    } finally {
      this.#pump();
    }
  }

  /** Sends a prompt, now or later. Returns the error of a prompt that cannot be sent. */
  send(id: string, prompt: ChatPrompt): AnyAgentwireError | undefined {
    const job: Job = { id, prompt };
    this.#waiting.set(id, job);
    this.#pump();
    return job.error;
  }

  /**
   * Connects now; as soon as the store has been read, if it is still being read.
   * @throws what the source and the client throw
   */
  connect(): void {
    if (this.#isOpen) this.#backend.connect();
    else this.#connectsAtOnce = true;
  }

  cancelTurn(): void {
    const active = this.#active;
    if (!active) return;
    active.isCancelled = true;
    active.turn?.cancel().catch(() => {}); // the outcome tells how the turn has ended
  }

  /** Takes the waiting prompts back. */
  cancelWaiting(): void {
    for (const { id } of this.#waiting.values()) this.#host.timeline.end(id, { status: "cancelled" });
    this.#waiting.clear();
    this.#host.changed(); // without a turn nothing else tells of it
  }

  /** Goes on after the backend has forgotten the conversation. Does nothing if it has not. */
  resume(withTranscript: boolean): void {
    if (!this.#memory.resume(withTranscript)) return;
    this.#host.onConnection({ type: "context", lost: false });
    this.#pump();
  }

  /** Hands back what was never sent, and closes the client. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#handBack(
      new ClosedError("the chat was closed before the prompt was sent", { delivery: "not-sent" }),
    );
    try {
      await this.#backend.close();
    } finally {
      const active = this.#active;
      this.#active = undefined;
      if (active)
        this.#settle(active.job, "failed", new ClosedError("the chat was closed while the turn ran"));
    }
  }

  onEvent(event: UniversalEvent): void {
    const active = this.#active;
    const { timeline } = this.#host;
    const shows = active?.see(event) ?? "other";
    if (active && shows === "prompt") {
      this.#memory.told();
      timeline.foldPrompt(event, active.job.id);
    } else if (shows === "other") timeline.fold(event);
    this.#host.onEvent(event);
    this.#host.changed();
  }

  onConnection(change: ConnectionChange): void {
    this.#host.onConnection(change);
  }

  onRequests(): void {
    this.#host.changed();
  }

  onForgotten(): void {
    this.#backend.forget();
    if (this.#memory.forget()) this.#host.onConnection({ type: "context", lost: true });
  }

  onGivenUp(): void {
    if (this.#memory.isLost) return; // the prompts wait for the user's choice
    const cause = this.client?.closedBy;
    const options = { delivery: "not-sent", cause } as const;
    this.#handBack(new ClosedError("the connection ended for good before the prompt was sent", options));
  }

  #pump(): void {
    while (this.#isOpen && !this.#active && !this.#memory.isLost) {
      const [job] = this.#waiting.values();
      if (!job) break;
      this.#start(job);
    }
    this.#host.changed();
  }

  #start(job: Job): void {
    const active = new ActivePrompt(job);
    this.#active = active;
    try {
      const turn = this.#backend.prompt(() => {
        const recap = this.#memory.needsRecap ? recapOf(this.#host.timeline.told) : "";
        active.hasRecap = recap !== "";
        const shown = recap === "" ? {} : { shown: toInput(job.prompt) };
        return { input: toInput(job.prompt, recap), key: job.id, ...shown };
      });
      if (!turn) {
        this.#active = undefined; // the backend has forgotten: the prompt waits for the user's choice
        return;
      }
      active.turn = turn;
      this.#memory.recapMade();
      this.#waiting.delete(job.id);
      turn.outcome.then(
        (outcome) => this.#ended(active, outcome),
        (thrown: unknown) => this.#ended(active, undefined, thrown),
      );
      if (active.isCancelled) this.cancelTurn();
    } catch (thrown) {
      this.#active = undefined;
      const error = asError(thrown);
      if (error.code === "context-lost") this.onForgotten();
      if (this.#memory.isLost) return;
      this.#waiting.delete(job.id);
      this.#fail(job, error);
    }
  }

  #ended(active: ActivePrompt, outcome: TurnOutcome<TurnResult> | undefined, thrown?: unknown): void {
    if (this.#active !== active) return; // the chat was closed
    this.#active = undefined;
    const error = outcome?.status === "failed" ? outcome.error : outcome ? undefined : asError(thrown);
    if (error?.code === "context-lost") this.onForgotten();
    const isCompleted = outcome?.status === "completed";
    if (isCompleted) this.#memory.told();
    const wasSent = isCompleted || (active.wasShown && error?.delivery !== "not-sent");
    if (active.hasRecap && !wasSent) this.#memory.recapFailed();
    else this.#memory.keep(this.#backend.state);
    this.#settle(active.job, outcome?.status ?? "failed", error);
    this.#pump();
  }

  /** The events show how a turn ended, but for a prompt that never left, and a source that tells nothing. */
  #settle(
    job: Job,
    status: "completed" | "cancelled" | "failed",
    error: AnyAgentwireError | undefined,
  ): void {
    const { timeline } = this.#host;
    if (error && (error.delivery === "not-sent" || timeline.isWaiting(job.id))) this.#fail(job, error);
    else if (timeline.isWaiting(job.id))
      timeline.end(job.id, {
        status: status === "completed" ? "sent" : "cancelled",
        endedAt: this.clock.wallTime(),
      });
  }

  #handBack(error: ClosedError): void {
    const jobs = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const job of jobs) if (job !== this.#active?.job) this.#fail(job, error);
  }

  #fail(job: Job, error: AnyAgentwireError): void {
    job.error = error;
    this.#host.timeline.end(job.id, {
      status: "failed",
      error: describeError(error),
      endedAt: this.clock.wallTime(),
    });
    this.#host.changed();
  }
}

function asError(thrown: unknown): AnyAgentwireError {
  if (isAgentwireError(thrown)) return thrown;
  return new ConnectionLostError("the prompt could not be sent", { cause: thrown, delivery: "unknown" });
}
