import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import config from "../../vitest.config.ts";

const ROOT = join(import.meta.dirname, "../..");

const filesOf = (patterns: readonly string[]): Set<string> =>
  new Set(globSync([...patterns], { cwd: ROOT }).map((file) => file.replaceAll("\\", "/")));

test("each test file is in exactly one project of vitest.config.ts", () => {
  const projects = (config.test?.projects ?? []).map((project) => {
    if (typeof project !== "object" || !("test" in project)) throw new Error("a project without `test`");
    const { include = [], exclude = [] } = project.test ?? {};
    const excluded = filesOf(exclude);
    return [...filesOf(include)].filter((file) => !excluded.has(file));
  });
  const all = [...filesOf(["test/**/*.test.{ts,tsx}"])].sort();
  expect(all.length).toBeGreaterThan(500);
  expect(projects.flat().sort()).toEqual(all);
});
