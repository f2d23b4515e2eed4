import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listFiles } from "../../scripts/support/list-files.ts";
import { FLATS, missingFiles, PROCESS_FLATS } from "../../scripts/support/rooms.ts";

const modules = await listFiles(join(import.meta.dirname, "../../src"), (path) => path.endsWith(".ts"));
const built = [...FLATS, ...PROCESS_FLATS].filter((flat) =>
  modules.some((module) => module.startsWith(`${flat}/`)),
);

describe("a flat", () => {
  test.each(built)("%s has every room", (flat) => {
    expect(missingFiles(flat, modules)).toEqual([]);
  });

  test("that lacks rooms is found out, whatever its neighbours have", () => {
    expect(missingFiles("codey", ["codey/messages.ts", "codey/client.ts", "codebuff/turn.ts"])).toEqual([
      "turn.ts",
      "index.ts",
    ]);
  });

  test("of a program has other rooms", () => {
    expect(missingFiles("codebuff-cli", ["codebuff-cli/messages.ts", "codebuff-cli/client.ts"])).toEqual([
      "turn.ts",
      "index.ts",
      "process.ts",
      "unsupported.ts",
    ]);
  });

  test("is there: Codebuff and Codey, and the CLI", () => {
    expect(built).toEqual(expect.arrayContaining(["codebuff", "codey", "codebuff-cli"]));
  });
});
