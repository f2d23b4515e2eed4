// The leases of a SQLite log, by the machine's wall time.
import type { Clock } from "../core/clock.ts";
import type { Lease, LogHead } from "./event-log.ts";
import { type ChatRow, columnNumber, type SqliteTables } from "./sqlite-tables.node.ts";

export class SqliteLeases {
  readonly #tables: SqliteTables;
  readonly #clock: Clock;

  constructor(tables: SqliteTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  acquire(id: string, owner: string, ttl: number, isSecondLook: boolean): Lease | null | "orphan" {
    const refusal = this.#refusal(this.#tables.chat(id), isSecondLook);
    if (refusal !== undefined) return refusal; // without a write: servers ask often
    return this.#tables.inOneStep(() => {
      const chat = this.#tables.chatOrNew(id);
      const later = this.#refusal(chat, isSecondLook);
      if (later !== undefined) return later;
      const counted = this.#tables.get("update counter set epoch = epoch + 1 returning epoch");
      const epoch = columnNumber(counted?.["epoch"]);
      const until = this.#clock.wallTime() + ttl;
      const lease = "update chat set epoch = ?, owner = ?, until = ?, ttl = ? where n = ?";
      this.#tables.run(lease, epoch, owner, until, ttl, chat.n);
      return { ...boundsOf(chat), epoch };
    });
  }

  renew(id: string, owner: string, epoch: number, ttl: number): boolean {
    const renewal = "update chat set until = ?, ttl = ? where id = ? and epoch = ? and owner = ?";
    return this.#tables.run(renewal, this.#clock.wallTime() + ttl, ttl, id, epoch, owner) > 0;
  }

  release(chat: number, owner: string, epoch: number): boolean {
    const release = "update chat set owner = null where n = ? and epoch = ? and owner = ?";
    return this.#tables.run(release, chat, epoch, owner) > 0;
  }

  #refusal(chat: ChatRow | undefined, isSecondLook: boolean): null | "orphan" | undefined {
    if (!chat || chat.owner === null) return undefined;
    const now = this.#clock.wallTime();
    // A lease that was taken in the future: the machine's clock was set back. The second look finds out whether its owner lives.
    const isRunning = now < chat.until && now >= chat.until - chat.ttl;
    if (isRunning) return null;
    return isSecondLook ? undefined : "orphan";
  }
}

export function isCurrent({ owner, epoch: current }: ChatRow, epoch: number): boolean {
  return owner !== null && current === epoch;
}

export function boundsOf({ log, head, first }: ChatRow): LogHead {
  return { log, head, first };
}
