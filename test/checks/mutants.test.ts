import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Mutant, mutate } from "../../scripts/mutants/mutant.ts";
import { namesOn, page } from "../../scripts/mutants/report.ts";
import { MUTANTS } from "../../scripts/mutants/table.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");

const mutant = (find: string, replace: string): Mutant => ({
  name: "some-mutant",
  breaks: "something",
  file: "src/core/some.ts",
  find,
  replace,
  tests: ["test/core/some.test.ts"],
});

describe("the table of breakages", () => {
  test("each breaks one line of its file as it is now", async () => {
    const problems: string[] = [];
    for (const each of MUTANTS) {
      const made = mutate(each, await read(each.file));
      if ("problem" in made) problems.push(`${each.name}: ${made.problem}`);
    }
    expect(problems).toEqual([]);
  });

  test("each has a name of its own, in kebab case, and says what it breaks", () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => !/^[a-z\d]+(?:-[a-z\d]+)*$/.test(name))).toEqual([]);
    expect(MUTANTS.filter(({ breaks }) => breaks.trim() === "")).toEqual([]);
  });

  test("each names tests that are there", () => {
    const missing = MUTANTS.flatMap(({ name, tests }) =>
      [...tests, ...(tests.length === 0 ? ["(none)"] : [])]
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${name}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  test("the committed page shows each of them, in this order", async () => {
    expect(namesOn(await read("docs/mutants.md"))).toEqual(MUTANTS.map(({ name }) => name));
  });
});

describe("a breakage", () => {
  test("is made where its text stands", () => {
    expect(mutate(mutant("> 1", ">= 1"), "a\nif (b > 1) c();\n")).toEqual({ text: "a\nif (b >= 1) c();\n" });
  });

  test("may take the lines around it to say where", () => {
    expect(mutate(mutant("b();\n  a();", "b();\n"), "a();\nb();\n  a();\n")).toEqual({
      text: "a();\nb();\n\n",
    });
  });

  test.each([
    { because: "is not there", find: "z", replace: "", text: "a\n", problem: "stands 0 times" },
    { because: "is there twice", find: "a", replace: "", text: "a\na\n", problem: "stands 2 times" },
    { because: "changes nothing", find: "a", replace: "a", text: "a\n", problem: "changes 0 lines" },
    {
      because: "changes two lines",
      find: "a\nb",
      replace: "c\nd",
      text: "a\nb\n",
      problem: "changes 2 lines",
    },
    { because: "removes a line", find: "a\n", replace: "", text: "a\nb\n", problem: "their number by -1" },
  ])("is refused when its text $because", ({ find, replace, text, problem }) => {
    expect(mutate(mutant(find, replace), text)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

test("a page gives back the names on it, whatever the titles of the tests hold", () => {
  const by = { file: "test/core/some.test.ts", title: "a | b <c> and\na-name" };
  const text = page([
    { mutant: mutant("a", "b"), fate: "caught", by },
    { mutant: { ...mutant("a", "b"), name: "another-1", file: "src/core/other.ts" }, fate: "caught", by },
  ]);
  expect(namesOn(text)).toEqual(["some-mutant", "another-1"]);
  expect(text).toContain("core/some.test.ts: a \\| b &lt;c> and a-name |\n");
  expect(text).toContain("2 breakages of 2 files.");
});
