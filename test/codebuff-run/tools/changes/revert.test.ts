import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RunChanges } from "../../../../src/codebuff-run/tools/changes/run-changes.ts";
import { PathLocks } from "../../../../src/codebuff-run/tools/files/locks.ts";
import { type FileWorld, fileWorld } from "../files/world.ts";

/** The mode of a new file. */
const MADE = 0o666 & ~process.umask();

const reverted = (...paths: readonly string[]) => ({ reverted: paths, conflicts: [] });

/** A run that has updated `a`, made `d/e/new` and deleted `b`. */
async function worked(): Promise<FileWorld> {
  const world = await fileWorld();
  world.file("a", "a\r\n");
  world.file("b", "b\n");
  chmodSync(join(world.root, "b"), 0o751);
  await world.write("a", "A\n");
  await world.write("d/e/new", "new\n");
  await world.replace("a", "A", "B");
  await world.remove("b");
  return world;
}

describe("a run's changes", () => {
  test("are listed once per file, whatever the number of edits", async () => {
    await using world = await worked();
    expect(world.changes.list()).toEqual([
      { path: "d/e/new", action: "add", diff: "@@ -0,0 +1,1 @@\n+new\n", isRevertible: true },
      { path: "a", action: "update", diff: "@@ -1,1 +1,1 @@\n-a\n+B\n", isRevertible: true },
      { path: "b", action: "delete", diff: "@@ -1,1 +0,0 @@\n-b\n", isRevertible: true },
    ]);
  });

  test("that cancel each other out are not listed", async () => {
    await using world = await fileWorld();
    world.file("a", "a\n");
    await world.write("a", "b\n");
    await world.write("a", "a\n");
    await world.write("new/x", "x");
    await world.remove("new/x");
    expect(world.changes.list()).toEqual([]);
    await world.changes.revert();
    expect(existsSync(join(world.root, "new"))).toBe(false);
  });

  test("of a binary file are listed without a diff", async () => {
    await using world = await fileWorld();
    writeFileSync(join(world.root, "program"), Uint8Array.of(1, 0));
    await world.remove("program");
    expect(world.changes.list()).toMatchObject([{ action: "delete", diff: "[no UTF-8 text]\n" }]);
    expect(await world.changes.revert()).toEqual(reverted("program"));
    expect(statSync(join(world.root, "program")).size).toBe(2);
  });

  test("are kept apart from those of other runs", async () => {
    await using world = await fileWorld();
    const other = world.files.changes(world.door);
    await world.write("a", "a");
    await world.write("b", "b", world.job({ changes: other }));
    expect(world.changes.list()).toMatchObject([{ path: "a" }]);
    expect(await other.revert()).toEqual(reverted("b"));
    expect(world.text("a")).toBe("a");
  });
});

describe("`revert()`", () => {
  test("restores content, mode and folders, the newest change first", async () => {
    await using world = await worked();
    expect(await world.changes.revert()).toEqual(reverted("b", "a", "d/e/new"));
    expect([world.text("a"), world.text("b")]).toEqual(["a\r\n", "b\n"]);
    expect(statSync(join(world.root, "b")).mode & 0o777).toBe(0o751);
    expect(existsSync(join(world.root, "d"))).toBe(false);
    expect(world.changes.list()).toEqual([]);
  });

  test.each<[string, (world: FileWorld) => Promise<unknown>]>([
    [
      "was deleted, and made again with the same text",
      async (world) => {
        await world.remove("a");
        await world.write("a", "a\n");
      },
    ],
    [
      "lost its mode between two edits that left it as it was",
      async (world) => {
        await world.write("a", "b\n");
        chmodSync(join(world.root, "a"), MADE);
        await world.read("a");
        await world.write("a", "a\n");
      },
    ],
  ])("restores the mode of a file that %s", async (_, change) => {
    await using world = await fileWorld();
    world.file("a", "a\n");
    chmodSync(join(world.root, "a"), 0o751);
    await change(world);
    const diff = `old mode 100751\nnew mode 100${MADE.toString(8)}\n`;
    expect(world.changes.list()).toEqual([{ path: "a", action: "update", diff, isRevertible: true }]);
    expect(await world.changes.revert()).toEqual(reverted("a"));
    expect(statSync(join(world.root, "a")).mode & 0o777).toBe(0o751);
    expect(world.text("a")).toBe("a\n");
  });

  test("does not follow a link that has taken the place of a folder", async () => {
    await using world = await fileWorld();
    await world.write("d/a", "new\n");
    renameSync(join(world.root, "d"), join(world.root, "moved"));
    symlinkSync("moved", join(world.root, "d"));
    expect(await world.changes.revert()).toEqual({
      reverted: [],
      conflicts: [{ path: "d/a", reason: "A link has taken the place of a folder." }],
    });
    expect(world.text("moved/a")).toBe("new\n");
  });

  test("does nothing on a second call, even while the first one runs", async () => {
    await using world = await worked();
    const both = await Promise.all([world.changes.revert(), world.changes.revert()]);
    expect(both).toEqual([reverted("b", "a", "d/e/new"), reverted()]);
  });

  test.each<[string, (path: string) => void, string]>([
    ["written", (path) => writeFileSync(path, "mine"), "The file has changed since the run wrote it."],
    ["deleted", unlinkSync, "The file was deleted after the run had written it."],
    [
      "replaced by a link",
      (path) => {
        unlinkSync(path);
        symlinkSync("a", path);
      },
      "A link has taken the file's place.",
    ],
    [
      "replaced by a folder",
      (path) => {
        unlinkSync(path);
        mkdirSync(path);
      },
      "Path 'c' is not a regular file.",
    ],
  ])("leaves a file that was %s since the edit, and restores the others", async (_, change, reason) => {
    await using world = await worked();
    world.file("c", "c");
    await world.write("c", "C");
    change(join(world.root, "c"));
    expect(await world.changes.revert()).toEqual({
      reverted: ["b", "a", "d/e/new"],
      conflicts: [{ path: "c", reason }],
    });
    expect(world.changes.list()).toMatchObject([{ path: "c" }]);
    expect(
      existsSync(join(world.root, "c")) && statSync(join(world.root, "c")).isFile() && world.text("c"),
    ).not.toBe("c");
  });

  test("restores the rest once a conflict is solved", async () => {
    await using world = await worked();
    world.file("b", "mine");
    expect(await world.changes.revert()).toEqual({
      reverted: ["a", "d/e/new"],
      conflicts: [{ path: "b", reason: "The run had deleted the file, but the file exists again." }],
    });
    unlinkSync(join(world.root, "b"));
    expect(await world.changes.revert()).toEqual(reverted("b"));
    expect(world.text("b")).toBe("b\n");
  });

  test("restores a file of which only the timestamp has changed", async () => {
    await using world = await fileWorld();
    await world.write("a", "a");
    utimesSync(join(world.root, "a"), 1, 1);
    expect(await world.changes.revert()).toEqual(reverted("a"));
  });

  test("restores at most the version that another program wrote between two edits", async () => {
    await using world = await fileWorld();
    world.file("a", "1");
    await world.write("a", "2");
    world.file("a", "theirs");
    await world.read("a");
    await world.write("a", "3");
    expect(world.changes.list()).toMatchObject([{ path: "a" }, { path: "a" }]);
    expect(await world.changes.revert()).toEqual({
      reverted: [],
      conflicts: [{ path: "a", reason: "The file has changed since the run wrote it." }],
    });
    expect(world.text("a")).toBe("theirs");
    expect(world.changes.list()).toHaveLength(1);
  });

  test("keeps folders with files of others", async () => {
    await using world = await worked();
    world.file("d/theirs", "x");
    await world.changes.revert();
    expect(existsSync(join(world.root, "d/e"))).toBe(false);
    expect(world.text("d/theirs")).toBe("x");
  });

  test("removes a folder with two files of the run, whatever their order", async () => {
    await using world = await fileWorld();
    await world.write("d/a", "a");
    await world.write("d/b", "b");
    await world.write("d/a", "A");
    expect(await world.changes.revert()).toEqual(reverted("d/a", "d/b"));
    expect(existsSync(join(world.root, "d"))).toBe(false);
  });

  test("restores a file whose path has become a folder", async () => {
    await using world = await fileWorld();
    world.file("a", "a");
    await world.remove("a");
    await world.write("a/b", "b");
    expect(await world.changes.revert()).toEqual(reverted("a/b", "a"));
    expect(world.text("a")).toBe("a");
  });

  test("does not create a deleted link again", async () => {
    await using world = await fileWorld();
    symlinkSync("a", join(world.root, "link"));
    await world.remove("link");
    expect(world.changes.list()).toMatchObject([{ path: "link", action: "delete", isRevertible: false }]);
    expect(await world.changes.revert()).toEqual({
      reverted: [],
      conflicts: [{ path: "link", reason: "A link was deleted. Links cannot be restored." }],
    });
  });

  test("reports what was too large to keep, and frees what it had kept", async () => {
    await using world = await fileWorld();
    const changes = new RunChanges(world.door, new PathLocks(), { maxKept: 10 });
    const job = world.job({ changes });
    world.file("a", "12345678");
    world.file("b", "1234");
    await world.write("a", "x", job);
    await world.write("b", "y", job);
    expect(changes.list()).toMatchObject([
      { path: "a", isRevertible: true },
      { path: "b", isRevertible: false, diff: "[the files were too large to keep]\n" },
    ]);
    expect(await changes.revert()).toEqual({
      reverted: ["a"],
      conflicts: [{ path: "b", reason: "The old file was too large to keep." }],
    });
    await world.read("a");
    await world.write("a", "z", world.job({ changes: world.files.changes(world.door) }));
    changes.saw("a", (await world.door.readFile("a", { maxBytes: 9 })).stamp);
    await world.write("a", "12345", job);
    expect(changes.list()).toMatchObject([{ path: "b" }, { path: "a", isRevertible: true }]);
  });

  test("at the same time as an edit leaves either all of the edit or nothing of it", async () => {
    await using world = await fileWorld();
    world.file("a", "a");
    await world.write("a", "b");
    const [undone, edit] = await Promise.all([world.changes.revert(), world.replace("a", "b", "c")]);
    expect([undone.reverted.length + undone.conflicts.length, typeof edit]).toEqual([1, "object"]);
    expect(["a", "c"]).toContain(world.text("a"));
  });

  test("requires the agent to read a file again before the next edit", async () => {
    await using world = await worked();
    await world.changes.revert();
    expect(await world.write("a", "again\n")).toHaveProperty("errorMessage");
  });
});
