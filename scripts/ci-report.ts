/**
 * Adds up what the stages of `.ci/run` left in a folder, and prints the line that it ends with:
 * `node scripts/ci-report.ts <folder>`. Exits with 1 when something failed.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type StageResult, tally } from "./support/tally.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: ci-report.ts <folder>");

/** `undefined` for what a stage did not get to write. */
const readJson = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(join(folder, file), "utf8"));
  } catch {
    return undefined;
  }
};

const stages = (await readFile(join(folder, "stages"), "utf8"))
  .split("\n")
  .filter((line) => line !== "")
  .map((line): StageResult => {
    const [name = "", code] = line.split("\t");
    return { name, ok: code === "0" };
  });
const { passed, failed } = tally(stages, {
  vitest: await readJson("vitest.json"),
  browser: await readJson("browser.json"),
  checks: await readJson("checks.json"),
});
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
