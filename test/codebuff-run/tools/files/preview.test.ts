import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHANGED } from "../../../../src/codebuff-run/tools/files/edit.ts";
import { fileWorld } from "./world.ts";

const patch = (type: string, path: string, diff?: string) => ({
  name: "apply_patch",
  input: { operation: { type, path, ...(diff === undefined ? {} : { diff }) } },
});
const write = (path: string, content: string) => ({ name: "write_file", input: { path, content } });
const replace = (path: string, ...replacements: readonly object[]) => ({
  name: "str_replace",
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
  ["a missing content", { name: "write_file", input: { path: "a" } }, undefined],
  ["a half replacement", replace("a", { old: "a", newString: "A" }), undefined],
  ["replacements that are none", { name: "str_replace", input: { path: "a", replacements: "x" } }, undefined],
  ["a patch without a diff", patch("update_file", "a"), undefined],
  ["a patch of another kind", patch("move_file", "a", "x"), undefined],
  ["a patch that is a text", { name: "apply_patch", input: { operation: "x" } }, undefined],
])("of %s", async (_, call, expected) => {
  await using world = await fileWorld();
  world.file("a", "a\nb\n");
  writeFileSync(join(world.root, "program"), Uint8Array.of(0));
  symlinkSync("a", join(world.root, "link"));
  expect((await world.room.preview(call, world.job()))?.text).toBe(expected);
  expect(world.text("a")).toBe("a\nb\n");
  expect(world.changes.list()).toEqual([]);
});

test("an approved edit is refused if the file has changed since its preview", async () => {
  await using world = await fileWorld();
  world.file("a", "a\nb\n");
  const shown = await world.room.preview(write("a", "A\nb\n"), world.job());
  world.file("a", "a\nc\n");
  const edit = world.write("a", "A\nb\n", world.job({ shown: shown?.shown }));
  expect(await edit).toEqual({ file: "a", errorMessage: CHANGED });
  expect(world.text("a")).toBe("a\nc\n");
});
