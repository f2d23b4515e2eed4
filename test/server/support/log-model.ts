// A log as plain lists, to compare real ones with. It has no handles, no clock and no file.
import type { CommandKind } from "agentwire/server";

interface Batch {
  readonly lease: number;
  readonly first: number;
  readonly last: number;
  readonly tag: string;
}

interface Command {
  readonly key: string;
  value: string;
}

class Chat {
  readonly batches: Batch[] = [];
  head = 0;
  first = 1;
  /** The lease that may write: its number in the test. */
  current: number | undefined;
  isOver = false;
  readonly inbox: Record<CommandKind, Command[]> = { prompt: [], control: [] };
  readonly hashes: Record<string, string> = {};
  readonly given: Partial<Record<CommandKind, { readonly lease: number; readonly command: Command }>> = {};
  readonly entries: Record<string, unknown> = {};
}

/** An event of the model: its position and who wrote it. */
export type ModelEvent = readonly [position: number, tag: string];

export class LogModel {
  readonly #chats = new Map<string, Chat>();

  append(id: string, lease: number, gap: number, count: number, tag: string): string {
    const chat = this.#chats.get(id);
    const first = this.head(id) + 1 + gap;
    if (!chat || chat.current !== lease) return "fenced";
    if (gap === 0) {
      chat.head += count;
      chat.batches.push({ lease, first, last: chat.head, tag });
      return "ok";
    }
    const last = first + count - 1;
    const isKnown = chat.batches.some(
      (batch) => batch.lease === lease && batch.first === first && batch.last === last,
    );
    return isKnown ? "again" : "conflict";
  }

  events(id: string, after: number): readonly ModelEvent[] | "trimmed" {
    const chat = this.#chats.get(id);
    if (!chat || after >= chat.head) return [];
    if (after + 1 < chat.first) return "trimmed";
    const all = chat.batches.flatMap(({ first, last, tag }) =>
      Array.from({ length: last - first + 1 }, (_, at): ModelEvent => [first + at, tag]),
    );
    return all.filter(([position]) => position > after);
  }

  head(id: string): number {
    return this.#chats.get(id)?.head ?? 0;
  }

  bounds(id: string): readonly [number, number] | undefined {
    const chat = this.#chats.get(id);
    return chat && [chat.head, chat.first];
  }

  acquire(id: string, lease: number, isSecondLook: boolean): "lease" | "orphan" | "held" {
    const chat = this.#make(id);
    if (chat.current !== undefined && !chat.isOver) return "held";
    if (chat.current !== undefined && !isSecondLook) return "orphan";
    chat.current = lease;
    chat.isOver = false;
    return "lease";
  }

  renew(id: string, lease: number): boolean {
    const chat = this.#chats.get(id);
    if (!chat || chat.current !== lease) return false;
    chat.isOver = false;
    return true;
  }

  release(id: string, lease: number): void {
    const chat = this.#chats.get(id);
    if (chat?.current === lease) chat.current = undefined;
  }

  /** All leases run out. */
  expire(): void {
    for (const chat of this.#chats.values()) chat.isOver = true;
  }

  send(id: string, kind: CommandKind, key: string, value: string, hash: string, most: number): string {
    const known = this.#chats.get(id)?.hashes[key];
    if (known !== undefined) return known === hash ? "again" : "key-reused";
    if ((this.#chats.get(id)?.inbox[kind].length ?? 0) >= most) return "full";
    const chat = this.#make(id);
    chat.hashes[key] = hash;
    chat.inbox[kind].push({ key, value });
    return "new";
  }

  take(id: string, lease: number, kind: CommandKind, previous: string | undefined): Command | undefined {
    const chat = this.#chats.get(id);
    if (!chat || chat.current !== lease) return undefined;
    const given = chat.given[kind];
    if (given?.lease === lease && given.command.key !== previous) return given.command;
    const [command, ...others] = chat.inbox[kind];
    if (!command) return undefined;
    chat.inbox[kind] = others;
    chat.given[kind] = { lease, command };
    if (kind === "prompt") chat.entries["taken"] = command;
    return command;
  }

  queue(id: string): readonly Command[] {
    return this.#chats.get(id)?.inbox.prompt ?? [];
  }

  withdraw(id: string, key: string): boolean {
    const chat = this.#chats.get(id);
    const others = chat?.inbox.prompt.filter((command) => command.key !== key) ?? [];
    if (!chat || others.length === chat.inbox.prompt.length) return false;
    chat.inbox.prompt = others;
    return true;
  }

  edit(id: string, key: string, value: string): boolean {
    const command = this.queue(id).find((each) => each.key === key);
    if (command) command.value = value;
    return command !== undefined;
  }

  move(id: string, key: string, before: string | null): boolean {
    const chat = this.#chats.get(id);
    const command = chat?.inbox.prompt.find((each) => each.key === key);
    if (!chat || !command) return false;
    if (before !== null && !chat.inbox.prompt.some((each) => each.key === before)) return false;
    if (before === key) return true;
    const rest = chat.inbox.prompt.filter((each) => each !== command);
    const at = before === null ? rest.length : rest.findIndex((each) => each.key === before);
    chat.inbox.prompt = [...rest.slice(0, at), command, ...rest.slice(at)];
    return true;
  }

  put(id: string, lease: number, value: unknown): boolean {
    const chat = this.#chats.get(id);
    if (!chat || chat.current !== lease) return false;
    chat.entries["state"] = value;
    return true;
  }

  entry(id: string, name: "state" | "taken"): unknown {
    return this.#chats.get(id)?.entries[name];
  }

  trim(id: string, before: number): void {
    const chat = this.#chats.get(id);
    if (!chat) return;
    while (chat.batches[0] && chat.batches[0].last < before) chat.batches.splice(0, 1);
    chat.first = chat.batches[0]?.first ?? chat.head + 1;
  }

  remove(id: string): void {
    this.#chats.delete(id);
  }

  ids(isWaiting: boolean): readonly string[] {
    const chats = [...this.#chats].filter(
      ([, { inbox }]) => !isWaiting || inbox.prompt.length + inbox.control.length > 0,
    );
    return chats.map(([id]) => id).sort();
  }

  #make(id: string): Chat {
    const chat = this.#chats.get(id) ?? new Chat();
    this.#chats.set(id, chat);
    return chat;
  }
}
