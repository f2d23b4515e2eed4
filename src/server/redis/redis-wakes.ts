// The second connection of a Redis log: hears of news by sharded pub/sub.
import { Watchers } from "../watchers.ts";
import type { RedisLogClient, RedisLogSubscriber } from "./redis-client.ts";

/**
 * Connects at the first `watch`. Errors of the connection only cost time: watchers look by themselves, and the same
 * errors reject the calls of the first connection.
 */
export class RedisWakes {
  readonly #client: RedisLogClient;
  readonly #watchers = new Watchers();
  #subscriber: RedisLogSubscriber | undefined;
  /** By chat. */
  readonly #listeners = new Map<string, () => void>();

  constructor(client: RedisLogClient) {
    this.#client = client;
  }

  watch(id: string, channel: string, wake: () => void): () => void {
    const isFirst = !this.#watchers.has(id);
    const stop = this.#watchers.add(id, wake);
    if (isFirst) this.#subscribe(id, channel);
    return () => {
      if (stop()) this.#unsubscribe(id, channel);
    };
  }

  close(): void {
    this.#watchers.clear();
    this.#listeners.clear();
    const subscriber = this.#subscriber;
    this.#subscriber = undefined;
    try {
      subscriber?.destroy();
    } catch {
      // it was not connected
    }
  }

  #subscribe(id: string, channel: string): void {
    const listener = (): void => this.#watchers.wake(id);
    this.#listeners.set(id, listener);
    const subscriber = this.#connected();
    subscriber.sSubscribe(channel, listener).then(
      () => this.#watchers.wake(id), // what came before the subscription
      () => this.#drop(subscriber),
    );
  }

  #unsubscribe(id: string, channel: string): void {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    const subscriber = this.#subscriber;
    if (listener && subscriber)
      subscriber.sUnsubscribe(channel, listener).catch(() => this.#drop(subscriber));
  }

  #connected(): RedisLogSubscriber {
    if (this.#subscriber) return this.#subscriber;
    const subscriber = this.#client.duplicate();
    this.#subscriber = subscriber;
    subscriber.on("error", () => {});
    subscriber.on("ready", () => this.#watchers.wakeAll()); // after a loss, during which news may have been missed
    subscriber.connect().catch(() => this.#drop(subscriber));
    return subscriber;
  }

  /** Has the next `watch` connect anew. */
  #drop(subscriber: RedisLogSubscriber): void {
    if (this.#subscriber === subscriber) this.#subscriber = undefined;
  }
}
