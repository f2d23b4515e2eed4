import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHANGED } from "../../../../src/codebuff-run/tools/files/edit.ts";
import { type FileWorld, fileWorld } from "./world.ts";

type Name = keyof FileWorld["files"]["tools"];

const patch = (type: string, path: string, diff?: string) => ({
  name: "apply_patch" as const,
  input: { operation: { type, path, ...(diff === undefined ? {} : { diff }) } },
});
const write = (path: string, content: string) => ({
  name: "write_file" as const,
  input: { path, instructions: "", content },
});
const replace = (path: string, ...replacements: readonly object[]) => ({
  name: "str_replace" as const,
  input: { path, replacements },
});

const HUNK = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n";

test.each<[string, { readonly name: string; readonly input: Record<string, unknown> }, string | undefined]>([
  ["a new file", write("new", "x\ny"), "@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n"],
  ["another content", write("a", "A\nb\n"), HUNK],
  ["the same content", write("a", "a\nb\n"), "The new content was the same as the old content, skipping."],
  ["a replacement", replace("a", { old: "a", new: "A" }), HUNK],
  ["a replacement in the other spelling", replace("a", { oldString: "a", newString: "A" }), HUNK],
  ["a patch", patch("update_file", "a", "@@\n-a\n+A"), HUNK],
  [
    "a created file",
    patch("create_file", "new", "+x"),
    "@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n",
  ],
  ["a deleted file", patch("delete_file", "a"), "@@ -1,2 +0,0 @@\n-a\n-b\n"],
  ["a deleted program", patch("delete_file", "program"), "Deletes a file that is no UTF-8 text.\n"],
  ["a deleted link", patch("delete_file", "link"), "Deletes a link.\n"],
  ["a path outside", write("../x", "y"), "file path contains invalid path traversal"],
  ["a patch outside", patch("delete_file", "../x"), "Invalid path: ../x"],
  ["another tool", { name: "read_files", input: { paths: ["a"] } }, undefined],
])("a preview shows the result of %s", async (_, call, expected) => {
  await using world = await fileWorld();
  world.file("a", "a\nb\n");
  writeFileSync(join(world.root, "program"), Uint8Array.of(0));
  symlinkSync("a", join(world.root, "link"));
  expect((await world.files.preview(call, world.job()))?.text).toBe(expected);
  expect(world.text("a")).toBe("a\nb\n");
  expect(world.changes.list()).toEqual([]);
});

const HALF = "\ud83d";
const MALFORMED = "half of a surrogate pair";
const ofServer = (name: Name, type: string, content: string, path = "a") => ({
  name,
  input: { type, path, content },
});

test.each<[string, { readonly name: Name; readonly input: unknown }, string | RegExp]>([
  ["no object", { name: "write_file", input: 5 }, "Invalid parameters for write_file: the input is 5."],
  ["a missing content", { name: "write_file", input: { path: "a", instructions: "" } }, /content/],
  ["a half replacement", replace("a", { old: "a", newString: "A" }), /replacements.0/],
  ["replacements that are none", { name: "str_replace", input: { path: "a", replacements: "x" } }, /array/],
  ["101 replacements", replace("a", ...Array.from({ length: 101 }, () => ({ old: "a", new: "b" }))), /100/],
  ["a patch without a diff", patch("update_file", "a"), /diff/],
  ["a patch of another kind", patch("move_file", "a", "x"), /operation/],
  ["a patch that is a text", { name: "apply_patch", input: { operation: "x" } }, /operation/],
  [
    "a malformed content",
    write("a", HALF),
    `Invalid parameters for write_file: [{"path":"content","message":"${MALFORMED}"}]`,
  ],
  ["a malformed path", write(`a${HALF}`, "x"), MALFORMED],
  [
    "a malformed new text",
    replace("a", { old: "a", new: HALF }),
    `"replacements.0.new","message":"${MALFORMED}"`,
  ],
  ["an old text that is half of a character", replace("a", { old: HALF, new: "x" }), MALFORMED],
  ["the same in the other spelling", replace("a", { oldString: "\ude00", newString: "x" }), MALFORMED],
  ["a malformed diff", patch("create_file", "new", `+${HALF}`), MALFORMED],
  ["a malformed file of a server", ofServer("write_file", "file", HALF), MALFORMED],
  [
    "a malformed patch of a server",
    ofServer("str_replace", "patch", `@@ -1,1 +1,1 @@\n-a\n+${HALF}\n`),
    MALFORMED,
  ],
  [
    "a patch of a server without hunks",
    ofServer("str_replace", "patch", "-a\n+b\n"),
    "The patch has no hunks.",
  ],
  ["an empty patch of a server", ofServer("write_file", "patch", ""), "The patch has no hunks."],
  [
    "a patch of a server that changes nothing",
    ofServer("write_file", "patch", "@@ -2,1 +2,1 @@\n b\n"),
    "The patch changes nothing.",
  ],
  [
    "a patch of a server for two files",
    ofServer(
      "write_file",
      "patch",
      "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1,1 +1,1 @@\n-a\n+b\n",
    ),
    "The patch is for several files.",
  ],
  [
    "a patch of a server that cannot be read",
    ofServer("write_file", "patch", "@@ -1,1 +1,1 @@\n-a\n?\n"),
    "The patch is no unified diff.",
  ],
  ["an ignore file", write(".gitignore", "x"), /is an ignore file/],
  ["a new ignore file", patch("create_file", "dir/.gitignore", "+x"), /is an ignore file/],
  ["a file of Git", write(".git/config", "x"), /\.git/],
  ["a file of secrets", write(".env", "x"), /blocked/],
  ["a link", write("link", "x"), /Links are not written through/],
  ["a link that leads nowhere", patch("create_file", "nowhere", "+x"), /Links are not written through/],
  ["a link with the name of a file of secrets", patch("delete_file", ".envrc"), /blocked/],
  ["a link that is an ignore file", patch("delete_file", "sub/.gitignore"), /is an ignore file/],
])("a preview shows the error of a call that fails: %s", async (_, { name, input }, words) => {
  await using world = await fileWorld();
  world.file("a", "a \u{1f600}\nb\n");
  world.file(".gitignore", "ignored\n");
  world.file(".git/config", "");
  world.file("sub/x", "");
  for (const [target, link] of [
    ["a", "link"],
    ["no", "nowhere"],
    ["a", ".envrc"],
    ["x", "sub/.gitignore"],
  ] as const)
    symlinkSync(target, join(world.root, link));
  const names = readdirSync(world.root, { recursive: true });
  const preview = await world.files.preview({ name, input }, world.job());
  const failure = await world.files.tools[name](input, world.job());
  expect(failure).toMatchObject({ errorMessage: preview?.text });
  expect(preview?.text).toMatch(words);
  expect(world.text("a")).toBe("a \u{1f600}\nb\n");
  expect(readdirSync(world.root, { recursive: true })).toEqual(names);
  expect(world.changes.list()).toEqual([]);
});

test("an approved edit is refused if the file has changed since its preview", async () => {
  await using world = await fileWorld();
  world.file("a", "a\nb\n");
  const shown = await world.files.preview(write("a", "A\nb\n"), world.job());
  world.file("a", "a\nc\n");
  const edit = world.write("a", "A\nb\n", world.job({ shown: shown?.shown }));
  expect(await edit).toEqual({ file: "a", errorMessage: CHANGED });
  expect(world.text("a")).toBe("a\nc\n");
});
