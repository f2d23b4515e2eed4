import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listFiles } from "../../scripts/support/list-files.ts";
import { ALL_FLATS, FLAT_FILES, missingFiles } from "../../scripts/support/rooms.ts";

const modules = await listFiles(join(import.meta.dirname, "../../src"), (path) => path.endsWith(".ts"));
const built = ALL_FLATS.filter((flat) => modules.some((module) => module.startsWith(`${flat}/`)));

describe("a flat, the folder of one backend", () => {
  test.each(built)("%s has every required file", (flat) => {
    expect(missingFiles(flat, modules)).toEqual([]);
  });

  test("with missing files is reported, whatever other flats have", () => {
    const has = FLAT_FILES.filter((file) => file !== "turn.ts" && file !== "wire.ts");
    const files = [...has.map((file) => `codey/${file}`), "codebuff/turn.ts"];
    expect(missingFiles("codey", files)).toEqual(["turn.ts", "wire.ts"]);
  });

  test("of a program has its own list of required files", () => {
    const files = FLAT_FILES.map((file) => `codebuff-cli/${file}`);
    expect(missingFiles("codebuff-cli", files)).toEqual(["run.ts", "unsupported.ts"]);
  });

  test("without a connection needs `http.ts` and `run.ts`", () => {
    const files = FLAT_FILES.map((file) => `codebuff-run/${file}`);
    expect(missingFiles("codebuff-run", files)).toEqual(["http.ts", "run.ts"]);
  });

  test("is complete for every known backend", () => {
    expect(built).toEqual(["codebuff", "codey", "cass", "codebuff-cli", "acp", "codebuff-run"]);
  });
});
