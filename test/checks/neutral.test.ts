import { describe, expect, test } from "vitest";
import { neutral } from "../../scripts/checks/neutral.ts";
import { type Files, findingsIn, lines } from "./tree.ts";

const OPTIONS = {
  target: "es2022",
  module: "esnext",
  moduleResolution: "bundler",
  strict: true,
  noEmit: true,
};
const PATHS = { allowImportingTsExtensions: true, types: [], lib: ["es2022"] };
const config = (options: object, include: readonly string[]) => ({
  compilerOptions: { ...OPTIONS, ...PATHS, ...options },
  include,
  exclude: ["src/core/*.node.ts"],
});
const ROOMS = ["src/globals.d.ts", "src/index.ts", "src/core/**/*.ts", "src/codebuff/**/*.ts"];

const CLEAN: Files = {
  "tsconfig.neutral.json": config({}, ROOMS),
  "src/globals.d.ts": "declare function setTimeout(callback: () => void, delay: number): unknown;",
  "src/index.ts": 'export * from "./codebuff/index.ts";',
  "src/core/clock.ts": "export const wait = (run: () => void) => setTimeout(run, 1);",
  "src/core/socket.node.ts": "export const open = () => process;",
  "src/codebuff/index.ts": 'export * from "../core/clock.ts";',
  "src/testing/index.ts": "export const pid = process.pid;",
};

describe("the check for platform-neutral code", () => {
  test("passes code that uses only the language and the declared globals", async () => {
    expect(lines(await findingsIn(neutral, CLEAN))).toEqual([]);
  });

  test.each(["Buffer", "process", "document"])("refuses %s in core", async (name) => {
    const findings = await findingsIn(neutral, {
      ...CLEAN,
      "src/core/clock.ts": `export const foreign = ${name};`,
    });
    expect(lines(findings)).toEqual([
      expect.stringMatching(`^src/core/clock\\.ts:1 .*Cannot find name '${name}'`),
    ]);
  });

  test("finds that the DOM library is enabled, even if no code uses it", async () => {
    const findings = await findingsIn(neutral, {
      ...CLEAN,
      // Its own declaration of setTimeout would collide with the library's, and hide what this is about.
      "src/globals.d.ts": "",
      "tsconfig.neutral.json": config({ lib: ["es2022", "dom"] }, ROOMS),
    });
    expect(lines(findings)).toEqual([
      expect.stringContaining("src/codebuff/neutral-probe.ts compiles although it uses document"),
      expect.stringContaining("src/core/neutral-probe.ts compiles although it uses document"),
    ]);
  });

  test("finds that Node's types are enabled, even if no code uses them", async () => {
    const findings = await findingsIn(neutral, {
      ...CLEAN,
      "node_modules/@types/node/index.d.ts": "declare var process: object; declare var Buffer: object;",
      "tsconfig.neutral.json": config({ types: ["node"] }, ROOMS),
    });
    expect(lines(findings).filter((line) => line.includes("src/core/"))).toEqual([
      expect.stringContaining("although it uses Buffer"),
      expect.stringContaining("although it uses process"),
    ]);
  });

  test("finds a folder that is not compiled", async () => {
    const findings = await findingsIn(neutral, {
      ...CLEAN,
      "src/codey/index.ts": "export const foreign = Buffer;",
    });
    expect(lines(findings)).toContainEqual(
      expect.stringContaining("src/codey/index.ts runs everywhere, but"),
    );
    expect(lines(findings)).toContainEqual(
      expect.stringContaining("src/codey/neutral-probe.ts compiles although"),
    );
  });

  test("fails without a configuration", async () => {
    const { "tsconfig.neutral.json": _, ...rest } = CLEAN;
    expect(lines(await findingsIn(neutral, rest))).toContainEqual(
      expect.stringContaining("Cannot read file"),
    );
  });
});
