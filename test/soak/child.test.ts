import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { Child, type ChildOptions } from "./child.ts";
import type { Order } from "./player.ts";

const ORDER: Order = { protocol: "codey", seed: 7, time: 0, turns: 0, times: 0, strictLine: false };

/** What is held against a process that runs this program. */
async function problemsOf(code: string, options: ChildOptions = {}): Promise<string> {
  await using folder = await tempFolder();
  const program = join(folder.path, "program.mjs");
  await writeFile(program, code);
  const child = new Child(ORDER, { program, ...options });
  await child.over;
  return child.problems.join("\n");
}

describe("the soak process of a protocol", () => {
  test("has no problem if it reports `done` and exits by itself", async () => {
    expect(await problemsOf('process.send({ type: "done" }, () => process.disconnect())')).toBe("");
  });

  test("is reported with the cause if something keeps it alive", async () => {
    const told = await problemsOf(
      'setInterval(() => {}, 1000); process.send({ type: "done" }); process.send({ type: "held", by: ["Timeout"] })',
      { exitBound: 500 },
    );
    expect(told).toContain("VIOLATION process-hangs: codey, seed 7");
    expect(told).toContain("held by Timeout");
    expect(told).toContain("npm run soak -- --protocol codey --seed 7");
  });

  test("is reported with its chapters if no turn settles any more", async () => {
    const told = await problemsOf(
      'setInterval(() => process.send({ type: "progress", turns: 5, chapters: [3, 8] }), 20)',
      { silence: 1_500 },
    );
    expect(told).toContain("VIOLATION process-hangs: codey, seed 7");
    expect(told).toContain("under way: 3, 8");
  });

  test("is reported with its last output if it dies before `done`", async () => {
    const told = await problemsOf('throw new Error("out of the blue")');
    expect(told).toContain("VIOLATION process-died");
    expect(told).toContain("out of the blue");
  });

  test("reports a finding with the command that repeats it", async () => {
    const finding = { kind: "prompt-twice", message: "twice", turn: 301, chapter: 3, frames: ["c2s hello"] };
    const told = await problemsOf(
      `process.send({ type: "finding", finding: ${JSON.stringify(finding)} }); process.send({ type: "done" }, () => process.disconnect())`,
    );
    expect(told).toContain("VIOLATION prompt-twice: codey, seed 7, chapter 3, turn 301");
    expect(told).toContain("c2s hello");
    expect(told).toContain("npm run soak -- --protocol codey --seed 7 --chapter 3");
  });
});
