// Who waits for news of which chat.

interface Watcher {
  readonly wake: () => void;
  isDue: boolean;
}

/** The callers of `watch`, by chat. Wakes each of them once per tick at most, and never inside of a call. */
export class Watchers {
  readonly #chats = new Map<string, Set<Watcher>>();

  /** Whether nobody watches. */
  get isEmpty(): boolean {
    return this.#chats.size === 0;
  }

  has(id: string): boolean {
    return this.#chats.has(id);
  }

  /** Returns a function that ends the watching, and says whether it was the last of the chat. */
  add(id: string, wake: () => void): () => boolean {
    const watcher: Watcher = { wake, isDue: false };
    const watchers = this.#chats.get(id) ?? new Set();
    this.#chats.set(id, watchers.add(watcher));
    return () => {
      if (!watchers.delete(watcher) || watchers.size > 0) return false;
      this.#chats.delete(id);
      return true;
    };
  }

  wake(id: string): void {
    const watchers = this.#chats.get(id);
    if (!watchers) return;
    for (const watcher of watchers) {
      if (watcher.isDue) continue;
      watcher.isDue = true;
      queueMicrotask(() => {
        watcher.isDue = false;
        if (watchers.has(watcher)) watcher.wake();
      });
    }
  }

  /** After a time in which news may have been missed. */
  wakeAll(): void {
    for (const id of this.#chats.keys()) this.wake(id);
  }

  clear(): void {
    for (const watchers of this.#chats.values()) watchers.clear();
    this.#chats.clear();
  }
}
