import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { listFiles } from "../../scripts/support/list-files.ts";
import { readImports } from "../../scripts/support/read-imports.ts";
import { ALL_FLATS } from "../../scripts/support/rooms.ts";

// What a protocol costs that is built on `core` alone: few lines, and none that another flat has.

const SRC = join(import.meta.dirname, "../../src");

/** Lines of a flat, without its mock and its tests. */
const MOST_LINES = 1_200;

/** So many lines of code in a row are no coincidence. */
const RUN = 6;

const read = (folder: string, file: string) => ({ file, text: readFileSync(join(folder, file), "utf8") });

const flat = (await listFiles(import.meta.dirname, (file) => file.endsWith(".ts")))
  .filter((file) => file !== "mock.ts" && !file.endsWith(".test.ts"))
  .map((file) => read(import.meta.dirname, file));

const others = (await listFiles(SRC, (file) => file.endsWith(".ts")))
  .filter((file) => ALL_FLATS.some((name) => file.startsWith(`${name}/`)))
  .map((file) => read(SRC, file));

/** The lines that say something: no imports and exports by name, no blank lines, no brackets alone. */
function code({ file, text }: { readonly file: string; readonly text: string }): readonly string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const named = source.statements.filter(
    (each) => ts.isImportDeclaration(each) || ts.isExportDeclaration(each),
  );
  const rest = named.reduceRight((left, { pos, end }) => left.slice(0, pos) + left.slice(end), text);
  return rest
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /\w/.test(line));
}

function runs(lines: readonly string[]): readonly string[] {
  return lines.slice(RUN - 1).map((_, at) => lines.slice(at, at + RUN).join("\n"));
}

describe("the sixth protocol", () => {
  test(`has at most ${MOST_LINES} lines`, () => {
    const lines = flat.reduce((sum, { text }) => sum + text.trimEnd().split("\n").length, 0);
    expect(lines).toBeLessThanOrEqual(MOST_LINES);
  });

  test("has the files that every flat has", () => {
    expect(flat.map(({ file }) => file).sort()).toEqual([
      "client.ts",
      "conversation.ts",
      "events.ts",
      "index.ts",
      "input.ts",
      "messages.ts",
      "options.ts",
      "turn.ts",
      "turns.ts",
      "universal.ts",
      "wire.ts",
    ]);
  });

  test("imports only `core`, its own files and zod, and its mapping also `universal`", () => {
    const own = flat.map(({ file }) => `./${file}`);
    const wrong = flat.flatMap(({ file, text }) =>
      readImports(file, text)
        .map(({ specifier = "a computed name" }) => specifier)
        .filter((name) => !own.includes(name) && !name.startsWith("../../src/core/") && name !== "zod/mini")
        .filter((name) => file !== "universal.ts" || !name.startsWith("../../src/universal/"))
        .map((name) => `${file} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test(`shares no ${RUN} lines in a row with another flat`, () => {
    const known = new Map(others.flatMap((other) => runs(code(other)).map((run) => [run, other.file])));
    expect(known.size).toBeGreaterThan(1_000);
    const copied = flat.flatMap((own) =>
      runs(code(own)).flatMap((run) =>
        known.has(run) ? [`${own.file} and ${known.get(run)}:\n${run}`] : [],
      ),
    );
    expect(copied).toEqual([]);
  });
});
