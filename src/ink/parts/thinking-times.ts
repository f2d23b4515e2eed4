// Measures how long each reasoning part of a message takes.
import type { List } from "../../universal/transcript/list.ts";
import type { ChatPart } from "../../universal/transcript/message.ts";

interface Thought {
  readonly id: string;
  /** ms since the epoch. */
  readonly since: number;
}

/** Measures each reasoning part from when it is first seen open. `see` takes constant time. */
export class ThinkingTimes {
  /** ms of each finished reasoning part. */
  readonly #over = new Map<string, number>();
  #open: Thought | undefined;

  /** When the open reasoning began, in ms since the epoch. */
  get since(): number | undefined {
    return this.#open?.since;
  }

  /** @param now ms since the epoch */
  see(parts: List<ChatPart>, now: number): void {
    let last = parts.at(-1);
    while (last?.type === "subagent") last = last.parts.at(-1);
    const id = last?.type === "reasoning" && last.open ? last.id : undefined;
    if (id === this.#open?.id) return;
    if (this.#open) this.#over.set(this.#open.id, now - this.#open.since);
    this.#open = id === undefined ? undefined : { id, since: now };
  }

  /** Whole seconds. Undefined if the reasoning part was never seen open. */
  secondsOf(id: string, now: number): number | undefined {
    const ms = this.#open?.id === id ? now - this.#open.since : this.#over.get(id);
    return ms === undefined ? undefined : Math.floor(ms / 1_000);
  }
}
