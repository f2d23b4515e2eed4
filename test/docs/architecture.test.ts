import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  ALL_FLATS,
  ENTRIES,
  FLATS,
  ROOMS,
  type Room,
  SHARED_ROOMS,
  SMALL_PARTS,
} from "../../scripts/support/rooms.ts";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

function section(heading: string): string {
  const [, text = ""] = page.split(`\n## ${heading}\n`);
  return text.split("\n## ")[0] ?? "";
}

type Rule = Required<Pick<Room, "imports" | "types" | "universal">>;

const sorted = ({ imports, types = [], universal = [] }: Partial<Rule>): Rule => ({
  imports: (imports ?? []).toSorted(),
  types: types.toSorted(),
  universal: universal.toSorted(),
});

/** The rules of the list, by folder: `core` imports nothing; types of `core`; in `universal.ts` also `universal`. */
function rulesOnPage(): Readonly<Record<string, Rule>> {
  const lines = [...section("Floors").matchAll(/^- (.+?) imports? (.+)$/gm)];
  return Object.fromEntries(
    lines.flatMap(([, folders = "", rule = ""]) => {
      const found: Partial<Record<keyof Rule, readonly string[]>> = {};
      for (const part of rule.split("; ")) {
        const small = "small parts of `core`";
        if (part.startsWith("types of ")) found.types = namesIn(part);
        else if (part.startsWith("in `universal.ts` also ")) found.universal = namesIn(part).slice(1);
        else if (part === "entries of the others") found.imports = [...(found.imports ?? []), ...ENTRIES];
        else
          found.imports = [...namesIn(part.replace(small, "")), ...(part.includes(small) ? SMALL_PARTS : [])];
      }
      return namesIn(folders).map((folder) => [folder, sorted(found)] as const);
    }),
  );
}

test("ARCHITECTURE.md names exactly the import rules that `npm run check` enforces", () => {
  const kept = Object.fromEntries([...ROOMS].map(([name, room]) => [name, sorted(room)]));
  expect(rulesOnPage()).toEqual(kept);
});

test("the page names the order inside a folder that `npm run check` keeps", () => {
  const lines = [...section("Floors").matchAll(/^- in (.+?): (.+)$/gm)];
  const named = lines.map(([, folder = "", order = ""]) => [...namesIn(folder), namesIn(order)]);
  const kept = [...ROOMS].flatMap(([name, { order }]) => (order ? [[name, order]] : []));
  expect(named).toEqual(kept);
});

test("ARCHITECTURE.md names the files that every flat has", () => {
  const named = new Set(namesIn(section("The files of a flat")));
  const shared = [...SHARED_ROOMS, "index", "wire"].map((file) => `${file}.ts`);
  expect(shared.filter((file) => !named.has(file))).toEqual([]);
});

/** A path from the root or from `src/`; a name alone is a file that the socket flats have, or one at the root. */
function isThere(name: string): boolean {
  if (existsSync(join(ROOT, name)) || existsSync(join(ROOT, "src", name))) return true;
  const flats = name === "run.ts" ? ALL_FLATS.filter((flat) => !FLATS.includes(flat)) : FLATS;
  return flats.every((flat) => existsSync(join(ROOT, "src", flat, name)));
}

test("each file and folder that ARCHITECTURE.md names exists", () => {
  const named = namesIn(page).filter((name) =>
    /^[\w.-]+(?:\/[\w.-]+)*(?:\/|\.tsx?|\.json|\.md)$|^[\w-]+\/[\w./-]+$/.test(name),
  );
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

test("ARCHITECTURE.md has at most 1,300 words", () => {
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(1_300);
});
