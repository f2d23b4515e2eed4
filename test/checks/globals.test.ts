import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { globals } from "../../scripts/checks/globals.ts";
import { withoutGlobals } from "../../scripts/support/quiet-zod.ts";
import { type Files, findingsIn, lines } from "./tree.ts";

const manifest = {
  name: "agentwire",
  version: "1.0.0",
  exports: {
    ".": { import: "./dist/index.js", require: "./dist/index.cjs" },
    "./cli": { node: { import: "./dist/cli.js" }, default: { import: "./dist/cli.unsupported.js" } },
    "./package.json": "./package.json",
  },
};

const CLEAN: Files = {
  "package.json": { ...manifest, type: "module" },
  "dist/index.js": "export const a = globalThis.process;",
  "dist/index.cjs": "exports.a = 1;",
  "dist/cli.js": 'import "node:fs"; import "./index.js";',
  "dist/cli.unsupported.js": "export {};",
};

describe("the check for globals", () => {
  test("passes entries that set no globals", async () => {
    expect(lines(await findingsIn(globals, CLEAN))).toEqual([]);
  });

  test.each<{ title: string; files: Files; says: readonly string[] }>([
    {
      title: "a module that sets a global",
      files: { "dist/index.js": "(globalThis.__config ??= {}).a = 1;" },
      says: [
        "dist/index.js loading agentwire (import) sets __config on `globalThis`",
        "dist/cli.js loading agentwire/cli (import) sets __config on `globalThis`",
      ],
    },
    {
      title: "a hidden property, or a symbol, in CommonJS",
      files: {
        "dist/index.cjs":
          "Object.defineProperty(globalThis, '__hidden', { value: 1 }); globalThis[Symbol('mine')] = 1;",
      },
      says: ["dist/index.cjs loading agentwire (require) sets __hidden, Symbol(mine) on `globalThis`"],
    },
    {
      title: "a global that only other platforms' files set",
      files: { "dist/cli.unsupported.js": "globalThis.__there = 1;" },
      says: ["dist/cli.unsupported.js loading agentwire/cli (import) sets __there on `globalThis`"],
    },
    {
      title: "an entry that does not load",
      files: { "dist/index.cjs": "throw new Error('broken')" },
      says: [expect.stringMatching(/^dist\/index\.cjs loading agentwire \(require\) failed \(exit code 1\)/)],
    },
    {
      title: "a package without exports",
      files: { "package.json": { ...manifest, exports: {} } },
      says: ["package.json exports nothing: there is nothing to check"],
    },
  ])("finds $title", async ({ files, says }) => {
    expect(lines(await findingsIn(globals, { ...CLEAN, ...files }))).toEqual(says);
  });
});

describe("the zod build without its global", () => {
  const core = join(dirname(createRequire(import.meta.url).resolve("zod/v4/core")), "core.js");

  test("keeps its configuration local", async () => {
    const quiet = withoutGlobals(await readFile(core, "utf8"));
    expect(quiet).toContain("export const globalConfig = {};");
    expect(quiet).not.toContain("globalThis");
  });

  test("fails if zod's source has changed", async () => {
    const code = await readFile(core, "utf8");
    const line = "export const globalConfig = globalThis.__zod_globalConfig;";
    for (const other of [code.replace(line, ""), `${code}\n${line}`, `${code}\nglobalThis.__zod_other = 1;`])
      expect(() => withoutGlobals(other)).toThrow(/zod/);
  });
});
