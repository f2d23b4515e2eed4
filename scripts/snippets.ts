/** Compares the code on the pages with the regions that compile, or copies it there. */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { snippets } from "./checks/snippets.ts";
import { fillFences } from "./support/fences.ts";
import { filledPage, PROGRAM_PAGE } from "./support/program-page.ts";
import { readPages, readSources } from "./support/snippets.ts";

const HELP = `Usage: npm run snippets -- [options]

Each fence of TypeScript in README.md, docs/ and examples/ is a region of a file in docs/snippets/, which
compiles. Says what differs, and exits with 1 if something does.

Options:
  --write         first copy the regions into the pages, and the tables of the program into docs/program.md
  --root <folder> look at another tree than this one
  --help          this text
`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    root: { type: "string" },
  },
});
const root = resolve(values.root ?? join(import.meta.dirname, ".."));
if (values.help) console.log(HELP);
else {
  if (values.write) await write();
  const findings = await snippets(root, console.log);
  for (const { file, line, message } of findings) console.log(`! ${file}:${line ?? 1}  ${message}`);
  if (findings.length > 0) process.exitCode = 1;
}

async function write(): Promise<void> {
  const regions = new Map<string, string>();
  for (const source of await readSources(root)) {
    for (const { name, code } of source.regions) regions.set(name, code);
  }
  for (const { file, text } of await readPages(root)) {
    const fences = fillFences(text, (snippet) => regions.get(snippet));
    const filled = file === PROGRAM_PAGE ? filledPage(fences) : fences;
    if (filled === text) continue;
    await writeFile(join(root, file), filled);
    console.log(`wrote ${file}`);
  }
}
