// The commands of a SQLite log. All but `queue` and `mayTake` run inside of one step of the caller.
import type { CommandKind, LogCommand, SendLimits, SendResult } from "./event-log.ts";
import { type KeptCommand, moved, readCommand, takenJson } from "./log-format.ts";
import { columnNumber, columnText, type SqliteRow, type SqliteTables } from "./sqlite-tables.node.ts";

const OLDEST = "select key, value from inbox where chat = ? and kind = ? order by place";

export class SqliteInbox {
  readonly #tables: SqliteTables;

  constructor(tables: SqliteTables) {
    this.#tables = tables;
  }

  /** `now`: ms of wall time. */
  send(
    chat: number,
    kind: CommandKind,
    { key, json }: KeptCommand,
    hash: string,
    { maxQueued, keyTtl, now }: SendLimits & { readonly now: number },
  ): SendResult {
    this.#tables.run("delete from keys where chat = ? and until <= ?", chat, now);
    const known = this.#tables.get("select hash from keys where chat = ? and key = ?", chat, key);
    if (known) return known["hash"] === hash ? "again" : "key-reused";
    if (this.#tables.get("select 1 from inbox where chat = ? and key = ?", chat, key)) return "again";
    const queued = this.#tables.get(
      "select count(*) as size, coalesce(max(place), 0) as place from inbox where chat = ? and kind = ?",
      chat,
      kind,
    );
    if (columnNumber(queued?.["size"]) >= maxQueued) return "full";
    this.#tables.run("insert into keys values(?, ?, ?, ?)", chat, key, hash, now + keyTtl);
    const place = columnNumber(queued?.["place"]) + 1;
    this.#tables.run("insert into inbox values(?, ?, ?, ?, ?)", chat, kind, place, key, json);
    return "new";
  }

  /** Whether `take` would find a command. */
  mayTake(chat: number, epoch: number, kind: CommandKind, previous: string | undefined): boolean {
    return (
      this.#given(chat, epoch, kind, previous) !== undefined ||
      this.#tables.get(OLDEST, chat, kind) !== undefined
    );
  }

  take(chat: number, epoch: number, kind: CommandKind, previous: string | undefined): LogCommand | undefined {
    const given = this.#given(chat, epoch, kind, previous);
    if (given) return readCommand(kind, given);
    const oldest = this.#tables.get(OLDEST, chat, kind);
    if (!oldest) return undefined;
    const command = commandOf(oldest);
    const { key, json } = command;
    this.#tables.run("delete from inbox where chat = ? and key = ?", chat, key);
    this.#tables.run("replace into given values(?, ?, ?, ?, ?)", chat, kind, epoch, key, json);
    if (kind === "prompt")
      this.#tables.run("replace into entry values(?, 'taken', ?)", chat, takenJson(command));
    return readCommand(kind, command);
  }

  queue(chat: number): readonly LogCommand[] {
    return this.#tables.all(OLDEST, chat, "prompt").map((row) => readCommand("prompt", commandOf(row)));
  }

  withdraw(chat: number, key: string): boolean {
    const removal = "delete from inbox where chat = ? and key = ? and kind = 'prompt'";
    return this.#tables.run(removal, chat, key) > 0;
  }

  edit(chat: number, key: string, json: string): boolean {
    const change = "update inbox set value = ? where chat = ? and key = ? and kind = 'prompt'";
    return this.#tables.run(change, json, chat, key) > 0;
  }

  move(chat: number, key: string, before: string | null): boolean {
    const keys = this.#tables.all(OLDEST, chat, "prompt").map((row) => columnText(row["key"]));
    const order = moved(keys, key, before);
    for (const [at, each] of order?.entries() ?? [])
      this.#tables.run("update inbox set place = ? where chat = ? and key = ?", at + 1, chat, each);
    return order !== undefined;
  }

  /** The command that this epoch took last, unless its owner knows it. */
  #given(
    chat: number,
    epoch: number,
    kind: CommandKind,
    previous: string | undefined,
  ): KeptCommand | undefined {
    const row = this.#tables.get(
      "select key, value from given where chat = ? and kind = ? and epoch = ? and key is not ?",
      chat,
      kind,
      epoch,
      previous ?? null,
    );
    return row && commandOf(row);
  }
}

function commandOf(row: SqliteRow): KeptCommand {
  return { key: columnText(row["key"]), json: columnText(row["value"]) };
}
