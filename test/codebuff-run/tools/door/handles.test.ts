import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { openDoor } from "../../../../src/codebuff-run/tools/door/open-door.ts";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { type DoorWorld, doorWorld, GUARDS, readText, reasonOf } from "./world.ts";

/** Open files of this process that are below a folder. */
function openBelow(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path === folder || path.startsWith(`${folder}/`) ? [path] : [];
    } catch {
      // The handle that lists the folder is gone.
      return [];
    }
  });
}

/** The folder that a child process finds itself in. */
async function folderOfChild(cwd: string): Promise<string> {
  const child = spawn("pwd", ["-P"], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  return output.trim();
}

/** Moves a folder away, and puts a link to the outside in its place. */
function swap({ root, outside }: DoorWorld, name: string): void {
  renameSync(join(root, name), join(root, `${name}-away`));
  symlinkSync(outside, join(root, name));
}

describe.each(GUARDS)("file guard %s", (guard) => {
  test("closes its handles after every success and failure", async () => {
    await using world = await doorWorld({ guard });
    const { door, root } = world;
    world.file("a/b/c", "text");
    world.file("big", "123456");
    world.file(".gitignore", "ignored");
    symlinkSync("a/b", join(root, "inner"));
    symlinkSync(world.outside, join(root, "outer"));
    symlinkSync("circle", join(root, "circle"));
    const before = openBelow(root);
    for (const path of [
      "",
      "a/b/c",
      "inner/c",
      "big",
      "a",
      "outer/x",
      "circle/x",
      "no/no",
      "ignored",
      "big/x",
    ]) {
      await Promise.allSettled([
        door.readFile(path, { maxBytes: 5 }),
        door.readFolder(path, { maxEntries: 1 }),
        door.writeFile(path, Buffer.from("text"), { replaces: undefined }),
        door.writeFile(`${path}/new/file`, Buffer.from("text"), { replaces: undefined }),
        door.removeFile(`${path}/gone`),
        door.removeFolder(path),
        door.look(path),
        door.status(path, "file"),
        door.openFolder(path).then((folder) => folder.close()),
      ]);
      expect(openBelow(root)).toEqual(before);
    }
  });

  test("closes its root on `close()`, and refuses later calls", async () => {
    await using world = await doorWorld({ guard });
    world.file("a", "text");
    await world.door.close();
    await world.door.close();
    expect(openBelow(world.root)).toEqual([]);
    expect(await reasonOf(readText(world.door, "a"))).toBe("failed");
  });

  test("starts a process in a folder, also through a link", async () => {
    await using world = await doorWorld({ guard });
    mkdirSync(join(world.root, "a/b"), { recursive: true });
    symlinkSync("a/b", join(world.root, "link"));
    const folder = await world.door.openFolder("link");
    expect(folder.path).toBe("a/b");
    expect(await folderOfChild(folder.cwd)).toBe(join(world.root, "a/b"));
    await folder.close();
    await folder.close();
    const root = await world.door.openFolder("");
    expect(root.path).toBe("");
    expect(await folderOfChild(root.cwd)).toBe(world.root);
    await root.close();
  });

  test("refuses to open a file or a missing path as a folder", async () => {
    await using world = await doorWorld({ guard });
    world.file("file", "text");
    expect(await reasonOf(world.door.openFolder("file"))).toBe("not-a-folder");
    expect(await reasonOf(world.door.openFolder("none"))).toBe("missing");
  });

  test("works below a root that is a link", async () => {
    await using world = await doorWorld({ guard });
    world.file("a", "text");
    const alias = join(world.root, "..", "alias");
    symlinkSync(world.root, alias);
    const door = await openDoor({ root: alias, guard });
    expect(door.root).toBe(world.root);
    expect(await readText(door, join(alias, "a"))).toBe("text");
    await door.close();
  });

  test.each(["a", "none", "a/none"])("refuses the root %j, which is no folder", async (path) => {
    await using world = await doorWorld({ guard });
    world.file("a", "text");
    await expect(openDoor({ root: join(world.root, path), guard })).rejects.toThrow(InvalidInputError);
  });
});

describe("file guard handles", () => {
  test("keeps a process in its folder when a link replaces the folder", async () => {
    await using world = await doorWorld({ guard: "handles" });
    mkdirSync(join(world.root, "a"));
    const folder = await world.door.openFolder("a");
    swap(world, "a");
    expect(await folderOfChild(folder.cwd)).toBe(join(world.root, "a-away"));
    await folder.close();
  });

  test.each([
    ["reads", (world: DoorWorld) => readText(world.door, "alias/file.txt")],
    ["lists", (world: DoorWorld) => world.door.readFolder("alias", { maxEntries: 9 })],
    [
      "writes",
      (world: DoorWorld) =>
        world.door.writeFile("alias/new.txt", Buffer.from("written"), { replaces: undefined }),
    ],
    ["deletes", (world: DoorWorld) => world.door.removeFile("alias/secret.txt")],
  ])("%s in the folder that it opened, even if a link replaces it meanwhile", async (_, act) => {
    let isSwapped = false;
    const fileFilter = (path: string) => {
      // The door asks about the path without links, while the folder is open.
      if (path.startsWith("folder") && !isSwapped) {
        isSwapped = true;
        swap(world, "folder");
      }
      return { status: "allow" as const };
    };
    await using world = await doorWorld({ guard: "handles", fileFilter });
    world.file("folder/file.txt", "inside");
    world.file("folder/secret.txt", "inside");
    symlinkSync("folder", join(world.root, "alias"));
    const before = world.outsideNow();
    expect(await act(world)).not.toBe("outside-canary");
    expect(isSwapped).toBe(true);
    expect(world.outsideNow()).toEqual(before);
  });

  test("refuses the kernel's file systems, such as /proc, below its root", async () => {
    const door = await openDoor({ root: "/", guard: "handles" });
    expect(await reasonOf(readText(door, "proc/self/environ"))).toBe("not-a-file");
    expect(await reasonOf(readText(door, "sys/kernel/notes"))).toBe("not-a-file");
    expect(await reasonOf(door.openFolder("proc/self"))).toBe("not-a-file");
    expect(await reasonOf(readText(door, "dev/zero"))).toBe("not-a-file");
    await door.close();
  });
});
