// Keeps unconfirmed prompts in `localStorage`, so that they are sent after a reload.
import { fieldsOf } from "../core/checks.ts";

/** The most prompts that are kept. */
const MAX_KEPT = 20;

export interface KeptPrompt {
  readonly key: string;
  readonly text: string;
  /** ms since the epoch. */
  readonly at: number;
}

interface Storage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Unconfirmed prompts in `localStorage`. Each change reads first, because other tabs write too. */
export class LocalOutbox {
  readonly #name: string;

  /** @param address of the chat */
  constructor(address: string) {
    this.#name = `agentwire.outbox ${address}`;
  }

  load(): readonly KeptPrompt[] {
    return this.#with((storage) => this.#read(storage)) ?? [];
  }

  add(prompt: KeptPrompt): void {
    this.#with((storage) => {
      const kept = this.#read(storage);
      if (kept.length < MAX_KEPT) storage.setItem(this.#name, JSON.stringify([...kept, prompt]));
    });
  }

  remove(key: string): void {
    this.#with((storage) => {
      const kept = this.#read(storage);
      const left = kept.filter((prompt) => prompt.key !== key);
      if (left.length === 0) storage.removeItem(this.#name);
      else if (left.length < kept.length) storage.setItem(this.#name, JSON.stringify(left));
    });
  }

  #read(storage: Storage): readonly KeptPrompt[] {
    const stored: unknown = JSON.parse(storage.getItem(this.#name) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored.slice(0, MAX_KEPT).flatMap((each: unknown) => {
      const { key, text, at } = fieldsOf(each);
      const isPrompt = typeof key === "string" && typeof text === "string" && typeof at === "number";
      return isPrompt ? [{ key, text, at }] : [];
    });
  }

  /** Undefined without a storage: it may be absent, forbidden, full, or damaged. Then memory has to do. */
  #with<T>(use: (storage: Storage) => T): T | undefined {
    try {
      const { localStorage } = globalThis as { readonly localStorage?: Storage };
      return localStorage && use(localStorage);
    } catch {
      return undefined;
    }
  }
}
