import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { LIMIT, size } from "../../scripts/checks/size.ts";
import { type Files, findingsIn, lines, tree } from "./tree.ts";

/** Text of random base64 does not compress below three quarters of its length. */
const built = (bytes: number): Files => {
  const code = `export const noise = ${JSON.stringify(randomBytes(bytes).toString("base64"))};`;
  return {
    "package.json": {
      name: "agentwire",
      version: "1.0.0",
      exports: {
        ".": "./dist/codebuff.js",
        "./codebuff": "./dist/codebuff.js",
        "./testing": "./dist/testing.js",
      },
    },
    "dist/codebuff.js": code,
    "dist/testing.js": 'import "node:fs";',
  };
};

test("passes a protocol within its budget, and shows its size", async () => {
  await using folder = await tree(built(LIMIT / 2));
  const table: string[] = [];
  expect(lines(await size(folder.path, (row) => table.push(row)))).toEqual([]);
  expect(table).toContainEqual(expect.stringMatching(/^agentwire\/codebuff +2\d \d{3} +1\d \d{3} +37 500$/));
});

test("refuses a protocol above its budget, but not the front door, which holds them all", async () => {
  const findings = lines(await findingsIn(size, built(LIMIT + 500)));
  expect(findings).toEqual([
    expect.stringMatching(/agentwire\/codebuff is 3[78] \d{3} bytes in a browser, over its 37 500/),
  ]);
});

test("counts what a chunk brings", async () => {
  const files = { ...built(LIMIT + 500), "dist/codebuff.js": 'export * from "./chunk.js";' };
  const findings = await findingsIn(size, {
    ...files,
    "dist/chunk.js": built(LIMIT + 500)["dist/codebuff.js"] ?? "",
  });
  expect(lines(findings)).toEqual([expect.stringContaining("over its 37 500")]);
});

test("refuses what does not bundle", async () => {
  const findings = await findingsIn(size, {
    ...built(10),
    "dist/codebuff.js": 'import "node:fs"; export {};',
  });
  expect(lines(findings)).toContainEqual(expect.stringContaining('Could not resolve "node:fs"'));
});
