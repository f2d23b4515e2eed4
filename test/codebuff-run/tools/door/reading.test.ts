import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { doorWorld, GUARDS, readText, reasonOf, refusalOf } from "./world.ts";

describe.each(GUARDS)("file guard %s: reading", (guard) => {
  test("gives the bytes, the mode and a stamp of a file", async () => {
    await using world = await doorWorld({ guard });
    world.file("src/a.sh", "echo\n");
    chmodSync(join(world.root, "src/a.sh"), 0o750);
    const read = await world.door.readFile("./src/x/../a.sh", { maxBytes: 5 });
    expect(Buffer.from(read.bytes).toString()).toBe("echo\n");
    expect(read.stamp.mode).toBe(0o750);
    expect(read.stamp.size).toBe(5n);
  });

  test("accepts an absolute path below the root", async () => {
    await using world = await doorWorld({ guard });
    world.file("a", "inside");
    expect(await readText(world.door, join(world.root, "a"))).toBe("inside");
  });

  test("refuses a file over the limit, and reports its size", async () => {
    await using world = await doorWorld({ guard });
    world.file("big", "123456");
    const refusal = await refusalOf(world.door.readFile("big", { maxBytes: 5 }));
    expect(refusal).toMatchObject({ reason: "too-large", size: 6n });
  });

  test.each([
    ["nothing", "missing"],
    ["no/such/file", "missing"],
    ["folder", "not-a-file"],
    ["file/below", "not-a-folder"],
    ["pipe", "not-a-file"],
    ["", "not-a-file"],
  ] as const)("refuses %j as %s", async (path, reason) => {
    await using world = await doorWorld({ guard });
    mkdirSync(join(world.root, "folder"));
    world.file("file", "text");
    execFileSync("mkfifo", [join(world.root, "pipe")]);
    expect(await reasonOf(world.door.readFile(path, { maxBytes: 10 }))).toBe(reason);
  });

  test("follows links that stay inside", async () => {
    await using world = await doorWorld({ guard });
    world.file("packages/core/a.txt", "text");
    symlinkSync("../packages/core", join(world.root, "packages/alias"));
    symlinkSync("packages/alias/../core", join(world.root, "core"));
    symlinkSync(join(world.root, "core/a.txt"), join(world.root, "absolute.txt"));
    expect(await readText(world.door, "packages/alias/a.txt")).toBe("text");
    expect(await readText(world.door, "core/a.txt")).toBe("text");
    expect(await readText(world.door, "absolute.txt")).toBe("text");
  });

  test("refuses circular links", async () => {
    await using world = await doorWorld({ guard });
    symlinkSync("b", join(world.root, "a"));
    symlinkSync("a", join(world.root, "b"));
    expect(await reasonOf(readText(world.door, "a"))).toBe("link");
    expect(await reasonOf(readText(world.door, "a/c"))).toBe("link");
  });

  test("lists a folder sorted by name, with links as links", async () => {
    await using world = await doorWorld({ guard });
    world.file("b", "");
    world.file("a/c", "");
    symlinkSync("b", join(world.root, "link"));
    execFileSync("mkfifo", [join(world.root, "pipe")]);
    expect(await world.door.readFolder("", { maxEntries: 4 })).toEqual([
      { name: "a", kind: "folder" },
      { name: "b", kind: "file" },
      { name: "link", kind: "link" },
      { name: "pipe", kind: "other" },
    ]);
    expect(await reasonOf(world.door.readFolder("", { maxEntries: 3 }))).toBe("too-large");
    expect(await reasonOf(world.door.readFolder("b", { maxEntries: 3 }))).toBe("not-a-folder");
    expect(await reasonOf(world.door.readFolder("c", { maxEntries: 3 }))).toBe("missing");
  });

  test("`look()` describes a link itself, and returns undefined for a missing path", async () => {
    await using world = await doorWorld({ guard });
    world.file("a", "12");
    symlinkSync("gone", join(world.root, "dangling"));
    expect(await world.door.look("a")).toEqual({ name: "a", kind: "file", size: 2n });
    expect(await world.door.look("dangling")).toMatchObject({ kind: "link" });
    expect(await world.door.look("")).toMatchObject({ kind: "folder" });
    for (const path of ["none", "none/none", "a/none"]) expect(await world.door.look(path)).toBeUndefined();
  });

  test("reads a hard link, because its other names are unknown", async () => {
    await using world = await doorWorld({ guard });
    linkSync(join(world.outside, "secret.txt"), join(world.root, "shared"));
    expect(await readText(world.door, "shared")).toBe("outside-canary");
  });
});
