// Writes the events of the backend and of the chat itself to the store.
import type { Clock } from "../../core/clock.ts";
import { deferred } from "../../core/deferred.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { OwnEvents } from "../own-events.ts";
import type { Problem } from "../problem.ts";
import type { QueueChange } from "../queue.ts";
import { type LoadedChat, loadChat, senderOf } from "./load.ts";
import type { ChatStore } from "./store.ts";
import { MAX_STORE_WAIT, StoreWriter } from "./store-writer.ts";

/** Writes the events of the backend and of the chat itself to the store, and loads them. */
export class ChatLog {
  readonly #stored: { readonly store: ChatStore; readonly id: string };
  readonly #clock: Pick<Clock, "setTimeout">;
  readonly #problem: Problem;
  readonly #own: OwnEvents;
  readonly #writer: StoreWriter;

  constructor(
    stored: { readonly store: ChatStore; readonly id: string },
    own: OwnEvents,
    clock: Pick<Clock, "setTimeout">,
    problem: Problem,
  ) {
    this.#stored = stored;
    this.#own = own;
    this.#clock = clock;
    this.#problem = problem;
    const onFailed = (error: unknown): void => problem.failed("store", error);
    const onSaved = (): void => problem.worked("store");
    this.#writer = new StoreWriter({ ...stored, clock, onFailed, onSaved });
  }

  add(event: UniversalEvent): void {
    this.#writer.add(event);
  }

  addQueueChange(change: QueueChange): void {
    for (const event of this.#own.queue(change)) this.add(event);
  }

  /** @throws ChatStoreError if the store fails */
  load(): Promise<LoadedChat> {
    return loadChat(this.#stored);
  }

  /**
   * Whether this chat, not another one over the same store, may send a prompt that it has claimed. Undefined if the
   * store has not answered within `MAX_STORE_WAIT` ms.
   */
  async isSender(id: string): Promise<boolean | undefined> {
    const tooLate = deferred<undefined>();
    const cancel = this.#clock.setTimeout(() => tooLate.resolve(undefined), MAX_STORE_WAIT);
    const ask = async (): Promise<boolean | undefined> =>
      (await this.#writer.flush()) ? (await senderOf(this.#stored, id)) === this.#own.sessionId : undefined;
    try {
      return await Promise.race([ask(), tooLate.promise]);
    } catch (error) {
      this.#problem.failed("store", error);
      return undefined;
    } finally {
      cancel();
    }
  }

  /** Writes the remaining events. */
  close(): Promise<void> {
    for (const event of this.#own.end()) this.add(event);
    return this.#writer.close();
  }
}
