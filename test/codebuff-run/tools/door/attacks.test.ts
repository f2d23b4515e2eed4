import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RefusalReason } from "../../../../src/codebuff-run/tools/door/refusal.ts";
import { type DoorWorld, doorWorld, GUARDS, readText, reasonOf, refusalOf } from "./world.ts";

interface Attack {
  readonly name: string;
  readonly path: string | ((world: DoorWorld) => string);
  readonly prepare?: (world: DoorWorld) => void;
  readonly read: RefusalReason;
  readonly write: RefusalReason;
}

const link = (from: string, to: (world: DoorWorld) => string) => (world: DoorWorld) =>
  symlinkSync(to(world), join(world.root, from));

const ATTACKS: readonly Attack[] = [
  { name: "a parent", path: "../secret.txt", read: "outside", write: "outside" },
  { name: "a parent in the middle", path: "a/../../secret.txt", read: "outside", write: "outside" },
  { name: "many parents", path: `${"../".repeat(40)}etc/passwd`, read: "outside", write: "outside" },
  { name: "an absolute path", path: "/etc/passwd", read: "outside", write: "outside" },
  {
    name: "an absolute path to the sibling",
    path: ({ root }) => `${root}-evil/secret.txt`,
    read: "outside",
    write: "outside",
  },
  {
    name: "a sibling with the same prefix",
    path: "../proj-evil/secret.txt",
    read: "outside",
    write: "outside",
  },
  { name: "a NUL character", path: "a\0.txt", read: "invalid", write: "invalid" },
  { name: "a lone surrogate", path: "a\ud800", read: "invalid", write: "invalid" },
  { name: "a path of more than 4096 bytes", path: "é/".repeat(1_366), read: "invalid", write: "invalid" },
  { name: "a name of more than 255 bytes", path: "é".repeat(128), read: "invalid", write: "invalid" },
  {
    name: "a link to a file outside",
    prepare: link("link", ({ outside }) => join(outside, "secret.txt")),
    path: "link",
    read: "outside",
    write: "link",
  },
  {
    name: "a relative link to a file outside",
    prepare: link("link", () => "../outside/secret.txt"),
    path: "link",
    read: "outside",
    write: "link",
  },
  {
    name: "a link to a folder outside",
    prepare: link("folder", ({ outside }) => outside),
    path: "folder/secret.txt",
    read: "outside",
    write: "outside",
  },
  {
    name: "a new file behind a link to a folder outside",
    prepare: link("folder", ({ outside }) => outside),
    path: "folder/new/file.txt",
    read: "outside",
    write: "outside",
  },
  {
    name: "a link to the sibling with the same prefix",
    prepare: link("folder", ({ root }) => `${root}-evil`),
    path: "folder/secret.txt",
    read: "outside",
    write: "outside",
  },
  {
    name: "a link to a link to a folder outside",
    prepare: (world) => {
      link("first", ({ outside }) => outside)(world);
      link("second", () => "first")(world);
    },
    path: "second/secret.txt",
    read: "outside",
    write: "outside",
  },
  {
    name: "a dangling link inside",
    prepare: link("dangling", () => "gone.txt"),
    path: "dangling",
    read: "missing",
    write: "link",
  },
  {
    name: "a dangling link as a folder",
    prepare: link("dangling", () => "gone"),
    path: "dangling/new/file.txt",
    read: "missing",
    write: "missing",
  },
  {
    name: "a link to the root of the machine",
    prepare: link("machine", () => "/"),
    path: "machine/etc/passwd",
    read: "outside",
    write: "outside",
  },
  {
    name: "a link to /proc",
    prepare: link("proc", () => "/proc/self"),
    path: "proc/environ",
    read: "outside",
    write: "outside",
  },
  {
    name: "a link to a file that /proc leads to",
    prepare: link("program", () => "/proc/self/exe"),
    path: "program",
    read: "outside",
    write: "link",
  },
  {
    name: "a link to a device",
    prepare: link("zero", () => "/dev/zero"),
    path: "zero",
    read: "outside",
    write: "link",
  },
  {
    name: "a pipe",
    prepare: ({ root }) => execFileSync("mkfifo", [join(root, "pipe")]),
    path: "pipe",
    read: "not-a-file",
    write: "not-a-file",
  },
  {
    name: "the inside of .git",
    prepare: (world) => world.file(".git/config", "token"),
    path: ".git/config",
    read: "blocked",
    write: "protected",
  },
  { name: "a hook in .git, in other letters", path: "a/.GIT/hooks/x", read: "blocked", write: "protected" },
  { name: ".git with an unseen character", path: ".g\u200cit/hooks/x", read: "blocked", write: "protected" },
  { name: "the short name of .git", path: "GIT~1/hooks/x", read: "blocked", write: "protected" },
  {
    name: "a folder link to .git",
    prepare: (world) => {
      world.file(".git/config", "token");
      link("g", () => ".git")(world);
    },
    path: "g/config",
    read: "blocked",
    write: "protected",
  },
  {
    name: "a new folder behind a link to .git",
    prepare: (world) => {
      world.file(".git/config", "token");
      link("g", () => ".git")(world);
    },
    path: "g/new/hook",
    read: "blocked",
    write: "protected",
  },
  { name: "a file of secrets", path: "a/.env", read: "blocked", write: "blocked" },
  { name: "a file of secrets, in other letters", path: ".ENV.local", read: "blocked", write: "blocked" },
  {
    name: "a link to a file of secrets",
    prepare: (world) => {
      world.file(".env", "KEY=1");
      link("harmless.txt", () => ".env")(world);
    },
    path: "harmless.txt",
    read: "blocked",
    write: "link",
  },
];

describe.each(GUARDS)("file guard %s", (guard) => {
  test.each(ATTACKS)("refuses reads and writes of $name", async ({ path, prepare, read, write }) => {
    await using world = await doorWorld({ guard });
    prepare?.(world);
    const before = world.outsideNow();
    const asked = typeof path === "string" ? path : path(world);
    const { door } = world;
    const bytes = Buffer.from("written");
    expect(await reasonOf(readText(door, asked))).toBe(read);
    expect(await reasonOf(door.writeFile(asked, bytes, { replaces: undefined }))).toBe(write);
    expect(world.outsideNow()).toEqual(before);
  });

  test.each(ATTACKS)("shows no absolute path in errors about $name", async ({ path, prepare }) => {
    await using world = await doorWorld({ guard });
    prepare?.(world);
    const asked = typeof path === "string" ? path : path(world);
    const refusals = [
      await refusalOf(readText(world.door, asked)),
      await refusalOf(world.door.writeFile(asked, Buffer.from(""), { replaces: undefined })),
    ];
    for (const { message, cause } of refusals) {
      expect(message.replaceAll(asked, "")).not.toMatch(/(^|[\s'"(])\/\w/);
      expect(cause).toBeUndefined();
    }
  });

  test("lists, opens and removes nothing behind a link to the outside", async () => {
    await using world = await doorWorld({ guard });
    symlinkSync(world.outside, join(world.root, "folder"));
    const before = world.outsideNow();
    const { door } = world;
    expect(await reasonOf(door.readFolder("folder", { maxEntries: 9 }))).toBe("outside");
    expect(await reasonOf(door.openFolder("folder"))).toBe("outside");
    expect(await reasonOf(door.look("folder/secret.txt"))).toBe("outside");
    expect(await reasonOf(door.removeFile("folder/secret.txt"))).toBe("outside");
    expect(await reasonOf(door.removeFolder("folder"))).toBe("not-a-folder");
    expect(await door.status("folder/secret.txt", "file")).toBe("blocked");
    expect(world.outsideNow()).toEqual(before);
  });

  test("deletes a link and keeps its target", async () => {
    await using world = await doorWorld({ guard });
    symlinkSync(join(world.outside, "secret.txt"), join(world.root, "link"));
    const before = world.outsideNow();
    await world.door.removeFile("link");
    expect(await world.door.look("link")).toBeUndefined();
    expect(world.outsideNow()).toEqual(before);
  });

  test("writes one name of a hard link without changing the file of the other name", async () => {
    await using world = await doorWorld({ guard });
    linkSync(join(world.outside, "secret.txt"), join(world.root, "shared"));
    const { stamp } = await world.door.readFile("shared", { maxBytes: 99 });
    await world.door.writeFile("shared", Buffer.from("new"), { replaces: stamp });
    expect(world.text("shared")).toBe("new");
    expect(JSON.stringify(world.outsideNow(), (_, value) => String(value))).not.toContain("new");
  });

  test("refuses to write to an absolute path, even inside the root", async () => {
    await using world = await doorWorld({ guard });
    const path = join(world.root, "a");
    const refusal = await refusalOf(world.door.writeFile(path, Buffer.from(""), { replaces: undefined }));
    expect(refusal.reason).toBe("invalid");
    expect(refusal.message).not.toContain(world.root);
  });

  test("accepts harmless names that look dangerous", async () => {
    await using world = await doorWorld({ guard });
    for (const path of ["..foo", "...", "a..b/.gitkeep", "-rf", "a\\..\\b", ".environment", "~"]) {
      await world.door.writeFile(path, Buffer.from(path), { replaces: undefined });
      expect(await readText(world.door, path)).toBe(path);
    }
  });

  test("writes through a folder link that stays inside, and keeps the link", async () => {
    await using world = await doorWorld({ guard });
    mkdirSync(join(world.root, "real"));
    symlinkSync("real", join(world.root, "alias"));
    await world.door.writeFile("alias/sub/a.txt", Buffer.from("text"), { replaces: undefined });
    expect(world.text("real/sub/a.txt")).toBe("text");
    expect(readlinkSync(join(world.root, "alias"))).toBe("real");
  });
});
