import { posix } from "node:path";
import { describedFiles } from "../support/sentences.ts";
import type { Check, Finding } from "./finding.ts";

/** Columns of the first line: it is read beside the name of its file. */
const MAX_COLUMNS = 120;

/** Each file of `src/` begins with one line that says what it is for, in words that no other file of its folder has. */
export const map: Check = async (root, note) => {
  const files = await describedFiles(root);
  const findings: Finding[] = [];
  const seen = new Map<string, string>();
  for (const { file, sentence } of files) {
    const report = (message: string) => findings.push({ file, message });
    if (sentence === undefined) {
      report("does not say what it is for: begin it with one line, `// ...`");
      continue;
    }
    const columns = `// ${sentence}`.length;
    if (columns > MAX_COLUMNS)
      report(`says what it is for in ${columns} columns: ${MAX_COLUMNS} at most, the rest below`);
    const key = `${posix.dirname(file)} ${sentence}`;
    const twin = seen.get(key);
    if (twin !== undefined) report(`is for the same as ${twin}, by its first line: say what differs`);
    else seen.set(key, file);
  }
  if (files.length === 0) findings.push({ file: "src", message: "holds no file: there is nothing to check" });
  note(`${files.length} files`);
  return findings;
};
