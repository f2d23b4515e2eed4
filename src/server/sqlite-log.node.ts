// `sqliteLog`: keeps chats in a file, for the processes of one machine.
import { checkCallOptions, checks, describe } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Json, UniversalEvent } from "../universal/events.ts";
import {
  type AppendResult,
  type CommandKind,
  type EventLog,
  type Lease,
  type LogBatch,
  type LogCommand,
  type LogEntryName,
  type LogHead,
  type SendLimits,
  type SendResult,
  TrimmedError,
} from "./event-log.ts";
import { batchJson, checkKey, checkLogId, jsonOf, logClosed, readBatch } from "./log-format.ts";
import { openLogFile } from "./sqlite-file.node.ts";
import { SqliteInbox } from "./sqlite-inbox.node.ts";
import { boundsOf, isCurrent, SqliteLeases } from "./sqlite-leases.node.ts";
import { CHAT_TABLES } from "./sqlite-schema.ts";
import { ANY_CHAT, type ChatRow, columnNumber, columnText, SqliteTables } from "./sqlite-tables.node.ts";
import { SqliteTail } from "./sqlite-tail.node.ts";
import { Watchers } from "./watchers.ts";

/** Options of {@link sqliteLog}. */
export interface SqliteLogOptions {
  /**
   * Its `wallTime` measures leases and how long keys are remembered: all processes of the machine share it. Its timers
   * look for what other processes wrote. @default the platform's clock
   */
  readonly clock?: Clock;
}

const OPTIONS = { clock: checks.object };

/**
 * Keeps chats in a SQLite file, for all processes of one machine that open it. A crash of a process loses nothing. A
 * power cut may lose the last moments before it. Only this user gets access (0600): wider modes are corrected. Creates
 * the file and its folders.
 *
 * The file must be on a local disk: SQLite does not work on network shares. A share is refused where the system names
 * it.
 *
 * @throws UnsupportedError where `node:sqlite` is missing: it needs Node 22.13 or later
 * @throws InvalidInputError for an unknown option, and for a file that is a link, belongs to another user, is on a
 * network share, or is not a log
 */
export function sqliteLog(file: string, options?: SqliteLogOptions): EventLog {
  if (!checks.text.holds(file))
    throw new InvalidInputError(`the file is ${describe(file)}.`, "Pass the path of a file.");
  checkCallOptions<SqliteLogOptions, typeof OPTIONS>(options, OPTIONS);
  const { database, path } = openLogFile(file);
  return new SqliteLog(new SqliteTables(database), path, options?.clock ?? systemClock);
}

/** Chats per page of `list`. */
const LISTED = 500;

/** The fence: adds the batch only if the epoch is current and the batch follows the head. */
const APPEND = `insert into log(chat, last, first, epoch, events)
  select n, ?, ?, epoch, ? from chat c where id = ? and epoch = ? and owner is not null
  and coalesce((select max(last) from log where chat = c.n), trimmed) = ?`;

class SqliteLog implements EventLog {
  readonly #tables: SqliteTables;
  readonly #clock: Clock;
  readonly #watchers = new Watchers();
  readonly #tail: SqliteTail;
  readonly #inbox: SqliteInbox;
  readonly #leases: SqliteLeases;
  #isClosed = false;

  constructor(tables: SqliteTables, path: string, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
    this.#tail = new SqliteTail(tables, path, clock, this.#watchers);
    this.#inbox = new SqliteInbox(tables);
    this.#leases = new SqliteLeases(tables, clock);
  }

  async append(
    id: string,
    epoch: number,
    first: number,
    events: readonly UniversalEvent[],
  ): Promise<AppendResult> {
    this.#check(id);
    const json = batchJson(events);
    const last = first + events.length - 1;
    if (this.#tables.run(APPEND, last, first, json, id, epoch, first - 1) > 0) {
      this.#watchers.wake(id);
      return { ok: true };
    }
    const chat = this.#tables.chat(id);
    if (!chat || !isCurrent(chat, epoch)) return { ok: false, why: "fenced", head: chat?.head ?? 0 };
    const same = "select 1 from log where chat = ? and last = ? and first = ? and epoch = ?";
    if (this.#tables.get(same, chat.n, last, first, epoch)) return { ok: true, again: true };
    return { ok: false, why: "conflict", head: chat.head };
  }

  async page(id: string, after: number, limit: number): Promise<readonly LogBatch[]> {
    this.#check(id);
    const chat = this.#tables.chat(id);
    if (!chat || after >= chat.head) return [];
    if (after + 1 < chat.first) throw new TrimmedError(chat.first);
    const page: LogBatch[] = [];
    let count = 0;
    const batches = "select first, last, epoch, events from log where chat = ? and last > ? order by last";
    for (const row of this.#tables.each(batches, chat.n, after)) {
      const [first, last, epoch, json] = [
        columnNumber(row["first"]),
        columnNumber(row["last"]),
        columnNumber(row["epoch"]),
        columnText(row["events"]),
      ];
      if (page.length === 0 && first > after + 1) throw new TrimmedError(first); // trimmed in this moment
      const batch = readBatch(chat.log, { epoch, first, last, json }, after);
      page.push(batch);
      count += batch.events.length;
      if (count >= limit) break;
    }
    return page;
  }

  async head(id: string): Promise<LogHead | undefined> {
    this.#check(id);
    const chat = this.#tables.chat(id);
    return chat && boundsOf(chat);
  }

  watch(id: string, wake: () => void): () => void {
    checkLogId(id);
    if (this.#isClosed) return () => {};
    this.#tail.start();
    const stop = this.#watchers.add(id, wake);
    return () => {
      if (stop() && this.#watchers.isEmpty) this.#tail.stop();
    };
  }

  async acquire(
    id: string,
    owner: string,
    ttl: number,
    isSecondLook = false,
  ): Promise<Lease | null | "orphan"> {
    this.#check(id);
    return this.#leases.acquire(id, owner, ttl, isSecondLook);
  }

  async renew(id: string, owner: string, epoch: number, ttl: number): Promise<boolean> {
    this.#check(id);
    return this.#leases.renew(id, owner, epoch, ttl);
  }

  async release(id: string, owner: string, epoch: number): Promise<void> {
    this.#change(id, ({ n }) => this.#leases.release(n, owner, epoch));
  }

  async send(id: string, command: LogCommand, hash: string, limits: SendLimits): Promise<SendResult> {
    this.#check(id);
    const { key, kind, value } = command;
    checkKey(key);
    const json = jsonOf(value);
    const result = this.#tables.inOneStep(() => {
      const now = this.#clock.wallTime();
      const { n } = this.#tables.chatOrNew(id);
      const sent = this.#inbox.send(n, kind, { key, json }, hash, { ...limits, now });
      if (sent === "new") this.#tables.tell(n);
      return sent;
    });
    if (result === "new") this.#watchers.wake(id);
    return result;
  }

  async take(
    id: string,
    epoch: number,
    kind: CommandKind,
    previous: string | undefined,
  ): Promise<LogCommand | undefined> {
    this.#check(id);
    const chat = this.#tables.chat(id);
    if (!chat || !this.#inbox.mayTake(chat.n, epoch, kind, previous)) return undefined; // without a write
    let command: LogCommand | undefined;
    this.#change(id, (current) => {
      if (isCurrent(current, epoch)) command = this.#inbox.take(current.n, epoch, kind, previous);
      return command !== undefined;
    });
    return command;
  }

  async queue(id: string): Promise<readonly LogCommand[]> {
    this.#check(id);
    const chat = this.#tables.chat(id);
    return chat ? this.#inbox.queue(chat.n) : [];
  }

  async withdraw(id: string, key: string): Promise<boolean> {
    return this.#change(id, ({ n }) => this.#inbox.withdraw(n, key));
  }

  async edit(id: string, key: string, value: Json): Promise<boolean> {
    const json = jsonOf(value);
    return this.#change(id, ({ n }) => this.#inbox.edit(n, key, json));
  }

  async move(id: string, key: string, before: string | null): Promise<boolean> {
    return this.#change(id, ({ n }) => this.#inbox.move(n, key, before));
  }

  async put(id: string, epoch: number, name: LogEntryName, value: Json | undefined): Promise<boolean> {
    this.#check(id);
    const json = value === undefined ? undefined : jsonOf(value);
    return this.#tables.inOneStep(() => {
      const chat = this.#tables.chat(id);
      if (!chat || !isCurrent(chat, epoch)) return false;
      if (json === undefined) this.#tables.run("delete from entry where chat = ? and name = ?", chat.n, name);
      else this.#tables.run("replace into entry(chat, name, value) values(?, ?, ?)", chat.n, name, json);
      return true;
    });
  }

  async get(id: string, name: LogEntryName): Promise<Json | undefined> {
    this.#check(id);
    const entry = "select value from entry where chat = (select n from chat where id = ?) and name = ?";
    const row = this.#tables.get(entry, id, name);
    return row && JSON.parse(columnText(row["value"]));
  }

  async trim(id: string, before: number): Promise<void> {
    this.#check(id);
    this.#tables.inOneStep(() => {
      const chat = this.#tables.chat(id);
      if (!chat) return;
      const old = "from log where chat = ? and last < ?";
      const row = this.#tables.get(`select max(last) as last ${old}`, chat.n, before);
      if (typeof row?.["last"] !== "number") return;
      this.#tables.run(`delete ${old}`, chat.n, before);
      this.#tables.run("update chat set trimmed = ? where n = ?", row["last"], chat.n);
      this.#tables.tell(ANY_CHAT); // a later batch of another chat may get the number of the last one here
    });
  }

  async remove(id: string): Promise<void> {
    const isThere = this.#change(id, ({ n }) => {
      for (const table of CHAT_TABLES) this.#tables.run(`delete from ${table} where chat = ?`, n);
      this.#tables.run("delete from chat where n = ?", n);
      this.#tables.tell(ANY_CHAT);
      return true;
    });
    if (isThere) this.#watchers.wake(id);
  }

  async list({ cursor, waiting }: { readonly cursor?: string; readonly waiting?: boolean } = {}): Promise<{
    readonly ids: readonly string[];
    readonly cursor?: string;
  }> {
    if (this.#isClosed) throw logClosed();
    const condition = waiting ? "and n in (select chat from inbox)" : "";
    const rows = this.#tables.all(
      `select n, id from chat where n > ? ${condition} order by n limit ${LISTED}`,
      Number(cursor ?? 0),
    );
    const ids = rows.map((row) => columnText(row["id"]));
    const last = rows.at(-1);
    return rows.length < LISTED || !last ? { ids } : { ids, cursor: String(last["n"]) };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#tail.stop();
    this.#watchers.clear();
    this.#tables.close();
  }

  /** Changes a chat in one step. Returns whether something has changed, and then wakes who watches. */
  #change(id: string, task: (chat: ChatRow) => boolean): boolean {
    this.#check(id);
    const isChanged = this.#tables.inOneStep(() => {
      const chat = this.#tables.chat(id);
      if (!chat || !task(chat)) return false;
      this.#tables.tell(chat.n);
      return true;
    });
    if (isChanged) this.#watchers.wake(id);
    return isChanged;
  }

  #check(id: string): void {
    checkLogId(id);
    if (this.#isClosed) throw logClosed();
  }
}
