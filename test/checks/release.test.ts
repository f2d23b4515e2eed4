import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changelog } from "../../scripts/checks/changelog.ts";
import { git } from "../../scripts/checks/git.ts";
import { licences } from "../../scripts/checks/licences.ts";
import { judgeSize } from "../../scripts/checks/tarball.ts";
import { run } from "../../scripts/support/run.ts";
import { findingsIn, lines, tree } from "./tree.ts";

const PACKAGE = { "package.json": { name: "agentwire", version: "1.2.0" } };

describe("changelog", () => {
  test.each([
    ["an entry of the version", "## [Unreleased]\n\n## [1.2.0] - 2026-11-28\n\n### Added\n\n- More.\n"],
    ["an entry of what is unreleased", "## [Unreleased]\n\n- More.\n\n## [1.1.0]\n\n- Less.\n"],
  ])("passes %s", async (_, text) => {
    expect(await findingsIn(changelog, { ...PACKAGE, "CHANGELOG.md": text })).toEqual([]);
  });

  test.each([
    ["older versions alone", "## [1.1.0] - 2026-01-01\n\n- Less.\n"],
    ["an empty entry", "## [Unreleased]\n\n## [1.1.0]\n\n- Less.\n"],
    ["an empty entry with a date", "## [1.2.0] - 2026-11-28\n\n## [1.1.0]\n\n- Less.\n"],
  ])("refuses %s", async (_, text) => {
    expect(lines(await findingsIn(changelog, { ...PACKAGE, "CHANGELOG.md": text }))).toEqual([
      'CHANGELOG.md has no entry for 1.2.0: write under "## [Unreleased]" what changes for users',
    ]);
  });
});

describe("git", () => {
  const NAME = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];

  async function found(
    version: string,
    ...after: readonly (readonly string[])[]
  ): Promise<readonly string[]> {
    await using folder = await tree({ "package.json": { name: "agentwire", version } });
    const commands = [["init", "-q"], ["add", "."], [...NAME, "commit", "-qm", "one"], ...after];
    for (const args of commands) {
      const result = await run("git", args, { cwd: folder.path });
      if (!result.ok) throw new Error(result.stderr);
    }
    return lines(await git(folder.path, () => {}));
  }

  test("passes a committed tree, with a free tag and with its own", async () => {
    expect(await found("1.2.0")).toEqual([]);
    expect(await found("1.2.0-beta.1", ["tag", "v1.2.0-beta.1"])).toEqual([]);
  });

  test("finds a change that is not committed", async () => {
    expect(
      await found("1.2.0", ["mv", "package.json", "other.json"], ["checkout", "HEAD", "package.json"]),
    ).toEqual([". 1 files are not committed, such as other.json: commit or remove them"]);
  });

  test("finds a version that is taken by another commit", async () => {
    const more = [
      ["tag", "v1.2.0"],
      [...NAME, "commit", "--allow-empty", "-qm", "two"],
    ];
    expect((await found("1.2.0", ...more)).join()).toMatch(
      /^package\.json v1\.2\.0 is another commit \(\w{8}\): raise/,
    );
  });

  test("finds a version that is none", async () => {
    expect(await found("1.02")).toEqual([
      "package.json the version 1.02 is no semantic version: npm version <major|minor|patch>",
    ]);
  });
});

describe("licences", () => {
  const BUNDLED = {
    ".tmp/bundled/modules.json": ["zod", "@a/b"],
    ".tmp/bundled/scripts.json": ["zod"],
    "node_modules/zod/package.json": { license: "MIT" },
    "node_modules/@a/b/package.json": { license: "(GPL-3.0 OR ISC)" },
    NOTICE: "Code of:\n\n  zod   Copyright (c) somebody\n  @a/b  Copyright (c) somebody else\n",
  };

  test("passes packages with an allowed licence that NOTICE names", async () => {
    expect(await findingsIn(licences, BUNDLED)).toEqual([]);
  });

  test.each([["GPL-3.0"], ["MIT AND GPL-3.0"], [undefined]])("refuses the licence %s", async (license) => {
    const files = { ...BUNDLED, "node_modules/zod/package.json": { license } };
    expect(lines(await findingsIn(licences, files)).join()).toContain(
      `node_modules/zod/package.json has the licence ${license ?? "none"}, and dist/ holds its code`,
    );
  });

  test("finds a package that NOTICE does not name", async () => {
    expect(lines(await findingsIn(licences, { ...BUNDLED, NOTICE: "  zod  (c) somebody\n" }))).toEqual([
      "NOTICE does not name @a/b ((GPL-3.0 OR ISC)), whose code is in dist/: add its copyright line",
    ]);
  });

  test("fails if the build has noted nothing, so that nothing can be compared", async () => {
    expect(lines(await findingsIn(licences, { NOTICE: "" }))).toEqual([
      "dist nothing is noted as bundled: npm run build",
    ]);
  });
});

describe("tarball", () => {
  test.each([
    ["at the bar", 2_500, { bar: 2_500, now: 0 }, undefined],
    ["above the bar", 2_501, { bar: 2_500, now: 0 }, /limit is 2 500: take something out/],
    ["a little above what it was", 3_050, { bar: 2_500, now: 3_000 }, undefined],
    ["above what it was", 3_061, { bar: 2_500, now: 3_000 }, /limit is 3 000: take something out/],
    ["below what it was", 2_900, { bar: 2_500, now: 3_000 }, /so that it cannot grow back/],
  ])("judges a package %s", (_, bytes, limits, expected) => {
    const message = judgeSize(bytes, limits);
    if (expected === undefined) expect(message).toBeUndefined();
    else expect(message).toMatch(expected);
  });
});

describe("npm run release:check", () => {
  const SCRIPT = join(import.meta.dirname, "../../scripts/release-check.ts");

  test("runs each check, says what to do next, and exits with 1 if one finds something", async () => {
    await using folder = await tree({
      "package.json": { name: "agentwire", version: "1.2.0", scripts: { build: "node build.cjs" } },
      "build.cjs": 'throw new Error("src is broken");',
      "CHANGELOG.md": "## [1.1.0]\n\n- Less.\n",
    });
    const { ending, stdout } = await run(process.execPath, [SCRIPT, "--root", folder.path], {
      cwd: folder.path,
      timeout: 30_000,
    });
    expect(ending).toBe("exit code 1");
    expect(stdout).toMatch(/^FAIL git .*\n.*could not be checked: Error: git status/m);
    expect(stdout).toMatch(/^FAIL changelog .*\n.*write under "## \[Unreleased\]"/m);
    expect(stdout).toMatch(/^FAIL links .*\n.*npm test -- test\/docs\/links\.test\.ts/m);
    for (const name of ["licences", "api", "size", "tarball", "package"])
      expect(stdout).toMatch(new RegExp(`^FAIL ${name} .*\\n.*because the build failed`, "m"));
  });
});
