import type { Outcome, Row } from "./outcome.ts";

/** How an outcome stands in the table, and in the lines of progress. */
export function wordsOf(outcome: Outcome): string {
  return outcome.kind === "untried" ? `not tried (${outcome.reason})` : outcome.words;
}

/** `docs/runtimes.md`. */
export function pageOf(table: readonly (readonly [title: string, row: Row])[]): string {
  const cell = (outcome: Outcome): string => (outcome.kind === "untried" ? "-" : outcome.words);
  const rows = table.map(
    ([title, { version, module, commonJs }]) =>
      `|${title} ${version}|${cell(module)}|${cell(commonJs)}|`,
  );
  const failures = table.flatMap(([title, { version, module, commonJs }]) =>
    [module, commonJs].flatMap((outcome) =>
      outcome.kind === "failed" ? [`- ${title} ${version}: ${outcome.first.split("\n")[0]}`] : [],
    ),
  );
  return `${HEAD}
|in|ES module|CommonJS|
|---|---|---|
${rows.join("\n")}

${failures.length === 0 ? "" : `What failed first:\n\n${failures.join("\n")}\n\n`}${FOOT}`;
}

const HEAD = "# Where it works\n";
const FOOT = "";
