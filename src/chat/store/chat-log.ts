// Appends the events of a chat to its store in order, retries after a failure, and loads them.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { deferred } from "../../core/deferred.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { ChatStoreError, isChatStoreError } from "../../universal/words/store-error.ts";
import type { OwnEvents } from "../own-events.ts";
import type { Problem } from "../problem.ts";
import type { QueueChange } from "../queue.ts";
import { type LoadedChat, loadedChat, senderIn } from "./load.ts";
import type { ChatStore } from "./store.ts";

/** The limit of unsaved events: ten long answers, 20 MB. Over the limit, storing stops for good. */
export const MAX_UNSAVED_EVENTS = 50_000;

/** ms from a failure of the store to the next try. */
export const STORE_RETRY_DELAY = 5_000;

/** The longest wait in ms for a store: to close a chat, and to check a claimed prompt. */
export const MAX_STORE_WAIT = 2_000;

type State =
  | { readonly name: "idle" }
  | { readonly name: "due" }
  | { readonly name: "writing"; readonly done: Promise<void> }
  | { readonly name: "resting"; readonly cancel: CancelTimer }
  | { readonly name: "given-up" };

/**
 * Appends the events of a chat to its store in order: those of the backend, and those of the chat itself. One append
 * runs at a time, and the next one takes all events that arrived meanwhile. A failed batch is retried. The store may
 * then have an event twice, and readers skip the second.
 *
 *     idle ──add()──▶ due ──microtask──▶ writing ──no events left──▶ idle
 *                      ▲                  │    │
 *                      └─5 s─ resting ◀─failed └─too far behind, fatal, or closed──▶ given-up
 */
export class ChatLog {
  readonly #store: ChatStore;
  readonly #id: string;
  readonly #own: OwnEvents;
  readonly #clock: Pick<Clock, "setTimeout">;
  readonly #problem: Problem;
  readonly #onFatal: () => void;
  #waiting: UniversalEvent[] = [];
  #state: State = { name: "idle" };

  constructor(
    { store, id }: { readonly store: ChatStore; readonly id: string },
    own: OwnEvents,
    clock: Pick<Clock, "setTimeout">,
    problem: Problem,
    onFatal: () => void,
  ) {
    this.#store = store;
    this.#id = id;
    this.#own = own;
    this.#clock = clock;
    this.#problem = problem;
    this.#onFatal = onFatal;
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

  addQueueChange(change: QueueChange): void {
    for (const event of this.#own.queue(change)) this.add(event);
  }

  /** @throws ChatStoreError if the store fails */
  load(): Promise<LoadedChat> {
    return this.#read(loadedChat);
  }

  /**
   * Whether this chat, not another one over the same store, may send a prompt that it has claimed. Undefined if the
   * store has not answered within `MAX_STORE_WAIT` ms.
   */
  async isSender(id: string): Promise<boolean | undefined> {
    const tooLate = deferred<undefined>();
    const cancel = this.#clock.setTimeout(() => tooLate.resolve(undefined), MAX_STORE_WAIT);
    const ask = async (): Promise<boolean | undefined> => {
      if (!(await this.#flush())) return undefined;
      return (await this.#read((events) => senderIn(events, id))) === this.#own.sessionId;
    };
    try {
      return await Promise.race([ask(), tooLate.promise]);
    } catch (error) {
      this.#problem.failed("store", error);
      return undefined;
    } finally {
      cancel();
    }
  }

  /** Writes the remaining events, within `MAX_STORE_WAIT` ms. */
  async close(): Promise<void> {
    for (const event of this.#own.end()) this.add(event);
    if (this.#state.name === "resting") this.#state.cancel();
    if (this.#state.name === "resting" || this.#state.name === "due") this.#begin();
    const { done } = this.#state.name === "writing" ? this.#state : {};
    if (!done) return;
    const tooLate = deferred<void>();
    const cancel = this.#clock.setTimeout(() => {
      this.#giveUp(`the store did not save the last events of the chat within ${MAX_STORE_WAIT} ms`);
      tooLate.resolve();
    }, MAX_STORE_WAIT);
    await Promise.race([done, tooLate.promise]);
    cancel();
    this.#rest()?.cancel();
    this.#state = { name: "given-up" };
  }

  async #read<T>(read: (events: readonly UniversalEvent[]) => T): Promise<T> {
    try {
      return read(await this.#store.load(this.#id));
    } catch (error) {
      throw storeError(error, "load", this.#id);
    }
  }

  /** Writes the waiting events. Returns whether the store has saved all of them. */
  async #flush(): Promise<boolean> {
    if (this.#state.name === "due") this.#begin();
    if (this.#state.name === "writing") await this.#state.done;
    return this.#state.name === "idle";
  }

  #rest(): { readonly cancel: CancelTimer } | undefined {
    return this.#state.name === "resting" ? this.#state : undefined;
  }

  #begin(): void {
    this.#state = { name: "writing", done: this.#write() };
  }

  async #write(): Promise<void> {
    await undefined; // if `append` throws at once, `#begin` must have set its state before
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#store.append(this.#id, batch);
      } catch (error) {
        if (this.#state.name !== "writing") return;
        const failure = storeError(error, "append", this.#id);
        if (failure.fatal) {
          this.#giveUp(failure);
          this.#onFatal();
          return;
        }
        this.#waiting = batch.concat(this.#waiting);
        const cancel = this.#clock.setTimeout(() => this.#begin(), STORE_RETRY_DELAY, { unref: true });
        this.#state = { name: "resting", cancel };
        this.#problem.failed("store", failure);
        return;
      }
      if (this.#state.name !== "writing") return;
      this.#problem.worked("store");
    }
    this.#state = { name: "idle" };
  }

  #giveUp(failure: string | ChatStoreError): void {
    this.#state = { name: "given-up" };
    this.#waiting = [];
    const options = { operation: "append", id: this.#id } as const;
    this.#problem.failed(
      "store",
      typeof failure === "string" ? new ChatStoreError(failure, options) : failure,
    );
  }
}

/** Wraps the error of any store. */
export function storeError(thrown: unknown, operation: "load" | "append", id: string): ChatStoreError {
  if (isChatStoreError(thrown)) return thrown;
  const message = operation === "load" ? "the chat could not be loaded" : "the chat could not be stored";
  return new ChatStoreError(message, { operation, id, cause: thrown });
}
