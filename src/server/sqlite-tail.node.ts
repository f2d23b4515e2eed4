// Wakes the watchers of a SQLite log when another connection has written to the file.
import { type FSWatcher, watch } from "node:fs";
import type { CancelTimer, Clock } from "../core/clock.ts";
import type { SqliteTables } from "./sqlite-tables.node.ts";
import type { Watchers } from "./watchers.ts";

/** ms between two looks, for systems whose notices are late or missing. */
const LOOK_EVERY = 250;

/** Runs while somebody watches. */
export class SqliteTail {
  readonly #tables: SqliteTables;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #watchers: Watchers;
  #notices: FSWatcher | undefined;
  #cancel: CancelTimer | undefined;
  #version = 0;
  /** The last rows that were seen, of `log` and of `news`. */
  #seen = { log: 0, news: 0 };

  constructor(tables: SqliteTables, path: string, clock: Clock, watchers: Watchers) {
    this.#tables = tables;
    this.#path = path;
    this.#clock = clock;
    this.#watchers = watchers;
  }

  start(): void {
    if (this.#cancel) return;
    this.#version = this.#tables.dataVersion();
    this.#seen = this.#tables.newest();
    this.#arm();
    try {
      this.#notices = watch(`${this.#path}-wal`, { persistent: false }, () => this.#look());
      this.#notices.on("error", () => this.#notices?.close()); // the timer goes on
    } catch {
      // no notices on this system, or too many watched files: the timer is enough
    }
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#notices?.close();
    this.#notices = undefined;
  }

  #arm(): void {
    this.#cancel = this.#clock.setTimeout(
      () => {
        this.#arm();
        this.#look();
      },
      LOOK_EVERY,
      { unref: true },
    );
  }

  #look(): void {
    if (!this.#cancel) return;
    try {
      const version = this.#tables.dataVersion();
      if (version === this.#version) return;
      const seen = this.#tables.newest();
      const changed = this.#tables.changedSince(this.#seen);
      this.#version = version;
      this.#seen = seen;
      if (changed === "any") this.#watchers.wakeAll();
      else for (const id of changed) this.#watchers.wake(id);
    } catch {
      // The file cannot be read now: the calls that the watchers make anyway report it. The timer looks again.
    }
  }
}
