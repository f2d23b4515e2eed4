import { describe, expect, test } from "vitest";
import { namesBut } from "../../scripts/checks/names.ts";
import { MAX_SHARED_NAMES, SHARED_NAMES } from "../../scripts/support/shared-names.ts";
import { type Files, findingsIn, lines } from "./tree.ts";

const CLEAN: Files = {
  "src/core/turn.ts": "export interface Turn {}\nexport const Turn = 1;\nfunction textOf() {}\n",
  "src/codey/turn.ts": "export function textOf() {}\nexport default 1;\n",
  "src/cass/index.ts": 'export { textOf } from "../codey/turn.ts";\nexport type * from "../core/turn.ts";\n',
  "src/cass/later.ts": 'export const { textOf } = await import("../codey/turn.ts");\n',
};

const HOW = "name it for what it is, do not export it, or give the reason in scripts/support/shared-names.ts";

const SHARED = [{ name: "textOf", in: ["codey", "cass/turn.ts"], reason: "the same in both" }];

describe("the check of exported names", () => {
  test("passes a type and a value of one file, names that are not exported, and re-exports", async () => {
    expect(lines(await findingsIn(namesBut([]), CLEAN))).toEqual([]);
  });

  test.each([
    ["a function", "export async function textOf() {}"],
    ["a generator", "export function* textOf() {}"],
    ["a constant", "export const textOf = 1;"],
    ["a class", "export abstract class textOf {}"],
    ["an interface", "export interface textOf {}"],
    ["a type", "export type textOf = 1;"],
    ["an enum", "export enum textOf {}"],
  ])("refuses %s of a name that another file exports", async (_title, code) => {
    const found = await findingsIn(namesBut([]), { ...CLEAN, "src/cass/turn.ts": `// A turn.\n${code}\n` });
    expect(lines(found)).toEqual([
      `src/cass/turn.ts:2 exports textOf, as codey/turn.ts does: ${HOW}`,
      `src/codey/turn.ts:1 exports textOf, as cass/turn.ts does: ${HOW}`,
    ]);
  });

  test("passes a shared name in its places, and refuses it in a third", async () => {
    const both = { ...CLEAN, "src/cass/turn.ts": "export const textOf = 1;" };
    expect(lines(await findingsIn(namesBut(SHARED), both))).toEqual([]);
    const third = { ...both, "src/cass/turns.ts": "export const textOf = 1;" };
    expect(lines(await findingsIn(namesBut(SHARED), third))).toEqual([
      `src/cass/turns.ts:1 exports textOf, as cass/turn.ts, codey/turn.ts does: ${HOW}`,
    ]);
  });

  test("refuses a shared name that only one file defines", async () => {
    expect(lines(await findingsIn(namesBut(SHARED), CLEAN))).toEqual([
      "scripts/support/shared-names.ts textOf is not defined twice: take it out of the list",
    ]);
  });

  test("refuses more shared names than the limit", async () => {
    const both = { ...CLEAN, "src/cass/turn.ts": "export const textOf = 1;" };
    expect(lines(await findingsIn(namesBut(SHARED, 0), both))).toEqual([
      "scripts/support/shared-names.ts has 1 names: 0 at most",
    ]);
    expect(SHARED_NAMES.length).toBeLessThanOrEqual(MAX_SHARED_NAMES);
  });

  test("refuses to pass a tree that exports nothing", async () => {
    expect(lines(await findingsIn(namesBut([]), { "src/readme.txt": "" }))).toEqual([
      "src exports nothing: there is nothing to check",
    ]);
  });
});
