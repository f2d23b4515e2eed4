// The statements of `sqliteLog` over its database, and the rows that they read.
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { randomId } from "../core/random-id.ts";

/** A row of `chat`, with the bounds of its log. */
export interface ChatRow {
  readonly n: number;
  readonly log: string;
  readonly head: number;
  readonly first: number;
  readonly epoch: number;
  /** Null: released, or never acquired. */
  readonly owner: string | null;
  readonly until: number;
  readonly ttl: number;
}

/** A row of a statement. */
export type SqliteRow = Readonly<Record<string, SQLOutputValue>>;

const CHAT = `select n, log, epoch, owner, until, ttl,
  coalesce((select max(last) from log where chat = c.n), trimmed) as head,
  coalesce((select first from log where chat = c.n order by last limit 1), trimmed + 1) as first
  from chat c where id = ?`;

export class SqliteTables {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Runs a statement that writes. Returns the number of changed rows. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepared(sql).run(...values).changes);
  }

  get(sql: string, ...values: readonly SQLInputValue[]): SqliteRow | undefined {
    return this.#prepared(sql).get(...values);
  }

  all(sql: string, ...values: readonly SQLInputValue[]): readonly SqliteRow[] {
    return this.#prepared(sql).all(...values);
  }

  /** The rows one by one, for a reader that stops early. */
  each(sql: string, ...values: readonly SQLInputValue[]): Iterable<SqliteRow> {
    return this.#prepared(sql).iterate(...values);
  }

  /** Runs several statements as one step. */
  inOneStep<T>(task: () => T): T {
    this.#database.exec("begin immediate");
    try {
      const result = task();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  chat(id: string): ChatRow | undefined {
    const row = this.get(CHAT, id);
    return (
      row && {
        n: columnNumber(row["n"]),
        log: columnText(row["log"]),
        head: columnNumber(row["head"]),
        first: columnNumber(row["first"]),
        epoch: columnNumber(row["epoch"]),
        owner: row["owner"] === null ? null : columnText(row["owner"]),
        until: columnNumber(row["until"]),
        ttl: columnNumber(row["ttl"]),
      }
    );
  }

  chatOrNew(id: string): ChatRow {
    this.run("insert or ignore into chat(id, log) values(?, ?)", id, randomId("log"));
    const chat = this.chat(id);
    if (!chat) throw new TypeError("the log does not keep a new chat");
    return chat;
  }

  /** Changes when another connection has written. */
  dataVersion(): number {
    return columnNumber(this.get("pragma data_version")?.["data_version"]);
  }

  /** The last rows of `log` and of `news`. */
  newest(): { readonly log: number; readonly news: number } {
    const row = this.get(
      "select (select coalesce(max(n), 0) from log) as log, (select coalesce(max(n), 0) from news) as news",
    );
    return { log: columnNumber(row?.["log"]), news: columnNumber(row?.["news"]) };
  }

  /** The ids of the chats that have changed. */
  changedSince({ log, news }: { readonly log: number; readonly news: number }): readonly string[] | "any" {
    const rows = this.all(
      `select chat, (select id from chat where n = chats.chat) as id
       from (select chat from log where n > ? union select chat from news where n > ?) as chats`,
      log,
      news,
    );
    const ids: string[] = [];
    for (const { chat, id } of rows) {
      if (chat === ANY_CHAT) return "any";
      if (typeof id === "string") ids.push(id);
    }
    return ids;
  }

  /** Has other processes wake the watchers of a chat. */
  tell(chat: number): void {
    this.run("replace into news(chat) values(?)", chat);
  }

  close(): void {
    this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #rollBack(): void {
    try {
      this.#database.exec("rollback");
    } catch {
      // SQLite has rolled back already, as for a full disk; the caller gets the first error
    }
  }
}

/** Stands in `news` for all chats. */
export const ANY_CHAT = 0;

export function columnNumber(value: SQLOutputValue | undefined): number {
  if (typeof value === "number") return value;
  throw new TypeError("a column of the log has no number"); // the tables are strict
}

export function columnText(value: SQLOutputValue | undefined): string {
  if (typeof value === "string") return value;
  throw new TypeError("a column of the log has no text");
}
