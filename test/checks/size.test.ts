import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { size } from "../../scripts/checks/size.ts";
import { run } from "../../scripts/support/run.ts";
import { ERRORS, measureSizes, SIZES_FILE, type Sizes } from "../../scripts/support/sizes.ts";
import { type Files, findingsIn, lines, tree } from "./tree.ts";

/** A package whose protocol is made of text that does not compress below three quarters of its length. */
const built = (bytes: number): Files => {
  const noise = `export const noise = ${JSON.stringify(randomBytes(bytes).toString("base64"))};`;
  return {
    "package.json": {
      name: "agentwire",
      version: "1.0.0",
      exports: {
        ".": "./dist/index.js",
        "./codebuff": "./dist/codebuff.js",
        "./testing": "./dist/testing.js",
      },
    },
    "dist/index.js": `${ERRORS.map((name) => `export class ${name} {}`).join("\n")}\nexport * from "./codebuff.js";`,
    "dist/codebuff.js": 'export * from "./chunk.js";\nexport class CodebuffClient {}',
    "dist/chunk.js": noise,
    "dist/testing.js": 'import "node:fs";',
  };
};

/** What the package measures, with the protocol's own size changed by `factor`. */
const committed = async (files: Files, factor = 1): Promise<Files> => {
  await using folder = await tree(files);
  const { sizes } = await measureSizes(folder.path);
  const protocol = sizes["agentwire/codebuff"] ?? { minified: 0, gzip: 0 };
  const changed: Sizes = {
    ...sizes,
    "agentwire/codebuff": { ...protocol, gzip: Math.round(protocol.gzip * factor) },
  };
  return { ...files, [SIZES_FILE]: changed };
};

test("passes unchanged sizes, and prints a row for every browser entry and for the errors", async () => {
  await using folder = await tree(await committed(built(10_000)));
  const table: string[] = [];
  expect(lines(await size(folder.path, (row) => table.push(row)))).toEqual([]);
  expect(table.map((row) => row.slice(0, 22).trim())).toEqual([
    "import",
    "agentwire",
    "agentwire, its errors",
    "agentwire/codebuff",
    "agentwire/codebuff, its client".slice(0, 22),
  ]);
  expect(table[3]).toMatch(/^agentwire\/codebuff +1[34] \d{3} +1\d \d{3} +1\d \d{3} +1\d \d{3} +0\.0 %$/);
});

test("passes growth below 2 %, and refuses more", async () => {
  const files = built(10_000);
  expect(lines(await findingsIn(size, await committed(files, 1 / 1.019)))).toEqual([]);
  expect(lines(await findingsIn(size, await committed(files, 1 / 1.025)))).toEqual([
    expect.stringMatching(
      /^scripts\/checks\/sizes\.json agentwire\/codebuff is .*\(\+2\.5 %\): .* what grew/,
    ),
  ]);
});

test("requires that a smaller size is written down", async () => {
  const findings = await findingsIn(size, await committed(built(10_000), 1.03));
  expect(lines(findings)).toEqual([expect.stringMatching(/\(-2\.9 %\): write it down/)]);
});

test("refuses an entry without a row, and a row without an entry", async () => {
  const files = { ...built(1_000), [SIZES_FILE]: { "agentwire/gone": { minified: 1, gzip: 1 } } };
  expect(lines(await findingsIn(size, files))).toEqual([
    expect.stringContaining("agentwire has no size there: npm run size -- --write"),
    expect.stringContaining("agentwire, its errors has no size there"),
    expect.stringContaining("agentwire/codebuff has no size there"),
    expect.stringContaining("agentwire/codebuff, its client has no size there"),
    expect.stringContaining("agentwire/gone is there, but is no import any more"),
  ]);
  expect(lines(await findingsIn(size, built(1_000)))).toHaveLength(4);
});

test("measures every error class", async () => {
  const files = ["agentwire-error.ts", "errors.ts"].map((file) =>
    readFile(join(import.meta.dirname, "../../src/core", file), "utf8"),
  );
  const source = (await Promise.all(files)).join("\n");
  const names = [...source.matchAll(/^export (?:abstract )?(?:class|function) (\w+Error)\b/gm)].map(
    ([, name]) => name,
  );
  const users = new Set(names.filter((name) => name !== "copyError"));
  expect(new Set(ERRORS)).toEqual(users);
});

test("refuses an entry that cannot be bundled", async () => {
  const findings = await findingsIn(size, {
    ...built(10),
    "dist/codebuff.js": 'import "node:fs"; export {};',
  });
  expect(lines(findings)).toContainEqual(expect.stringContaining('Could not resolve "node:fs"'));
});

test("npm run size -- --write writes a table that passes the check", async () => {
  await using folder = await tree({ ...built(1_000), [SIZES_FILE]: {} });
  const script = join(import.meta.dirname, "../../scripts/size.ts");
  const result = await run(process.execPath, [script, "--write", "--root", folder.path], {
    cwd: import.meta.dirname,
    timeout: 15_000,
  });
  expect(result.ok).toBe(true);
  expect(result.stdout).toMatch(/agentwire\/codebuff .* new\n[\s\S]*written to scripts\/checks\/sizes\.json/);
  expect(lines(await size(folder.path, () => {}))).toEqual([]);
});
