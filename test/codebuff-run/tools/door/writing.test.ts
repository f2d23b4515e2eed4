import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sameFile } from "../../../../src/codebuff-run/tools/door/stamp.ts";
import { doorWorld, GUARDS, reasonOf } from "./world.ts";

const bytes = Buffer.from("new\n");

describe.each(GUARDS)("file guard %s: writing", (guard) => {
  test("creates a file and its parent folders, and no other file", async () => {
    await using world = await doorWorld({ guard });
    const stamp = await world.door.writeFile("a/b/c.txt", bytes, { replaces: undefined });
    expect(world.text("a/b/c.txt")).toBe("new\n");
    expect(readdirSync(join(world.root, "a/b"))).toEqual(["c.txt"]);
    const read = await world.door.readFile("a/b/c.txt", { maxBytes: 99 });
    expect(sameFile(read.stamp, stamp)).toBe(true);
    expect(read.stamp.mode).toBe(0o666 & ~process.umask());
  });

  test("replaces a file, and keeps its mode", async () => {
    await using world = await doorWorld({ guard });
    world.file("run.sh", "old\n");
    chmodSync(join(world.root, "run.sh"), 0o751);
    const { stamp } = await world.door.readFile("run.sh", { maxBytes: 99 });
    await world.door.writeFile("run.sh", bytes, { replaces: stamp });
    const read = await world.door.readFile("run.sh", { maxBytes: 99 });
    expect(Buffer.from(read.bytes).toString()).toBe("new\n");
    expect(read.stamp.mode).toBe(0o751);
  });

  test("sets the mode that the caller names, whatever the umask", async () => {
    await using world = await doorWorld({ guard });
    await world.door.writeFile("run.sh", bytes, { replaces: undefined, mode: 0o777 });
    expect((await world.door.readFile("run.sh", { maxBytes: 99 })).stamp.mode).toBe(0o777);
  });

  test("accepts the stamp of one write for the next write", async () => {
    await using world = await doorWorld({ guard });
    let replaces = await world.door.writeFile("a", bytes, { replaces: undefined });
    for (const text of ["1", "2", "3"])
      replaces = await world.door.writeFile("a", Buffer.from(text), { replaces });
    await world.door.removeFile("a", { replaces });
    expect(readdirSync(world.root)).toEqual([]);
  });

  test("never overwrites a file that the caller did not expect", async () => {
    await using world = await doorWorld({ guard });
    world.file("a", "old");
    expect(await reasonOf(world.door.writeFile("a", bytes, { replaces: undefined }))).toBe("exists");
    expect(world.text("a")).toBe("old");
    expect(readdirSync(world.root)).toEqual(["a"]);
  });

  test.each([
    ["was written", (path: string) => writeFileSync(path, "other")],
    ["has a new mode", (path: string) => chmodSync(path, 0o600)],
    ["was deleted", (path: string) => unlinkSync(path)],
    [
      "was replaced by the same text",
      (path: string) => {
        unlinkSync(path);
        writeFileSync(path, "old");
      },
    ],
  ])("refuses to replace or to delete a file that %s since it was read", async (_, change) => {
    await using world = await doorWorld({ guard });
    world.file("a", "old");
    const { stamp } = await world.door.readFile("a", { maxBytes: 99 });
    change(join(world.root, "a"));
    const before = readdirSync(world.root);
    expect(await reasonOf(world.door.writeFile("a", bytes, { replaces: stamp }))).toBe("changed");
    expect(await reasonOf(world.door.removeFile("a", { replaces: stamp }))).toBe("changed");
    expect(readdirSync(world.root)).toEqual(before);
  });

  test("refuses a file that became a link since it was read", async () => {
    await using world = await doorWorld({ guard });
    world.file("a", "old");
    const { stamp } = await world.door.readFile("a", { maxBytes: 99 });
    unlinkSync(join(world.root, "a"));
    symlinkSync(join(world.outside, "secret.txt"), join(world.root, "a"));
    const before = world.outsideNow();
    expect(await reasonOf(world.door.writeFile("a", bytes, { replaces: stamp }))).toBe("link");
    expect(await reasonOf(world.door.removeFile("a", { replaces: stamp }))).toBe("link");
    expect(world.outsideNow()).toEqual(before);
  });

  test("refuses a folder, and a path through a file", async () => {
    await using world = await doorWorld({ guard });
    world.file("file", "text");
    mkdirSync(join(world.root, "folder"));
    expect(await reasonOf(world.door.writeFile("folder", bytes, { replaces: undefined }))).toBe("not-a-file");
    expect(await reasonOf(world.door.writeFile("file/a", bytes, { replaces: undefined }))).toBe(
      "not-a-folder",
    );
    expect(await reasonOf(world.door.removeFile("folder"))).toBe("not-a-file");
    expect(await reasonOf(world.door.removeFile("none"))).toBe("missing");
    expect(lstatSync(join(world.root, "folder")).isDirectory()).toBe(true);
  });

  test("removes only empty folders", async () => {
    await using world = await doorWorld({ guard });
    world.file("a/b/c", "");
    mkdirSync(join(world.root, "a/empty"));
    expect(await world.door.removeFolder("a")).toBe(false);
    expect(await world.door.removeFolder("a/empty")).toBe(true);
    expect(await reasonOf(world.door.removeFolder("a/empty"))).toBe("missing");
    expect(await reasonOf(world.door.removeFolder("a/b/c"))).toBe("not-a-folder");
    expect(await reasonOf(world.door.removeFolder(""))).toBe("invalid");
  });

  test("leaves no temporary file after a refused write", async () => {
    await using world = await doorWorld({ guard });
    world.file("a", "old");
    const { stamp } = await world.door.readFile("a", { maxBytes: 99 });
    const writing = world.door.writeFile("a", bytes, { replaces: stamp });
    writeFileSync(join(world.root, "a"), "changed while the temporary file is written");
    expect(await reasonOf(writing)).toBe("changed");
    expect(readdirSync(world.root)).toEqual(["a"]);
  });

  test("lets only one of several writers create a file", async () => {
    await using world = await doorWorld({ guard });
    const texts = Array.from({ length: 20 }, (_, index) => String(index));
    const results = await Promise.allSettled(
      texts.map((text) => world.door.writeFile("a", Buffer.from(text), { replaces: undefined })),
    );
    const winners = texts.filter((_, index) => results[index]?.status === "fulfilled");
    expect(winners).toEqual([world.text("a")]);
    expect(readdirSync(world.root)).toEqual(["a"]);
  });
});
