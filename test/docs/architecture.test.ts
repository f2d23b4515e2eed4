import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listFiles } from "../../scripts/support/list-files.ts";
import { FLATS, PROCESS_FLATS } from "../../scripts/support/rooms.ts";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
const modules = await listFiles(join(ROOT, "src"), (path) => path.endsWith(".ts"));

/** The rooms of a folder, as the rows of its table name them. */
function named(heading: string): string[] {
  const [, table = ""] = page.split(`\n${heading}\n`);
  return [...(table.split("\n\n")[0] ?? "").matchAll(/^\| ([^|]+) \|/gm)]
    .flatMap(([, rooms = ""]) => [...rooms.matchAll(/`([^`]+)`/g)].map(([, room = ""]) => room))
    .sort();
}

test.each([
  { folder: "core", heading: "| room | what it holds |" },
  ...[...FLATS, ...PROCESS_FLATS].map((flat) => ({ folder: flat, heading: `| room | in \`${flat}/\` |` })),
])("each room of $folder is in its table, once, and no other", ({ folder, heading }) => {
  const rooms = modules
    .filter((module) => module.startsWith(`${folder}/`) && !module.endsWith("/index.ts"))
    .map((module) => module.slice(folder.length + 1, -".ts".length));
  expect(named(heading)).toEqual(rooms.sort());
});
