// Prints what each file of `src/` is for.
import { join, posix, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Described, describedFiles } from "./support/sentences.ts";

const HELP = `Usage: npm run map -- [options] [path]

Prints each file of src/, or of a folder such as src/chat, with its first line, which says what the file is for.
The folders of a folder come before its files. npm run check map checks the lines.

Options:
  --root <folder> look at another tree than this one
  --help          this text
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", default: false }, root: { type: "string" } },
});
const root = resolve(values.root ?? join(import.meta.dirname, ".."));
const asked = posix.join(positionals[0] ?? "src").replace(/\/$/, "");
if (values.help) console.log(HELP);
else {
  const files = (await describedFiles(root)).filter(({ file }) => `${file}/`.startsWith(`${asked}/`));
  for (const folder of new Set(files.map(folderOf))) print(files.filter((each) => folderOf(each) === folder));
  if (files.length === 0) {
    console.error(`no file of src/ is at ${asked}: give a folder such as src/chat`);
    process.exitCode = 2;
  }
}

function folderOf({ file }: Described): string {
  return posix.dirname(file);
}

/** Each line has the whole path, so that a line that `grep` finds can be opened. */
function print(files: readonly Described[]): void {
  const width = Math.max(...files.map(({ file }) => file.length));
  console.log();
  for (const { file, sentence = "?" } of files) console.log(`${file.padEnd(width)}  ${sentence}`);
}
