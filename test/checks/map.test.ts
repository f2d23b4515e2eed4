import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { map } from "../../scripts/checks/map.ts";
import { run } from "../../scripts/support/run.ts";
import { type Files, findingsIn, lines, tree } from "./tree.ts";

const CLEAN: Files = {
  "src/index.ts": "// The entry: all clients.\nexport {};\n",
  "src/core/queue.ts": "// A queue in constant time.\n\nexport const queue = [];\n",
  "src/core/link/queue.ts": "// A queue in constant time.\nexport {};\n",
  "src/cli/main.ts": "#!/usr/bin/env node\n// The program.\n",
  "src/ink/chat.tsx": "// The screen.\n// It is drawn by Ink.\nexport {};\n",
};

describe("the check of files' first lines", () => {
  test("passes files whose first line says what they are for", async () => {
    expect(lines(await findingsIn(map, CLEAN))).toEqual([]);
  });

  test.each([
    ["a file without a comment", "export {};\n"],
    ["a comment below an import", 'import "./link/queue.ts";\n// A clock.\n'],
    ["a comment of another kind", "/** A clock. */\nexport {};\n"],
    ["an empty comment", "// \nexport {};\n"],
    ["an empty file", ""],
  ])("refuses %s", async (_title, text) => {
    expect(lines(await findingsIn(map, { ...CLEAN, "src/core/clock.ts": text }))).toEqual([
      "src/core/clock.ts does not say what it is for: begin it with one line, `// ...`",
    ]);
  });

  test("refuses the same first line for two files of a folder", async () => {
    const clock = "// A queue in constant time.\nexport {};\n";
    expect(lines(await findingsIn(map, { ...CLEAN, "src/core/clock.ts": clock }))).toEqual([
      "src/core/queue.ts is for the same as src/core/clock.ts, by its first line: say what differs",
    ]);
  });

  test("refuses a first line over 120 columns", async () => {
    const fits = `// ${"a".repeat(117)}\n`;
    const long = `// ${"b".repeat(118)}\n`;
    expect(
      lines(await findingsIn(map, { ...CLEAN, "src/core/fits.ts": fits, "src/core/long.ts": long })),
    ).toEqual(["src/core/long.ts says what it is for in 121 columns: 120 at most, the rest below"]);
  });

  test("fails for a tree without files", async () => {
    expect(lines(await findingsIn(map, { "src/readme.txt": "" }))).toEqual([
      "src holds no file: there is nothing to check",
    ]);
  });
});

describe("npm run map", () => {
  async function printed(...args: readonly string[]) {
    await using folder = await tree(CLEAN);
    const script = join(import.meta.dirname, "../../scripts/map.ts");
    return await run(process.execPath, [script, "--root", folder.path, ...args], { cwd: folder.path });
  }

  test("prints each file with its first line, folders before files", async () => {
    const { ok, stdout } = await printed();
    expect(ok).toBe(true);
    expect(stdout.trim().split(/\n+/)).toEqual([
      "src/cli/main.ts  The program.",
      "src/core/link/queue.ts  A queue in constant time.",
      "src/core/queue.ts  A queue in constant time.",
      "src/ink/chat.tsx  The screen.",
      "src/index.ts  The entry: all clients.",
    ]);
  });

  test("prints one folder, with the first lines in one column", async () => {
    await using folder = await tree({ ...CLEAN, "src/core/clock.ts": "// Time.\n" });
    const script = join(import.meta.dirname, "../../scripts/map.ts");
    const args = [script, "--root", folder.path, "src/core/"];
    const { stdout } = await run(process.execPath, args, { cwd: folder.path });
    expect(stdout).toBe(
      "\nsrc/core/link/queue.ts  A queue in constant time.\n\nsrc/core/clock.ts  Time.\nsrc/core/queue.ts  A queue in constant time.\n",
    );
  });

  test("refuses a folder that src/ does not have", async () => {
    const { ending, stderr } = await printed("src/attic");
    expect(ending).toBe("exit code 2");
    expect(stderr).toContain("no file of src/ is at src/attic");
  });

  test("prints its usage with --help", async () => {
    expect((await printed("--help")).stdout).toContain("Usage: npm run map");
  });
});
