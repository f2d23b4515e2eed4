import type { FailedTest } from "./lane.ts";
import type { Mutant } from "./mutant.ts";

/** How one mutant fared. */
export type Fate =
  | { readonly mutant: Mutant; readonly fate: "caught"; readonly by: FailedTest & { readonly title: string } }
  | { readonly mutant: Mutant; readonly fate: "survived" }
  /** The table is wrong about it. */
  | { readonly mutant: Mutant; readonly fate: "error"; readonly why: string };

const INTRODUCTION = `# What the tests would notice

Each row is a breakage of one line of the source, and the first test that fails with it. \`npm run mutants\` makes each of
them in a copy of the tree and fails when one goes unnoticed; \`npm run mutants -- --write\` writes this page.
`;

/** The page with a table of the mutants, by file. */
export function page(fates: readonly (Fate & { fate: "caught" })[]): string {
  const files = [...new Set(fates.map(({ mutant }) => mutant.file))];
  const sections = files.map((file) => {
    const rows = fates
      .filter(({ mutant }) => mutant.file === file)
      .map(({ mutant, by }) => `| ${cell(mutant.name)} | ${cell(mutant.breaks)} | ${cell(testOf(by))} |\n`);
    return `\n## ${file}\n\n| name | what is broken | caught by |\n| --- | --- | --- |\n${rows.join("")}`;
  });
  return `${INTRODUCTION}\n${fates.length} breakages of ${files.length} files.\n${sections.join("")}`;
}

/** The names of the mutants on a page. */
export function namesOn(text: string): string[] {
  return [...text.matchAll(/^\| ([a-z][a-z\d-]*) \|/gm)].flatMap(([, name]) =>
    name && name !== "name" ? [name] : [],
  );
}

const testOf = ({ file, title }: FailedTest): string => `${file.replace(/^test\//, "")}: ${title}`;

/** Markdown ends a cell at a bar, and reads angle brackets as HTML. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}
