import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { listFiles } from "../support/list-files.ts";
import { MAX_SHARED_NAMES, SHARED_NAMES, type SharedName } from "../support/shared-names.ts";
import type { Check, Finding } from "./finding.ts";

const HOW = "name it for what it is, do not export it, or give the reason in scripts/support/shared-names.ts";

/** Every exported name of `src/` is defined in one file, or in the files that a shared name allows. */
export const namesBut =
  (shared: readonly SharedName[], limit = MAX_SHARED_NAMES): Check =>
  async (root, note) => {
    const files = await listFiles(join(root, "src"), (path) => /\.tsx?$/.test(path));
    const places = new Map<string, Map<string, number>>();
    for (const file of files) {
      for (const [name, line] of definitions(file, await readFile(join(root, "src", file), "utf8"))) {
        const lines = places.get(name) ?? new Map<string, number>();
        places.set(name, lines.set(file, lines.get(file) ?? line));
      }
    }

    const findings: Finding[] = [];
    const excused = new Set<string>();
    for (const [name, lines] of places) {
      if (lines.size < 2) continue;
      const reason = shared.find((each) => each.name === name);
      if (reason) excused.add(name);
      const defining = [...lines.keys()];
      for (const [file, line] of lines) {
        if (reason?.in.some((place) => file === place || file.startsWith(`${place}/`))) continue;
        const others = defining.filter((other) => other !== file).join(", ");
        findings.push({ file: `src/${file}`, line, message: `exports ${name}, as ${others} does: ${HOW}` });
      }
    }
    const file = "scripts/support/shared-names.ts";
    for (const { name } of shared)
      if (!excused.has(name))
        findings.push({ file, message: `${name} is not defined twice: take it out of the list` });
    if (shared.length > limit)
      findings.push({ file, message: `has ${shared.length} names: ${limit} at most` });
    if (places.size === 0)
      findings.push({ file: "src", message: "exports nothing: there is nothing to check" });
    note(`${places.size} exported names, of which ${excused.size} are defined in several files`);
    return findings;
  };

export const names = namesBut(SHARED_NAMES);

/** The exported definitions of a module with their lines. A re-export defines nothing, nor does `export const { a } = loaded`. */
function definitions(file: string, text: string): readonly (readonly [name: string, line: number])[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    return namesOf(statement).map(
      (name) => [name.text, source.getLineAndCharacterOfPosition(name.pos).line + 1] as const,
    );
  });
}

function namesOf(statement: ts.Statement): readonly ts.Identifier[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name] : [],
    );
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed && statement.name ? [statement.name] : [];
}
