import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_ENTRIES } from "../../../../src/codebuff-run/tools/files/list-directory.ts";
import { fileWorld } from "./world.ts";

test("`list_directory` lists files and folders, also ignored ones, but no links and pipes", async () => {
  await using world = await fileWorld();
  world.file("src/b.ts", "b");
  world.file("src/a.ts", "a");
  world.file("src/.env", "x");
  world.file("src/lib/c.ts", "c");
  world.file("src/.gitignore", "a.ts");
  symlinkSync("a.ts", join(world.root, "src/link"));
  execFileSync("mkfifo", [join(world.root, "src/pipe")]);
  const list = (path: string) => world.files.tools.list_directory({ path }, world.job());
  expect(await list("src")).toEqual({
    files: [".env", ".gitignore", "a.ts", "b.ts"],
    directories: ["lib"],
    path: "src",
  });
  expect(await list("")).toEqual({ files: [], directories: ["src"], path: "" });
  expect(await list("./src/lib/")).toEqual({ files: ["c.ts"], directories: [], path: "./src/lib/" });
});

test.each([
  ["..", "Invalid path: Path '..' is outside the project directory."],
  ["../proj-evil", "Invalid path: Path '../proj-evil' is outside the project directory."],
  ["a\0", /^Invalid path: .*NUL/],
  ["nope", /^Failed to list directory: Path 'nope' does not exist\.$/],
  ["file", /^Failed to list directory: Path 'file' /],
  ["out", /outside the project directory\.$/],
])("`list_directory` refuses %j without an absolute path in its error", async (path, message) => {
  await using world = await fileWorld();
  world.file("file", "x");
  symlinkSync("../outside", join(world.root, "out"));
  const result = await world.files.tools.list_directory({ path }, world.job());
  expect(result).toEqual({
    errorMessage: typeof message === "string" ? message : expect.stringMatching(message),
  });
  expect(JSON.stringify(result)).not.toContain(world.root);
});

test("`list_directory` refuses a folder with more than 10,000 entries", async () => {
  await using world = await fileWorld();
  mkdirSync(join(world.root, "many"));
  for (let at = 0; at <= MAX_ENTRIES; at++) writeFileSync(join(world.root, "many", `${at}`), "");
  expect(await world.files.tools.list_directory({ path: "many" }, world.job())).toEqual({
    errorMessage: "Failed to list directory: Path 'many' has more than 10000 entries.",
  });
});
