import { describe, expect, test } from "vitest";
import { circles } from "../../scripts/checks/circles.ts";
import { type Files, findingsIn, lines, tree } from "./tree.ts";

const MANIFEST = {
  name: "agentwire",
  version: "1.0.0",
  imports: { "#socket": { node: "./dist/socket.node.js", default: "./dist/socket.global.js" } },
};

const CLEAN: Files = {
  "package.json": MANIFEST,
  "src/globals.d.ts": "declare const anything: number;",
  "src/index.ts": 'export * from "./codebuff/index.ts";',
  "src/core/clock.ts": 'import "eventemitter3";\nexport interface Clock {}',
  "src/core/socket.ts": "export interface OpenSocket {}",
  "src/core/socket.node.ts": 'import type { OpenSocket } from "./socket.ts";',
  "src/core/socket.global.ts": 'import type { OpenSocket } from "./socket.ts";',
  "src/core/dial.ts": 'import { open } from "#socket";\nimport type { Clock } from "./clock.ts";\nopen;',
  "src/codebuff/index.ts": 'import type { Clock } from "../core/clock.ts";\nexport * from "../core/dial.ts";',
};

const SEEDS: readonly {
  readonly title: string;
  readonly files: Files;
  readonly says: readonly string[];
}[] = [
  {
    title: "two modules that import each other",
    files: { "src/core/clock.ts": 'import { dial } from "./dial.ts";' },
    says: ["src/core/clock.ts:1 is in a circle of imports: core/clock.ts -> core/dial.ts -> core/clock.ts"],
  },
  {
    title: "a circle of types alone",
    files: { "src/core/clock.ts": '\nimport type { Dial } from "./dial.ts";' },
    says: ["src/core/clock.ts:2 is in a circle of imports: core/clock.ts -> core/dial.ts -> core/clock.ts"],
  },
  {
    title: "a circle over three rooms, in the order of its imports",
    files: { "src/core/clock.ts": 'export type A = import("../index.ts").A;' },
    says: [
      "src/codebuff/index.ts:1 is in a circle of imports: codebuff/index.ts -> core/clock.ts -> index.ts -> codebuff/index.ts",
      "src/codebuff/index.ts:2 is in a circle of imports: codebuff/index.ts -> core/dial.ts -> core/clock.ts -> index.ts -> codebuff/index.ts",
    ],
  },
  {
    title: "a circle over an export",
    files: { "src/core/clock.ts": 'export * from "./dial.ts";' },
    says: ["src/core/clock.ts:1 is in a circle of imports: core/clock.ts -> core/dial.ts -> core/clock.ts"],
  },
  {
    title: "a circle over a dynamic import",
    files: { "src/core/clock.ts": 'export const load = () => import("./dial.ts");' },
    says: ["src/core/clock.ts:1 is in a circle of imports: core/clock.ts -> core/dial.ts -> core/clock.ts"],
  },
  {
    title: "a circle over a name that package.json chooses by condition",
    files: { "src/core/socket.ts": 'import type { Dial } from "./dial.ts";' },
    says: [
      "src/core/dial.ts:1 is in a circle of imports: core/dial.ts -> core/socket.global.ts -> core/socket.ts -> core/dial.ts",
      "src/core/dial.ts:1 is in a circle of imports: core/dial.ts -> core/socket.node.ts -> core/socket.ts -> core/dial.ts",
    ],
  },
  {
    title: "two circles that share a module, each by its own",
    files: {
      "src/core/clock.ts": 'import type { A } from "./a.ts";\nimport type { B } from "./b.ts";',
      "src/core/a.ts": 'import type { Clock } from "./clock.ts";',
      "src/core/b.ts": 'import type { Clock } from "./clock.ts";',
    },
    says: [
      "src/core/a.ts:1 is in a circle of imports: core/a.ts -> core/clock.ts -> core/a.ts",
      "src/core/b.ts:1 is in a circle of imports: core/b.ts -> core/clock.ts -> core/b.ts",
    ],
  },
  {
    title: "a module that imports itself",
    files: { "src/core/clock.ts": 'import type { Clock } from "./clock.ts";' },
    says: ["src/core/clock.ts:1 is in a circle of imports: core/clock.ts -> core/clock.ts"],
  },
  {
    title: "an import of a missing file, which could hide a circle",
    files: { "src/core/clock.ts": 'import type { Dial } from "./dial.js";' },
    says: ['src/core/clock.ts:1 "./dial.js" names no module of src/'],
  },
];

describe("the check for circular imports", () => {
  test("passes a tree without circular imports", async () => {
    expect(lines(await findingsIn(circles, CLEAN))).toEqual([]);
  });

  test.each(SEEDS)("refuses $title", async ({ files, says }) => {
    const found = lines(await findingsIn(circles, { ...CLEAN, ...files }));
    expect(found.toSorted()).toEqual(says.map((line) => expect.stringContaining(line)));
  });

  test("notes the number of imports and modules", async () => {
    await using folder = await tree(CLEAN);
    const notes: string[] = [];
    await circles(folder.path, (line) => notes.push(line));
    expect(notes).toEqual(["7 imports between 8 modules"]);
  });

  test("fails for an empty tree", async () => {
    const findings = await findingsIn(circles, { "package.json": MANIFEST, "src/readme.txt": "" });
    expect(lines(findings)).toEqual([expect.stringContaining("nothing to check")]);
  });
});
