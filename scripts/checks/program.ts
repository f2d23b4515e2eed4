import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { filledPage, missingCommands, PROGRAM_PAGE } from "../support/program-page.ts";
import type { Check } from "./finding.ts";

/** docs/program.md says what the tables of the program say. */
export const program: Check = async (root, note) => {
  const page = await readFile(join(root, PROGRAM_PAGE), "utf8");
  note(`${page.split("\n").length} lines`);
  const missing = missingCommands(page).map((name) => ({
    file: PROGRAM_PAGE,
    message: `does not show the command ${name}: add <!-- made: ${name} -->, <!-- end -->`,
  }));
  if (filledPage(page) === page) return missing;
  return [
    ...missing,
    { file: PROGRAM_PAGE, message: "is not what the tables say: npm run snippets -- --write" },
  ];
};
