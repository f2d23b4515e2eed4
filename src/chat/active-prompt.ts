// The one prompt that the client has, from its start to its end.
import type { AnyTurn } from "../core/client/any-client.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { Job } from "./queue.ts";

/** The prompt that the client has. */
export class ActivePrompt {
  readonly job: Job;
  /** Whether the transcript goes in front of the prompt. */
  readonly hasRecap: boolean;
  /** Undefined inside of the client's `prompt()`. */
  #turn: AnyTurn | undefined;
  /** Cancelled before there was a turn to cancel. */
  #isCancelled = false;
  #told: "nothing" | "sent" | "unsent" = "nothing";

  constructor(job: Job, hasRecap: boolean) {
    this.job = job;
    this.hasRecap = hasRecap;
  }

  /** Whether the events have told that the prompt was sent. */
  get wasSent(): boolean {
    return this.#told === "sent";
  }

  /** Whether the events tell now of a turn that was never sent. Nothing of it is shown: there is no answer. */
  get isUnsent(): boolean {
    return this.#told === "unsent";
  }

  began(turn: AnyTurn): void {
    this.#turn = turn;
    if (this.#isCancelled) this.cancel();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#turn?.cancel().catch(() => {}); // the outcome tells how the turn has ended
  }

  /** A turn has started, or ended. */
  see(event: Extract<UniversalEvent, { readonly type: "turn.started" | "turn.ended" }>): void {
    if (event.type === "turn.ended") {
      if (this.isUnsent) this.#told = "nothing";
    } else if (event.data.metadata?.prompt_id === this.job.id)
      this.#told = this.#hasStopped ? "unsent" : "sent";
  }

  /** Whether a turn that no event has told of can no more be sent. */
  get #hasStopped(): boolean {
    const status = this.#turn?.status;
    return status === "cancelling" || status === "cancelled" || status === "failed";
  }
}
