import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listFiles } from "../../scripts/support/list-files.ts";
import { FLAT_FILES, FLATS, missingFiles, PROCESS_FLATS } from "../../scripts/support/rooms.ts";

const modules = await listFiles(join(import.meta.dirname, "../../src"), (path) => path.endsWith(".ts"));
const built = [...FLATS, ...PROCESS_FLATS].filter((flat) =>
  modules.some((module) => module.startsWith(`${flat}/`)),
);

describe("a flat", () => {
  test.each(built)("%s has every room", (flat) => {
    expect(missingFiles(flat, modules)).toEqual([]);
  });

  test("that lacks rooms is found out, whatever its neighbours have", () => {
    const has = FLAT_FILES.filter((file) => file !== "turn.ts" && file !== "wire.ts");
    const files = [...has.map((file) => `codey/${file}`), "codebuff/turn.ts"];
    expect(missingFiles("codey", files)).toEqual(["turn.ts", "wire.ts"]);
  });

  test("of a program has other rooms", () => {
    const files = FLAT_FILES.map((file) => `codebuff-cli/${file}`);
    expect(missingFiles("codebuff-cli", files)).toEqual(["process.ts", "run.ts", "unsupported.ts"]);
  });

  test("is there: Codebuff and Codey, and the CLI", () => {
    expect(built).toEqual(expect.arrayContaining(["codebuff", "codey", "codebuff-cli"]));
  });
});
