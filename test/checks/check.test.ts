import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../scripts/support/run.ts";
import { type Files, tree } from "./tree.ts";

const CHECK = join(import.meta.dirname, "../../scripts/check.ts");
const check = (...args: readonly string[]) =>
  run(process.execPath, [CHECK, ...args], { cwd: import.meta.dirname, timeout: 15_000 });

const CLEAN: Files = {
  "package.json": { name: "agentwire", version: "1.0.0" },
  "src/core/clock.ts": "export const clock = 1;\n",
};
const BROKEN: Files = { ...CLEAN, "src/core/clock.ts": 'export const clock = 1;\nimport "node:fs";\n' };

describe("npm run check", () => {
  test("describes each check with --help", async () => {
    const { ok, stdout } = await check("--help");
    expect(ok).toBe(true);
    for (const name of [
      "imports",
      "circles",
      "neutral",
      "map",
      "privacy",
      "expressions",
      "browser",
      "size",
      "declarations",
      "package",
      "peers",
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, "m"));
    }
  });

  test("refuses an unknown check, and lists the checks", async () => {
    const { ending, stderr } = await check("import");
    expect(ending).toBe("exit code 2");
    expect(stderr).toMatch(/no check is named import\n[\s\S]*imports/);
  });

  test("prints a line for a check without findings, and exits with 0", async () => {
    await using folder = await tree(CLEAN);
    const { ok, stdout } = await check("imports", "--root", folder.path);
    expect(ok).toBe(true);
    expect(stdout).toMatch(
      /^ok {3}imports +\d+\.\d s {2}0 findings\n +0 imports in 1 modules\n\n1 checks passed, 0 failed\n$/,
    );
  });

  test("prints each finding with its place, writes it as JSON, and exits with 1", async () => {
    await using folder = await tree(BROKEN);
    const json = join(folder.path, "results.json");
    const { ending, stdout } = await check("imports", "--root", folder.path, "--json", json);
    expect(ending).toBe("exit code 1");
    expect(stdout).toMatch(
      /^FAIL imports .* 1 finding\n[\s\S]*! src\/core\/clock\.ts:2 {2}"node:fs" exists on Node only/,
    );
    expect(stdout).toContain("0 checks passed, 1 failed");
    expect(JSON.parse(await readFile(json, "utf8"))).toMatchObject([
      { name: "imports", findings: [{ file: "src/core/clock.ts", line: 2 }] },
    ]);
  });

  test("counts a check that cannot run as failed", async () => {
    await using folder = await tree({ "src/core/clock.ts": "" });
    const { ending, stdout } = await check("imports", "--root", folder.path);
    expect(ending).toBe("exit code 1");
    expect(stdout).toContain("could not be checked: ");
  });

  test("does not check an old build if the new build fails", async () => {
    await using folder = await tree({
      "package.json": { name: "agentwire", version: "1.0.0", scripts: { build: "node build.cjs" } },
      "build.cjs": 'throw new Error("src is broken");',
    });
    const { ending, stdout } = await check("size", "browser", "--root", folder.path);
    expect(ending).toBe("exit code 1");
    expect(stdout).toMatch(/FAIL build[\s\S]*src is broken/);
    expect(stdout).toMatch(
      /FAIL browser[\s\S]*because the build failed[\s\S]*FAIL size[\s\S]*because the build failed/,
    );
    expect(stdout).toContain("0 checks passed, 3 failed");
  });
});
