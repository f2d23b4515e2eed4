import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { isSkipped } from "../../docs/support/snippet-pages.ts";

const path = (from: string): string => fileURLToPath(new URL(`../../../${from}`, import.meta.url));

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** `npm run shots -- --only <only>`, into a folder of its own. */
async function shots(only: string, check: (folder: string, said: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "agentwire-shots-"));
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        "--import",
        path("test/helpers/from-source.ts"),
        path("scripts/shots.ts"),
        "--only",
        only,
        "--out",
        folder,
      ],
      { cwd: path(".") },
    );
    await check(folder, stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.skipIf(isSkipped)("npm run shots", () => {
  test.each([
    ["page-plan-dark", ["page-plan-dark.png"]],
    [
      "terminal-plan-80x24",
      ["terminal-plan-80x24-light.png", "terminal-plan-80x24.png", "terminal-plan-80x24.txt"],
    ],
  ])("makes %s, and an index that shows it", (only, files) =>
    shots(only, async (folder, said) => {
      expect(said).toBe(`${join(folder, "index.html")}: 1 of 1 were made.\n`);
      expect((await readdir(folder)).toSorted()).toEqual(["index.html", ...files].toSorted());
      const index = await readFile(join(folder, "index.html"), "utf8");
      for (const file of files) {
        const made = await readFile(join(folder, file));
        if (file.endsWith(".txt")) expect(made.toString()).toContain("Write a test that fails");
        else {
          expect(made.subarray(0, 4)).toEqual(PNG);
          expect(index).toContain(`src="${file}"`);
        }
      }
    }),
  );

  test("fails where no picture has the name", () =>
    expect(shots("nothing", async () => {})).rejects.toMatchObject({
      code: 2,
      stderr: "No name begins with nothing. See --help.\n",
    }));
});
