import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { searchWorld, writeTree } from "./world.ts";

const TREE = {
  "a.ts": "",
  "b.js": "",
  ".hidden.ts": "",
  ".github/x.yml": "",
  "src/c.ts": "",
  "src/deep/d.ts": "",
  "src/deep/e.tsx": "",
  "dist/f.ts": "",
  ".gitignore": "dist\n",
  ".env": "",
};

const found = async (input: { pattern: string; cwd?: string; max_results?: number }) => {
  await using world = await searchWorld(TREE);
  return await world.glob(input);
};

test("`glob` returns paths relative to the root, sorted by name, without ignored files", async () => {
  expect(await found({ pattern: "**/*.ts" })).toEqual({
    files: ["a.ts", "src/c.ts", "src/deep/d.ts"],
    count: 3,
    message: 'Found 3 file(s) matching pattern "**/*.ts"',
  });
});

test("with a cwd, the pattern matches paths from the cwd and from the root", async () => {
  expect(await found({ pattern: "*.ts", cwd: "src" })).toEqual({
    files: ["src/c.ts"],
    count: 1,
    message: 'Found 1 file(s) matching pattern "*.ts" in directory "src"',
  });
  expect(await found({ pattern: "src/*/*.ts", cwd: "src/deep" })).toMatchObject({ files: ["src/deep/d.ts"] });
  expect(await found({ pattern: "a.ts", cwd: "src" })).toMatchObject({ files: [] });
});

test.each([
  ["*", ["a.ts", "b.js"]],
  ["./a.ts", ["a.ts"]],
  ["src/**", ["src/c.ts", "src/deep/d.ts", "src/deep/e.tsx"]],
  ["**/deep/*", ["src/deep/d.ts", "src/deep/e.tsx"]],
  ["{a,b}.{ts,js}", ["a.ts", "b.js"]],
  ["{src,dist}/**/*.ts", ["src/c.ts", "src/deep/d.ts"]],
  ["s?c/c.ts", ["src/c.ts"]],
  ["[a-c].*", ["a.ts", "b.js"]],
  ["+(a|b).ts", ["a.ts"]],
  ["(src|x)/c.ts", ["src/c.ts"]],
  [".*", [".gitignore", ".hidden.ts"]],
  [".github/*", [".github/x.yml"]],
  ["!**/*.ts", [".github/x.yml", ".gitignore", ".hidden.ts", "b.js", "src/deep/e.tsx"]],
  ["src", []],
  [".env", []],
])("the pattern %s finds the expected files", async (pattern, files) => {
  expect(await found({ pattern })).toMatchObject({ files, count: files.length });
});

test("max_results ends the search, and the message says so", async () => {
  expect(await found({ pattern: "**/*.ts", max_results: 2 })).toEqual({
    files: ["a.ts", "src/c.ts"],
    count: 2,
    message: 'Found 2 file(s) matching pattern "**/*.ts" (there are more: this is the limit of 2)',
  });
  expect(await found({ pattern: "**/*.ts", max_results: 3 })).toMatchObject({
    message: 'Found 3 file(s) matching pattern "**/*.ts"',
  });
  expect(await found({ pattern: "*", max_results: 0 })).toEqual({
    errorMessage: "Failed to search for files: max_results must be 1 or more.",
  });
});

describe("a pattern that leads outside the root", () => {
  test.each(["../outside/*", "/etc/*", "src/../../outside/*", "{..,src}/*", "C:/x", "..\\x"])(
    "is refused: %s",
    async (pattern) => {
      expect(await found({ pattern })).toEqual({
        errorMessage:
          'Failed to search for files: The pattern must be relative to the project directory, without "..".',
      });
    },
  );

  test.each(["@(..)/outside/*", "[.][.]/outside/*", "?(.)?(.)/outside/*", "**/outside/*"])(
    "finds nothing: %s",
    async (pattern) => {
      await using world = await searchWorld(TREE);
      await writeTree(world.base, { "outside/secret.ts": "" });
      expect(await world.glob({ pattern })).toMatchObject({ files: [] });
    },
  );

  test("does not follow links, and does not list them", async () => {
    await using world = await searchWorld(TREE);
    await writeTree(world.base, { "outside/secret.ts": "" });
    await symlink(join(world.base, "outside"), join(world.root, "link"));
    await symlink(join(world.base, "outside/secret.ts"), join(world.root, "secret.ts"));
    await symlink(join(world.root, "src"), join(world.root, "inside"));
    await symlink("..", join(world.root, "src/loop"));
    expect(await world.glob({ pattern: "**/*.ts" })).toMatchObject({
      files: ["a.ts", "src/c.ts", "src/deep/d.ts"],
    });
    for (const pattern of ["link/**", "inside/**", "secret.ts", "src/loop/**"])
      expect(await world.glob({ pattern })).toMatchObject({ files: [] });
  });

  test.each(["..", "link"])("is refused with the cwd %s", async (cwd) => {
    await using world = await searchWorld(TREE);
    await symlink(world.base, join(world.root, "link"));
    expect(await world.glob({ pattern: "*", cwd })).toEqual({
      errorMessage: `Failed to search for files: Path '${cwd}' is outside the project directory.`,
    });
  });
});

test("a pattern above a limit is refused", async () => {
  expect(await found({ pattern: "{1..100000}" })).toEqual({
    errorMessage:
      "Failed to search for files: The pattern stands for more than 1000 globs: use fewer braces.",
  });
  expect(await found({ pattern: "a".repeat(501) })).toEqual({
    errorMessage: "Failed to search for files: The pattern is longer than 500 characters.",
  });
});

test("a range of numbers in braces matches these numbers", async () => {
  await using world = await searchWorld({ f8: "", f9: "", f10: "", f12: "" });
  expect(await world.glob({ pattern: "f{9..11}" })).toMatchObject({ files: ["f10", "f9"] });
});
