// Reads the tables of a log directly, so that a fault of the log's own reading is seen.
import { DatabaseSync } from "node:sqlite";
import type { UniversalEvent } from "agentwire/universal";
import type { ChatRecord, KeptBatch } from "./history.ts";

/** Reads the batches of a chat behind a position. */
export interface BatchReader {
  read(chat: string, after: number): Promise<readonly KeptBatch[]>;
  /** Whether a command waits in the inbox. */
  waits(chat: string): Promise<boolean>;
  close(): void;
}

export function sqliteReader(file: string): BatchReader {
  const database = new DatabaseSync(file, { readOnly: true });
  const batches = database.prepare(
    "select first, last, epoch, events from log where chat = (select n from chat where id = ?) and last > ? order by last",
  );
  const inbox = database.prepare("select 1 from inbox where chat = (select n from chat where id = ?)");
  return {
    read: async (chat, after) =>
      batches.all(chat, after).map(({ first, last, epoch, events }) => ({
        first: Number(first),
        last: Number(last),
        epoch: Number(epoch),
        events: eventsIn(String(events)),
      })),
    waits: async (chat) => inbox.get(chat) !== undefined,
    close: () => database.close(),
  };
}

/** What is called of a client of Redis. */
interface RedisRows {
  xRange(
    key: string,
    from: string,
    to: string,
  ): Promise<readonly { readonly id: string; readonly message: Readonly<Record<string, string>> }[] | null>;
  exists(keys: string[]): Promise<number>;
  destroy(): void;
}

export function redisReader(client: RedisRows): BatchReader {
  const key = (chat: string, name: string): string => `aw:{${chat}}:${name}`;
  return {
    read: async (chat, after) => {
      const rows = await client.xRange(key(chat, "log"), `(${after}-0`, "+");
      return (rows ?? []).map(({ id, message }) => ({
        first: Number(message["f"]),
        last: Number(id.split("-")[0]),
        epoch: Number(message["p"]),
        events: eventsIn(String(message["e"])),
      }));
    },
    waits: async (chat) => (await client.exists([key(chat, "in-prompt"), key(chat, "in-control")])) > 0,
    close: () => client.destroy(),
  };
}

const eventsIn = (json: string): readonly UniversalEvent[] => JSON.parse(json) as UniversalEvent[];

/** Follows the log of a chat, so that it is known when what came, and what was dropped. */
export class Witness {
  readonly id: string;
  readonly #reader: BatchReader;
  #batches: KeptBatch[] = [];
  readonly #seenAt = new Map<number, number>();

  constructor(id: string, reader: BatchReader) {
    this.id = id;
    this.#reader = reader;
  }

  /** Positions so far. */
  get head(): number {
    return this.#batches.at(-1)?.last ?? 0;
  }

  get events(): readonly UniversalEvent[] {
    return this.#batches.flatMap(({ events }) => events);
  }

  /** Reads on. */
  async look(now: number): Promise<void> {
    for (const batch of await this.#reader.read(this.id, this.head)) {
      this.#batches.push(batch);
      for (let at = batch.first; at <= batch.last; at++) if (!this.#seenAt.has(at)) this.#seenAt.set(at, now);
    }
  }

  /** Reads all again: the log may have lost its end. Batches that it has dropped from its begin stay. */
  async lookAnew(now: number): Promise<void> {
    const kept = await this.#reader.read(this.id, 0);
    const first = kept[0]?.first ?? this.head + 1;
    this.#batches = [...this.#batches.filter(({ last }) => last < first), ...kept];
    for (let at = first; at <= this.head; at++) if (!this.#seenAt.has(at)) this.#seenAt.set(at, now);
  }

  /** How many turns are over. */
  get ended(): number {
    return this.events.filter(({ type }) => type === "turn.ended").length;
  }

  /** Whether a session has not ended. */
  get isOpen(): boolean {
    const open = new Set<string>();
    for (const { type, session_id } of this.events)
      if (type === "session.ended") open.delete(session_id);
      else open.add(session_id);
    return open.size > 0;
  }

  waits(): Promise<boolean> {
    return this.#reader.waits(this.id);
  }

  get record(): ChatRecord {
    return { id: this.id, batches: this.#batches, seenAt: this.#seenAt };
  }
}
