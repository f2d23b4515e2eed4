import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listFiles } from "../../scripts/support/list-files.ts";
import { ALL_FLATS, SHARED_ROOMS } from "../../scripts/support/rooms.ts";

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

const FOLDERS = [
  "core",
  "core/link",
  "core/turn",
  "core/gate",
  "core/client",
  "core/http",
  "codebuff-events",
  "cass/auth",
  "cass/rest",
  "cass/tags",
  "codebuff-run/tools",
  "codebuff-run/tools/door",
  "codebuff-run/tools/files",
  "codebuff-run/tools/changes",
  "codebuff-run/tools/terminal",
  "codebuff-run/tools/search",
  "codebuff-run/tools/search/matching",
  "codebuff-run/tools/mcp",
];

function roomsOf(folder: string): string[] {
  return modules
    .filter((module) => module.startsWith(`${folder}/`) && !/\/index\.ts$|\.d\.ts$/.test(module))
    .map((module) => module.slice(folder.length + 1, -".ts".length))
    .filter((room) => !room.includes("/"))
    .sort();
}

test.each(FOLDERS)("each room of %s is in its table, once, and no other", (folder) => {
  expect(named(`| room | in \`${folder}/\` |`)).toEqual(roomsOf(folder));
});

const SHARED = [...SHARED_ROOMS, "wire"];

test.each(ALL_FLATS)("each room of %s that not every flat has is in its table", (flat) => {
  const own = roomsOf(flat).filter((room) => !SHARED.includes(room));
  expect(named(`| room | in \`${flat}/\` |`)).toEqual(own);
});

test("the rooms of every flat have a table", () => {
  expect(named("| room | in every flat |")).toEqual([...SHARED, "index"].sort());
});

test("no folder of core or of a flat lacks a table", () => {
  const inHouse = [...ALL_FLATS, "core", "codebuff-events"];
  const folders = modules.map((module) => module.split("/").slice(0, -1).join("/"));
  const housed = folders.filter((folder) => inHouse.some((room) => `${folder}/`.startsWith(`${room}/`)));
  expect([...new Set(housed)].sort()).toEqual([...FOLDERS, ...ALL_FLATS].sort());
});
