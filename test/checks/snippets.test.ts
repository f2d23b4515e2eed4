import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { snippets } from "../../scripts/checks/snippets.ts";
import { fillFences, readFences } from "../../scripts/support/fences.ts";
import { readRegions } from "../../scripts/support/regions.ts";
import { run } from "../../scripts/support/run.ts";
import { type Files, findingsIn, lines, tree } from "./tree.ts";

const text = (...rows: readonly string[]) => rows.join("\n");
const fence = (name: string, ...code: readonly string[]) =>
  text(`<!-- snippet: ${name} -->`, "```ts", ...code, "```");

const CLEAN: Files = {
  "tsconfig.json": { include: ["docs/snippets/*.ts"] },
  "README.md": text(
    "# agentwire",
    "```sh",
    "npm ci",
    "```",
    "<!-- first-program -->",
    fence("first", 'import { a } from "agentwire";', "", "a();"),
  ),
  "docs/guide.md": text("A loop:", "", fence("loop", "for (const b of c) {", "  use(b);", "}")),
  "docs/snippets/first.ts": text(
    "// #region first",
    'import { a } from "agentwire";',
    "",
    "a();",
    "// #endregion",
  ),
  "docs/snippets/guide.ts": text(
    "export function loop() {",
    "  // #region loop",
    "  for (const b of c) {",
    "    use(b);",
    "  }",
    "  // #endregion",
    "}",
  ),
};

describe("the check of snippets", () => {
  test("passes code fences that equal their regions", async () => {
    expect(await findingsIn(snippets, CLEAN)).toEqual([]);
  });

  const PAGES: readonly [title: string, page: string, finding: string][] = [
    [
      "a line that differs",
      fence("loop", "for (const b of c) {", "  use(c);", "}"),
      "docs/new.md:4 is not the region loop",
    ],
    [
      "a line too many",
      fence("first", 'import { a } from "agentwire";', "", "a();", "a();"),
      "docs/new.md:6 is not the region first",
    ],
    [
      "a line too few",
      fence("first", 'import { a } from "agentwire";', ""),
      "docs/new.md:4 is not the region first",
    ],
    ["code without a marker", text("```ts", "a();", "```"), "docs/new.md:1 code that nobody compiles"],
    [
      "JavaScript without a marker",
      text("~~~~js title=a.js", "a();", "~~~~"),
      "docs/new.md:1 code that nobody compiles",
    ],
    [
      "a marker that is not directly before its fence",
      text("<!-- snippet: loop -->", "", "```ts", "a();", "```"),
      "docs/new.md:1 no fence follows the marker of the snippet loop",
    ],
    [
      "a marker at the end of a page",
      "<!-- snippet: loop -->",
      "docs/new.md:1 no fence follows the marker of the snippet loop",
    ],
    [
      "a region that is nowhere",
      fence("lost", "a();"),
      "docs/new.md:2 no file in docs/snippets/ has a region lost",
    ],
    [
      "a marker on another language",
      text("<!-- snippet: loop -->", "```sh", "a", "```"),
      "docs/new.md:2 the snippet loop needs a ```ts or tsx fence",
    ],
    [
      "a fence inside a list",
      text("- so:", "<!-- snippet: loop -->", "  ```ts", "  a();", "  ```"),
      "docs/new.md:3 the fence of the snippet loop is indented",
    ],
    ["a fence that never closes", text("```sh", "npm ci"), "docs/new.md:1 a fence that never closes"],
  ];
  test.each(PAGES)("refuses %s", async (_, page, finding) => {
    const findings = lines(await findingsIn(snippets, { ...CLEAN, "docs/new.md": page }));
    expect(findings).toContainEqual(expect.stringContaining(finding));
  });

  const SOURCES: readonly [title: string, source: string, finding: string][] = [
    [
      "a region that no page shows",
      text("// #region spare", "a();", "// #endregion"),
      ":1 no page shows the region spare",
    ],
    [
      "two regions of one name",
      text("// #region first", "a();", "// #endregion"),
      ":1 a second region first",
    ],
    ["a region that never ends", text("a();", "// #region first"), ":2 the region first never ends"],
    ["an end without a beginning", text("a();", "// #endregion"), ":2 a region ends that never began"],
    [
      "a region inside a region",
      text("// #region a", "// #region b", "x();", "// #endregion"),
      ":2 a region begins inside the region a",
    ],
    ["an empty region", text("// #region a", "", "// #endregion"), ":1 the region a is empty"],
    ["a region without a name", text("// #region", "a();", "// #endregion"), ':1 "" is no name of a region'],
    ["an error that is silenced", text("a();", "// @ts-expect-error", "b();"), ":2 silences the compiler"],
  ];
  test.each(SOURCES)("refuses %s", async (_, source, finding) => {
    const findings = lines(await findingsIn(snippets, { ...CLEAN, "docs/snippets/new.ts": source }));
    expect(findings).toContainEqual(expect.stringContaining(`docs/snippets/new.ts${finding}`));
  });

  test("refuses a file of regions that is not compiled", async () => {
    const files = { ...CLEAN, "tsconfig.json": { include: ["docs/snippets/first.ts"] } };
    expect(lines(await findingsIn(snippets, files))).toEqual([
      "docs/snippets/guide.ts:1 tsconfig.json and docs/snippets/web/tsconfig.json do not include it: it may rot",
    ]);
  });

  test("fails for pages without code", async () => {
    const files = { "README.md": "# agentwire", "docs/snippets/none.ts": "", "tsconfig.json": {} };
    expect(lines(await findingsIn(snippets, files))).toEqual([
      ". no page shows any code: there is nothing to check",
    ]);
  });

  test("fails for a tree without regions", async () => {
    await expect(findingsIn(snippets, { "README.md": "# agentwire" })).rejects.toThrow("ENOENT");
  });
});

describe("a region of a snippet file", () => {
  test("is shown without its common indentation and surrounding blank lines", () => {
    const { regions } = readRegions(
      text("  // #region a", "", "  if (b) {", "", "    c();", "  }", "", "  // #endregion"),
    );
    expect(regions).toEqual([{ name: "a", line: 1, code: text("if (b) {", "", "  c();", "}") }]);
  });
});

describe("a code fence", () => {
  test("ends at as many marks as it began with, so it may contain a fence", () => {
    const page = text("````md", "<!-- snippet: a -->", "```ts", "b();", "```", "````");
    expect(readFences(page)).toEqual({
      fences: [
        {
          language: "md",
          code: text("<!-- snippet: a -->", "```ts", "b();", "```"),
          line: 1,
          indented: false,
          snippet: undefined,
        },
      ],
      mistakes: [],
    });
  });

  test.each([
    ["nothing", []],
    ["a blank line", [""]],
    ["less", ["a();"]],
    ["more", ["a();", "b();", "c();", "d();"]],
  ])("that contains %s is filled, and the text around it stays", (_, code) => {
    const other = text("```sh", "npm ci", "```");
    const page = text("one", fence("x", ...code), "two", other, fence("unknown", "e();"), "three");
    const filled = fillFences(page, (name) => (name === "x" ? "a();\nb();" : undefined));
    expect(filled).toBe(
      text("one", fence("x", "a();", "b();"), "two", other, fence("unknown", "e();"), "three"),
    );
  });
});

describe("npm run snippets", () => {
  const SCRIPT = join(import.meta.dirname, "../../scripts/snippets.ts");
  const program = (...args: readonly string[]) =>
    run(process.execPath, [SCRIPT, ...args], { cwd: import.meta.dirname, timeout: 15_000 });
  const ROTTEN: Files = { ...CLEAN, "docs/guide.md": text("A loop:", fence("loop", "for (;;) {}")) };

  test("prints the differences, exits with 1 and changes nothing", async () => {
    await using folder = await tree(ROTTEN);
    const { ending, stdout } = await program("--root", folder.path);
    expect(ending).toBe("exit code 1");
    expect(stdout).toContain("! docs/guide.md:4  is not the region loop");
    expect(await readFile(join(folder.path, "docs/guide.md"), "utf8")).toBe(ROTTEN["docs/guide.md"]);
  });

  test("copies the regions with --write into the pages that differ", async () => {
    await using folder = await tree(ROTTEN);
    const { ok, stdout } = await program("--root", folder.path, "--write");
    expect(stdout).toBe("wrote docs/guide.md\n2 fences in 2 pages, 2 regions\n");
    expect(ok).toBe(true);
    expect(await readFile(join(folder.path, "docs/guide.md"), "utf8")).toBe(
      text("A loop:", fence("loop", "for (const b of c) {", "  use(b);", "}")),
    );
  });
});
