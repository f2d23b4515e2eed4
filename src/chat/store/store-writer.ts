// Appends the events of a chat to its store in order, and tries again after a failure.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { ChatStoreError, isChatStoreError } from "../../universal/words/store-error.ts";
import type { ChatStore } from "./store.ts";

/** Limit for events that wait for the store: some ten long answers, 20 MB. A store that is further behind has failed for good. */
export const MAX_UNSAVED_EVENTS = 50_000;

/** ms between a failure of the store and the next try. */
export const STORE_RETRY_DELAY = 5_000;

/** ms that closing a chat waits for its store. */
export const MAX_STORE_WAIT = 2_000;

export interface StoreWriterSetup {
  readonly store: ChatStore;
  readonly id: string;
  readonly clock: Pick<Clock, "setTimeout">;
  readonly onFailed: (error: ChatStoreError) => void;
  /** The store has taken a batch. */
  readonly onSaved: () => void;
}

type State =
  | { readonly name: "idle" }
  | { readonly name: "due" }
  | { readonly name: "writing"; readonly done: Promise<void> }
  | { readonly name: "resting"; readonly cancel: CancelTimer }
  | { readonly name: "given-up" };

/**
 * Appends the events of a chat to its store, in order: one append at a time, and all events that come meanwhile with the next one. A
 * batch that failed is tried again: the store may then have an event twice, and readers skip the second.
 *
 *     idle ──add()──▶ due ──microtask──▶ writing ──nothing waits──▶ idle
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
      // A log with a hole is worse than a log that ends early: nothing more is written.
      this.#giveUp(`the store is ${MAX_UNSAVED_EVENTS} events behind: nothing more of this chat is stored`);
    } else if (this.#state.name === "idle") {
      this.#state = { name: "due" };
      queueMicrotask(() => {
        if (this.#state.name === "due") this.#begin();
      });
    }
  }

  /** Writes what waits. Returns whether the store has all of it. */
  async flush(): Promise<boolean> {
    if (this.#state.name === "due") this.#begin();
    if (this.#state.name === "writing") await this.#state.done;
    return this.#state.name === "idle";
  }

  /** Writes the rest. Waits for the store at most `MAX_STORE_WAIT` ms. */
  async close(): Promise<void> {
    if (this.#state.name === "resting") this.#state.cancel();
    if (this.#state.name === "resting" || this.#state.name === "due") this.#begin();
    const { done } = this.#state.name === "writing" ? this.#state : {};
    if (!done) return;
    let cancel: CancelTimer = () => {};
    const tooLate = new Promise<void>((resolve) => {
      cancel = this.#setup.clock.setTimeout(() => {
        this.#giveUp(`the store did not take the end of the chat within ${MAX_STORE_WAIT} ms`);
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
    await undefined; // a store that throws at once fails like any other: after `#begin`
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

/** The error of a store of any kind. */
export function storeError(thrown: unknown, operation: "load" | "append", id: string): ChatStoreError {
  if (isChatStoreError(thrown)) return thrown;
  const message = operation === "load" ? "the chat could not be loaded" : "the chat could not be stored";
  return new ChatStoreError(message, { operation, id, cause: thrown });
}
