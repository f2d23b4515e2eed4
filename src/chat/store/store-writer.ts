// Appends the events of a chat to its store in order, and retries after a failure.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { ChatStoreError, isChatStoreError } from "../../universal/words/store-error.ts";
import type { ChatStore } from "./store.ts";

/** The limit of unsaved events: ten long answers, 20 MB. Over the limit, storing stops for good. */
export const MAX_UNSAVED_EVENTS = 50_000;

/** ms from a failure of the store to the next try. */
export const STORE_RETRY_DELAY = 5_000;

/** The longest wait in ms for a store: to close a chat, and to check a claimed prompt. */
export const MAX_STORE_WAIT = 2_000;

export interface StoreWriterSetup {
  readonly store: ChatStore;
  readonly id: string;
  readonly clock: Pick<Clock, "setTimeout">;
  readonly onFailed: (error: ChatStoreError) => void;
  /** The store has saved a batch. */
  readonly onSaved: () => void;
}

type State =
  | { readonly name: "idle" }
  | { readonly name: "due" }
  | { readonly name: "writing"; readonly done: Promise<void> }
  | { readonly name: "resting"; readonly cancel: CancelTimer }
  | { readonly name: "given-up" };

/**
 * Appends the events of a chat to its store in order. One append runs at a time, and the next one takes all events that
 * arrived meanwhile. A failed batch is retried. The store may then have an event twice, and readers skip the second.
 *
 *     idle ──add()──▶ due ──microtask──▶ writing ──no events left──▶ idle
 *                      ▲                  │    │
 *                      └─5 s─ resting ◀─failed └─too far behind, or closed──▶ given-up
 */
export class StoreWriter {
  readonly #setup: StoreWriterSetup;
  #waiting: UniversalEvent[] = [];
  #state: State = { name: "idle" };

  constructor(setup: StoreWriterSetup) {
    this.#setup = setup;
  }

  add(event: UniversalEvent): void {
    if (this.#state.name === "given-up") return;
    this.#waiting.push(event);
    if (this.#waiting.length > MAX_UNSAVED_EVENTS) {
      // Writes nothing more: a gap in the log would be worse than an early end.
      this.#giveUp(
        `the store is ${MAX_UNSAVED_EVENTS} events behind: later events of this chat are not stored`,
      );
    } else if (this.#state.name === "idle") {
      this.#state = { name: "due" };
      queueMicrotask(() => {
        if (this.#state.name === "due") this.#begin();
      });
    }
  }

  /** Writes the waiting events. Returns whether the store has saved all of them. */
  async flush(): Promise<boolean> {
    if (this.#state.name === "due") this.#begin();
    if (this.#state.name === "writing") await this.#state.done;
    return this.#state.name === "idle";
  }

  /** Writes the remaining events, within `MAX_STORE_WAIT` ms. */
  async close(): Promise<void> {
    if (this.#state.name === "resting") this.#state.cancel();
    if (this.#state.name === "resting" || this.#state.name === "due") this.#begin();
    const { done } = this.#state.name === "writing" ? this.#state : {};
    if (!done) return;
    let cancel: CancelTimer = () => {};
    const tooLate = new Promise<void>((resolve) => {
      cancel = this.#setup.clock.setTimeout(() => {
        this.#giveUp(`the store did not save the last events of the chat within ${MAX_STORE_WAIT} ms`);
        resolve();
      }, MAX_STORE_WAIT);
    });
    await Promise.race([done, tooLate]);
    cancel();
    this.#rest()?.cancel();
    this.#state = { name: "given-up" };
  }

  #rest(): { readonly cancel: CancelTimer } | undefined {
    return this.#state.name === "resting" ? this.#state : undefined;
  }

  #begin(): void {
    this.#state = { name: "writing", done: this.#write() };
  }

  async #write(): Promise<void> {
    const { store, id, onFailed, onSaved } = this.#setup;
    await undefined; // if `append` throws at once, `#begin` must have set its state before
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await store.append(id, batch);
      } catch (error) {
        if (this.#state.name !== "writing") return;
        this.#waiting = batch.concat(this.#waiting);
        const retry = (): void => this.#begin();
        this.#state = {
          name: "resting",
          cancel: this.#setup.clock.setTimeout(retry, STORE_RETRY_DELAY, { unref: true }),
        };
        onFailed(storeError(error, "append", id));
        return;
      }
      if (this.#state.name !== "writing") return;
      onSaved();
    }
    this.#state = { name: "idle" };
  }

  #giveUp(message: string): void {
    const { id, onFailed } = this.#setup;
    this.#state = { name: "given-up" };
    this.#waiting = [];
    onFailed(new ChatStoreError(message, { operation: "append", id }));
  }
}

/** Wraps the error of any store. */
export function storeError(thrown: unknown, operation: "load" | "append", id: string): ChatStoreError {
  if (isChatStoreError(thrown)) return thrown;
  const message = operation === "load" ? "the chat could not be loaded" : "the chat could not be stored";
  return new ChatStoreError(message, { operation, id, cause: thrown });
}
