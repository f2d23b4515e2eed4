import { existsSync } from "node:fs";
import { chmod, chown, link, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SqliteLogOptions, sqliteLog } from "agentwire/server/node";
import { ManualClock } from "agentwire/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type TempFolder, tempFolder } from "../../scripts/support/temp-folder.ts";
import { eventsFrom, leaseIn, readAll } from "../../src/testing/event-log/log-test.ts";

const TTL = 10_000;
const SUFFIXES = ["", "-wal", "-shm"] as const;
const isRoot = process.geteuid?.() === 0;

interface Place extends AsyncDisposable {
  readonly folder: TempFolder;
  readonly file: string;
}

async function place(): Promise<Place> {
  const folder = await tempFolder();
  return { folder, file: join(folder.path, "log.db"), [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

/** Opens a log, adds an event, and closes it. */
async function writeOne(file: string, options?: SqliteLogOptions): Promise<void> {
  const log = sqliteLog(file, options);
  const { epoch, head } = leaseIn(await log.acquire("chat", "owner", TTL));
  await log.append("chat", epoch, head + 1, eventsFrom(head + 1, 1));
  await log.release("chat", "owner", epoch);
  await log.close();
}

const modesOf = (file: string): Promise<readonly number[]> =>
  Promise.all(SUFFIXES.map(async (suffix) => (await stat(`${file}${suffix}`)).mode & 0o777));

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the file of sqliteLog", () => {
  test("keeps all behind close, in folders that it makes", async () => {
    await using here = await place();
    const file = join(here.folder.path, "a", "b", "log.db");
    await writeOne(file);
    await writeOne(file);
    const log = sqliteLog(file);
    expect(await readAll(log, "chat")).toEqual(eventsFrom(1, 2));
    await log.close();
    expect((await stat(join(here.folder.path, "a"))).mode & 0o077).toBe(0);
  });

  test.skipIf(process.platform === "win32")(
    "is for this user alone, with its WAL and shared memory",
    async () => {
      await using here = await place();
      const old = process.umask(0);
      try {
        const log = sqliteLog(here.file);
        await log.acquire("chat", "owner", TTL);
        expect(await modesOf(here.file)).toEqual([0o600, 0o600, 0o600]);
        for (const suffix of SUFFIXES) await chmod(`${here.file}${suffix}`, 0o666);
        const other = sqliteLog(here.file);
        expect(await modesOf(here.file)).toEqual([0o600, 0o600, 0o600]);
        await Promise.all([log.close(), other.close()]);
      } finally {
        process.umask(old);
      }
    },
  );

  test.each(SUFFIXES)("is refused if its part %j is a link", async (suffix) => {
    await using here = await place();
    const target = join(here.folder.path, "target");
    await writeOne(target);
    if (suffix !== "") await writeOne(here.file);
    await symlink(target, `${here.file}${suffix}`);
    expect(() => sqliteLog(here.file)).toThrow(expect.objectContaining({ code: "invalid-input" }));
    expect(() => sqliteLog(here.file)).toThrow(/link/);
  });

  test("is refused if it has a second name", async () => {
    await using here = await place();
    await writeOne(here.file);
    await link(here.file, join(here.folder.path, "second"));
    expect(() => sqliteLog(here.file)).toThrow(/second name/);
  });

  test.runIf(isRoot)("is refused if it belongs to another user", async () => {
    await using here = await place();
    await writeOne(here.file);
    await chown(here.file, 12_345, 12_345);
    expect(() => sqliteLog(here.file)).toThrow(/another user \(uid 12345\)/);
  });

  test("is refused if it is a folder, another program's file, or of another version", async () => {
    await using here = await place();
    const refused = (name: string, why: RegExp): void => {
      const open = () => sqliteLog(join(here.folder.path, name));
      expect(open).toThrow(expect.objectContaining({ code: "invalid-input" }));
      expect(open).toThrow(why);
    };
    await mkdir(join(here.folder.path, "folder"));
    refused("folder", /is no file/);
    await writeFile(join(here.folder.path, "text"), "no database, but a text that is long enough".repeat(50));
    refused("text", /not a log of this library/);
    await writeFile(join(here.folder.path, "empty"), "");
    refused("empty", /not a log of this library/);
    const foreign = new DatabaseSync(join(here.folder.path, "foreign"));
    foreign.exec("create table t(a)");
    foreign.close();
    refused("foreign", /not a log of this library/);
    await writeOne(here.file);
    const later = new DatabaseSync(here.file);
    later.exec("pragma user_version = 2");
    later.close();
    refused("log.db", /another version/);
  });

  test("whose name the system refuses has the error of the system", async () => {
    await using here = await place();
    expect(() => sqliteLog(`${here.file}${"x".repeat(300)}`)).toThrow(
      expect.objectContaining({ code: "ENAMETOOLONG" }),
    );
    expect(await readdir(here.folder.path)).toEqual([]);
  });

  test("leaves no temporary file behind, and nothing of its own behind close", async () => {
    await using here = await place();
    await writeOne(here.file);
    expect(SUFFIXES.map((suffix) => existsSync(`${here.file}${suffix}`))).toEqual([true, false, false]);
    expect(await readdir(here.folder.path)).toEqual(["log.db"]);
  });

  test("is refused where there is no node:sqlite, with the version of Node that has it", async () => {
    await using here = await place();
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
    expect(() => sqliteLog(here.file)).toThrow(
      expect.objectContaining({ code: "unsupported", message: expect.stringContaining("22.13") }),
    );
  });

  test("is a path, and the options are known ones", async () => {
    expect(() => sqliteLog("")).toThrow(expect.objectContaining({ code: "invalid-input" }));
    expect(() => sqliteLog("x", { clok: 1 } as object)).toThrow(/clock/);
  });
});

describe("sqliteLog", () => {
  test("names the position of a batch that another program has damaged", async () => {
    await using here = await place();
    await writeOne(here.file);
    await writeOne(here.file);
    const log = sqliteLog(here.file);
    const foreign = new DatabaseSync(here.file);
    for (const json of ["no JSON", "{}", "[]", '[{"type":"frob"}]']) {
      foreign.prepare("update log set events = ? where last = 2").run(json);
      await expect(log.page("chat", 0, 10)).rejects.toMatchObject({ name: "DamagedLogError", position: 2 });
    }
    foreign.close();
    await log.close();
  });

  test("makes a lease an orphan when the machine's clock is set back, so that no chat waits for hours", async () => {
    await using here = await place();
    const now = Date.now();
    const [later, earlier] = [new ManualClock({ epoch: now }), new ManualClock({ epoch: now - 3_600_000 })];
    const [log, other] = [sqliteLog(here.file, { clock: later }), sqliteLog(here.file, { clock: earlier })];
    const { epoch } = leaseIn(await log.acquire("chat", "owner", TTL));
    expect(await other.acquire("chat", "other", TTL)).toBe("orphan");
    expect(await other.renew("chat", "owner", epoch, TTL)).toBe(true); // a living owner keeps it
    expect(await other.acquire("chat", "other", TTL, true)).toBe(null);
    await Promise.all([log.close(), other.close()]);
  });

  test("rolls back a step that fails in the middle, and goes on", async () => {
    await using here = await place();
    await writeOne(here.file);
    const log = sqliteLog(here.file);
    const { epoch } = leaseIn(await log.acquire("chat", "owner", TTL));
    const limits = { maxQueued: 5, keyTtl: TTL };
    const foreign = new DatabaseSync(here.file);
    foreign.exec("create trigger broken before insert on inbox begin select raise(abort, 'broken'); end");
    const command = { key: "p1", kind: "prompt", value: 1 } as const;
    await expect(log.send("chat", command, "hash", limits)).rejects.toThrow("broken");
    foreign.exec("drop trigger broken");
    foreign.close();
    expect(await log.send("chat", command, "hash", limits)).toBe("new");
    expect(await log.append("chat", epoch, 2, eventsFrom(2, 1))).toEqual({ ok: true });
    await log.close();
  });
});
