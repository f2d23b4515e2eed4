// The lists of all chats and of those where a command waits. A cluster has them in another slot than the chats, so no
// script can change both in one step.
import type { RedisCalls } from "./redis-calls.ts";
import { FORGET_SCRIPT, LISTED_SCRIPT, MARK_LIFE, MARK_SCRIPT, PEEK_SCRIPT } from "./scripts.ts";

/**
 * A chat is marked in a list before it is made, or before a command is sent to it: a list has too many chats, never too
 * few. The script that makes the chat refuses an old mark, and only older ones are taken out of a list.
 */
export class RedisIndex {
  readonly #calls: RedisCalls;
  readonly #prefix: string;
  readonly #keysOf: (id: string) => readonly string[];

  constructor(calls: RedisCalls, prefix: string, keysOf: (id: string) => readonly string[]) {
    this.#calls = calls;
    this.#prefix = prefix;
    this.#keysOf = keysOf;
  }

  /** Answers the mark, for the script. */
  async mark(id: string, isWaiting: boolean): Promise<string> {
    const lists = isWaiting ? [this.#list(false), this.#list(true)] : [this.#list(false)];
    return (await this.#calls.write(MARK_SCRIPT, lists, id)).text(0);
  }

  async page(
    cursor: string,
    isWaiting: boolean,
  ): Promise<{ readonly ids: readonly string[]; readonly cursor?: string }> {
    const list = this.#list(isWaiting);
    const [next, time, ...marks] = (await this.#calls.read(LISTED_SCRIPT, [list], cursor)).texts;
    const chats = new Map<string, string>();
    for (let at = 0; at < marks.length; at += 2) chats.set(marks[at] ?? "", marks[at + 1] ?? "");
    const found = await Promise.all(
      [...chats].map(async ([id, mark]) => {
        const peek = await this.#calls.read(PEEK_SCRIPT, this.#keysOf(id));
        if (peek.isTrue && (!isWaiting || peek.text(1) === "1")) return id;
        if (Number(time) - Number(mark) > 2 * MARK_LIFE)
          await this.#calls.write(FORGET_SCRIPT, [list], id, mark);
        return undefined;
      }),
    );
    const ids = found.filter((id) => id !== undefined);
    return next === "0" || typeof next !== "string" ? { ids } : { ids, cursor: next };
  }

  #list(isWaiting: boolean): string {
    return `${this.#prefix}:{chats}:${isWaiting ? "waiting" : "all"}`;
  }
}
