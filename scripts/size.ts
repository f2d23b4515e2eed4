/**
 * What a browser downloads, per import: `npm run size`. With `--write` it becomes the table that `npm run check`
 * compares with.
 */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureSizes, readSizes, SIZES_FILE, sizeTable } from "./support/sizes.ts";

const HELP = `Usage: npm run size [-- options]

Prints the bytes of each import in a browser, minified and gzipped, beside the committed ones.

Options:
  --write        Commit them: writes ${SIZES_FILE}, which \`npm run check\` compares with.
  --root <path>  Another tree than this one.
  --help         This text.
`;

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    root: { type: "string", default: join(import.meta.dirname, "..") },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(HELP);
else await size(resolve(values.root));

async function size(root: string): Promise<void> {
  const { sizes, errors } = await measureSizes(root);
  for (const line of sizeTable(sizes, await readSizes(root))) console.log(line);
  for (const error of errors) console.error(error);
  if (errors.length > 0) process.exitCode = 1;
  else if (values.write) {
    await writeFile(join(root, SIZES_FILE), `${JSON.stringify(sizes, null, 2)}\n`);
    console.log(`\nwritten to ${SIZES_FILE}`);
  }
}
