// The second connection of a Redis log: hears of news by sharded pub/sub.
import { Watchers } from "../watchers.ts";
import type { RedisLogClient, RedisLogSubscriber } from "./redis-client.ts";

interface Channel {
  readonly name: string;
  readonly listener: () => void;
}

/**
 * Connects at the first `watch`. Errors of the connection only cost time: watchers look by themselves, and the same
 * errors reject the calls of the first connection.
 */
export class RedisWakes {
  readonly #client: RedisLogClient;
  readonly #watchers = new Watchers();
  #subscriber: RedisLogSubscriber | undefined;
  /** By chat. */
  readonly #channels = new Map<string, Channel>();

  constructor(client: RedisLogClient) {
    this.#client = client;
  }

  watch(id: string, name: string, wake: () => void): () => void {
    const isFirst = !this.#watchers.has(id);
    const stop = this.#watchers.add(id, wake);
    if (isFirst) this.#listen(id, name);
    return () => {
      if (stop()) this.#leave(id);
    };
  }

  close(): void {
    this.#watchers.clear();
    this.#channels.clear();
    if (this.#subscriber) this.#drop(this.#subscriber);
  }

  #listen(id: string, name: string): void {
    const channel = { name, listener: () => this.#watchers.wake(id) };
    this.#channels.set(id, channel);
    if (this.#subscriber) this.#subscribe(this.#subscriber, channel);
    else this.#connect();
  }

  #leave(id: string): void {
    const channel = this.#channels.get(id);
    this.#channels.delete(id);
    const subscriber = this.#subscriber;
    if (channel && subscriber)
      subscriber.sUnsubscribe(channel.name, channel.listener).catch(() => this.#drop(subscriber));
  }

  #subscribe(subscriber: RedisLogSubscriber, { name, listener }: Channel): void {
    subscriber.sSubscribe(name, listener).then(
      listener, // for what came before the subscription
      () => this.#drop(subscriber),
    );
  }

  #connect(): void {
    const subscriber = this.#client.duplicate();
    this.#subscriber = subscriber;
    subscriber.on("error", () => {});
    subscriber.on("ready", () => {
      // A client that is destroyed while it connects, or connects again, is ready nevertheless.
      if (this.#subscriber !== subscriber) destroy(subscriber);
      else this.#watchers.wakeAll(); // after a loss, news may have been missed
    });
    subscriber.connect().catch(() => this.#drop(subscriber));
    for (const channel of this.#channels.values()) this.#subscribe(subscriber, channel);
  }

  /** Has the next `watch` connect anew. */
  #drop(subscriber: RedisLogSubscriber): void {
    if (this.#subscriber === subscriber) this.#subscriber = undefined;
    destroy(subscriber);
  }
}

function destroy(subscriber: RedisLogSubscriber): void {
  try {
    subscriber.destroy();
  } catch {
    // it is closed already
  }
}
