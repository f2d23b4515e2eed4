import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listFiles } from "../../scripts/support/list-files.ts";
import { FLATS, missingFiles } from "../../scripts/support/rooms.ts";

const modules = await listFiles(join(import.meta.dirname, "../../src"), (path) => path.endsWith(".ts"));
const built = FLATS.filter((flat) => modules.some((module) => module.startsWith(`${flat}/`)));

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

  test("is there: Codebuff and Codey", () => {
    expect(built).toEqual(expect.arrayContaining(["codebuff", "codey"]));
  });
});
