// How long each reasoning of a message took.
import type { List } from "../../universal/transcript/list.ts";
import type { ChatPart } from "../../universal/transcript/message.ts";

interface Thought {
  readonly id: string;
  /** ms since the epoch. */
  readonly since: number;
}

/** How long each reasoning of a message took, from when it was first seen open. One look takes the same time for a message of any length. */
export class ThinkingTimes {
  /** ms of each reasoning that is over. */
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

  /** Whole seconds. Undefined: the reasoning was over when it was first seen. */
  secondsOf(id: string, now: number): number | undefined {
    const ms = this.#open?.id === id ? now - this.#open.since : this.#over.get(id);
    return ms === undefined ? undefined : Math.floor(ms / 1_000);
  }
}
