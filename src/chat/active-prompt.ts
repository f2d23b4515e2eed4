// The prompt that the client is working on.
import type { AnyTurn } from "../core/client/any-client.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { HeldPrompt } from "./queue.ts";

/** The prompt that the client is working on, from `prompt()` to the end of its turn. */
export class ActivePrompt {
  readonly job: HeldPrompt;
  /** Whether the recap of the transcript precedes the prompt. */
  readonly hasRecap: boolean;
  /** Undefined until the client's `prompt()` has returned. */
  #turn: AnyTurn | undefined;
  /** Whether `cancel()` was called, perhaps before the turn existed. */
  #isCancelled = false;
  #told: "nothing" | "sent" | "unsent" = "nothing";

  constructor(job: HeldPrompt, hasRecap: boolean) {
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
