import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MAX_EDITED } from "../../../../src/codebuff-run/tools/files/edit.ts";
import { fileWorld } from "./world.ts";

const WRITE_FAILED = "Failed to write to file: file path caused an error or file could not be written";

describe("write_file", () => {
  test("creates a file with the exact content, and its parent folders", async () => {
    await using world = await fileWorld();
    const text = "\n```ts\nx\r\n```";
    expect(await world.write("a/b/new.ts", text)).toEqual({
      file: "a/b/new.ts",
      message: "Created new file",
      unifiedDiff: text,
    });
    expect(world.text("a/b/new.ts")).toBe(text);
  });

  test.each([
    ["LF", "a\nb\n", "a\nc\n", "a\nc\n"],
    ["CRLF", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"],
    ["a byte order mark", "\uFEFFa\nb\n", "a\nc\n", "\uFEFFa\nc\n"],
    ["a last line feed that the agent has left out", "a\nb\n", "a\nc", "a\nc\n"],
  ])("keeps %s of a file", async (_, before, content, after) => {
    await using world = await fileWorld();
    world.file("a", before);
    expect(await world.write("a", content)).toEqual({
      file: "a",
      message: "Updated file",
      unifiedDiff: "@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
    });
    expect(world.text("a")).toBe(after);
  });

  test("accepts a last line feed that the agent adds, and empty content", async () => {
    await using world = await fileWorld();
    world.file("a", "a");
    await world.write("a", "b\n");
    expect(world.text("a")).toBe("b\n");
    await world.write("a", "");
    expect(world.text("a")).toBe("");
  });

  test("skips a write that changes nothing", async () => {
    await using world = await fileWorld();
    world.file("a", "a\r\n");
    expect(await world.write("a", "a\n")).toEqual({
      file: "a",
      errorMessage: "The new content was the same as the old content, skipping.",
    });
  });

  test.each<[string, string | RegExp]>([
    ["../out.txt", "file path contains invalid path traversal"],
    ["../proj-evil/x", "file path contains invalid path traversal"],
    ["/etc/x", "file path contains invalid path traversal"],
    ["folder", WRITE_FAILED],
    ["pipe", WRITE_FAILED],
    ["file/x", WRITE_FAILED],
    ["link", /link/],
    ["dangling", /link/],
    ["out/x", "file path contains invalid path traversal"],
    [".git/config", /\.git/],
    [".env", /blocked/],
    ["ignored", /blocked/],
    ["program", "The file is no UTF-8 text, so it cannot be edited."],
    ["huge", /more than 10485760 bytes/],
  ])("refuses the path %s and changes nothing", async (path, message) => {
    await using world = await fileWorld();
    const at = (name: string) => join(world.root, name);
    world.file("file", "x");
    world.file(".gitignore", "ignored");
    mkdirSync(at("folder"));
    execFileSync("mkfifo", [at("pipe")]);
    symlinkSync("file", at("link"));
    symlinkSync("nothing", at("dangling"));
    symlinkSync("../outside", at("out"));
    writeFileSync(at("program"), Uint8Array.of(1, 0));
    writeFileSync(at("huge"), Buffer.alloc(10 * 1_048_576 + 1, 97));
    const before = readdirSync(world.root);
    const outside = world.outsideNow();
    const result = await world.write(path, "y");
    expect(result).toEqual({
      file: path,
      errorMessage: typeof message === "string" ? message : expect.stringMatching(message),
    });
    expect(JSON.stringify(result)).not.toContain(world.root);
    expect(readdirSync(world.root)).toEqual(before);
    expect(world.outsideNow()).toEqual(outside);
    expect(world.changes.list()).toEqual([]);
  });
});

describe("str_replace", () => {
  test("makes replacements in order, by `old` and `new` or `oldString` and `newString`", async () => {
    await using world = await fileWorld();
    world.file("a", "one\r\ntwo\r\n");
    const replacements = [
      { old: "one", new: "1", allowMultiple: false },
      { oldString: "1\ntwo", newString: "$&", allowMultiple: false },
    ];
    expect(await world.files.tools.str_replace({ path: "a", replacements }, world.job())).toEqual({
      file: "a",
      message: "Updated file",
      unifiedDiff: "@@ -1,2 +1,1 @@\n-one\n-two\n+$&\n",
    });
    expect(world.text("a")).toBe("$&\r\n");
  });

  test("reports failed replacements beside the ones that were made", async () => {
    await using world = await fileWorld();
    world.file("a", "aa b\n");
    const replacements = [
      { old: "zz", new: "x" },
      { old: "a", new: "x" },
      { old: "b", new: "c" },
    ];
    expect(await world.files.tools.str_replace({ path: "a", replacements }, world.job())).toMatchObject({
      message: [
        'The old string "zz" was not found in the file, skipping. Please try again with a different old string that matches the file content exactly.',
        'Found 2 occurrences of "a" in the file. Please try again with a longer (more specified) old string or set allowMultiple to true.',
        "Updated file",
      ].join("\n\n"),
    });
  });

  test.each([
    [
      "b",
      'The old string "b" was not found in the file, skipping. Please try again with a different old string that matches the file content exactly.\n\nNo change to the file',
    ],
    ["a", "No change to the file"],
  ])("fails if replacing %j by `a` changes nothing", async (old, errorMessage) => {
    await using world = await fileWorld();
    world.file("f", "a\n");
    expect(await world.replace("f", old, "a")).toEqual({ file: "f", errorMessage });
  });

  test("does not create a file", async () => {
    await using world = await fileWorld();
    expect(await world.replace("f", "a", "b")).toEqual({
      file: "f",
      errorMessage: "The file does not exist, skipping. Please use the write_file tool to create the file.",
    });
  });
});

describe("apply_patch", () => {
  const done = (file: string, action: string) => ({
    message: "Applied 1 patch operation.",
    applied: [{ file, action }],
  });

  test("creates, updates and deletes a file", async () => {
    await using world = await fileWorld();
    expect(await world.patch("create_file", "d/a", "+a\n+b\n")).toEqual(done("d/a", "add"));
    expect(world.text("d/a")).toBe("a\nb");
    expect(await world.patch("update_file", "d/a", "@@\n-a\n+A")).toEqual(done("d/a", "update"));
    expect(world.text("d/a")).toBe("A\nb");
    expect(await world.remove("d/a")).toEqual(done("d/a", "delete"));
    expect(readdirSync(join(world.root, "d"))).toEqual([]);
  });

  test("keeps CRLF", async () => {
    await using world = await fileWorld();
    world.file("a", "a\r\nb\r\n");
    await world.patch("update_file", "a", "@@\n-b\n+B\n+C");
    expect(world.text("a")).toBe("a\r\nB\r\nC\r\n");
  });

  test("deletes a link and keeps its target", async () => {
    await using world = await fileWorld();
    symlinkSync("../outside/secret.txt", join(world.root, "link"));
    const outside = world.outsideNow();
    expect(await world.remove("link")).toEqual(done("link", "delete"));
    expect(lstatSync(join(world.root, "link"), { throwIfNoEntry: false })).toBeUndefined();
    expect(world.outsideNow()).toEqual(outside);
  });

  test.each<["create_file" | "update_file", string, string, string | RegExp]>([
    ["create_file", "../x", "+a", "Invalid path: ../x"],
    [
      "create_file",
      "a",
      "+a",
      "Failed to apply patch to a. The file exists already. Use update_file to change it.",
    ],
    ["create_file", "b", "a", "Invalid Add File Line: a"],
    [
      "update_file",
      "b",
      "@@\n-a",
      "Failed to apply patch to b. The file does not exist. Use create_file to make it.",
    ],
    ["update_file", "a", "@@\n-b", /^Failed to apply patch to a\. The lines of section 1 were not found/],
    [
      "update_file",
      "folder",
      "@@\n-b",
      /^Failed to apply patch to folder\. Path 'folder' is not a regular file/,
    ],
    [
      "update_file",
      "program",
      "@@\n-b",
      "Failed to apply patch to program. The file is no UTF-8 text, so it cannot be edited.",
    ],
  ])("%s of %s by %j fails", async (type, path, diff, message) => {
    await using world = await fileWorld();
    world.file("a", "a\n");
    mkdirSync(join(world.root, "folder"));
    writeFileSync(join(world.root, "program"), Uint8Array.of(1, 0));
    expect(await world.patch(type, path, diff)).toEqual({
      errorMessage: typeof message === "string" ? message : expect.stringMatching(message),
    });
    expect(world.text("a")).toBe("a\n");
  });

  test.each([
    ["b", "Failed to apply patch to b. The file does not exist."],
    ["../x", "Invalid path: ../x"],
    ["", /^Invalid parameters for apply_patch: /],
  ])("refuses to delete %j", async (path, message) => {
    await using world = await fileWorld();
    expect(await world.remove(path)).toEqual({
      errorMessage: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });
});

test.each([
  ["lines that repeat", `@@ -1,200001 +1,200000 @@\n${" a\n".repeat(200_000)}-b\n`],
  ["added lines", `@@ -1,1 +1,200000 @@\n${"+a\n".repeat(200_000)}-b\n`],
])("a server's patch that fits nowhere is refused in bounded time, with very many %s", async (_, content) => {
  await using world = await fileWorld();
  world.file("a", "a\n".repeat(400_000));
  const input = { type: "patch", path: "a", content };
  expect(await world.files.tools.str_replace(input, world.job())).toEqual({
    file: "a",
    errorMessage: "The place of the patch takes too long to find. Send the whole file.",
  });
});

test("a server's patch with very many lines is applied if it fits", async () => {
  await using world = await fileWorld();
  world.file("a", "a\n".repeat(200_000));
  const content = `@@ -1,200000 +1,199999 @@\n${" a\n".repeat(199_999)}-a\n`;
  const input = { type: "patch", path: "a", content };
  expect(await world.files.tools.str_replace(input, world.job())).toMatchObject({ message: "Updated file" });
  expect(world.text("a")).toHaveLength(2 * 199_999);
});

describe("a file larger than undo can read", () => {
  const errorMessage = expect.stringContaining(`longer than ${MAX_EDITED} bytes`);
  const half = "é".repeat(MAX_EDITED / 2); // two bytes each

  test("is not created; a file of exactly the limit is, and can be reverted", async () => {
    await using world = await fileWorld();
    expect(await world.write("a", `${half}x`)).toEqual({ file: "a", errorMessage });
    expect(await world.patch("create_file", "a", `+${half}x`)).toEqual({ errorMessage });
    expect(await world.write("a", half)).toHaveProperty("message");
    expect(await world.changes.revert()).toEqual({ reverted: ["a"], conflicts: [] });
  });

  test("cannot result from an edit, and the preview says so", async () => {
    await using world = await fileWorld();
    world.file("a", `a\n${half.slice(1)}`);
    expect(await world.replace("a", "a\n", "aé\n")).toEqual({ file: "a", errorMessage });
    const input = { path: "a", replacements: [{ old: "a\n", new: "aé\n" }] };
    const preview = await world.files.preview({ name: "str_replace", input }, world.job());
    expect(preview?.text).toEqual(errorMessage);
    expect(world.changes.list()).toEqual([]);
  });
});
