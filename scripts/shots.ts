// `npm run shots`: pictures of the page and of the terminal, in each state of a chat.
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium } from "../test/docs/support/snippet-pages.ts";
import { BUILD } from "../test/helpers/sources.ts";
import { indexOf } from "./shots/index-page.ts";
import { pageShots } from "./shots/page-shots.ts";
import { README_SIZE, terminalShots } from "./shots/terminal-shots.ts";
import { findChromium } from "./support/chromium.ts";
import { tempFolder } from "./support/temp-folder.ts";

const HELP = `Usage: npm run shots -- [options]

Makes pictures of agentwire/react/ui (in Chromium: light, dark, phone, right-to-left) and of agentwire/ink (in a
pseudo-terminal: 80x24, 40x15, 200x60; with the text beside) in each state of a chat, and shots/index.html with all of them.
Fails if one cannot be made.

Options:
  --only <name>   "page", "terminal", or the beginning of names such as page-plan or terminal-help-80x24
  --out <folder>  another folder than shots/
  --readme        the two pictures of README.md alone, into docs/images/ too
  --help          this text
`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    out: { type: "string" },
    readme: { type: "boolean", default: false },
  },
});

/** The pictures of README.md, and their names in docs/images/. */
const README: ReadonlyMap<string, string> = new Map([
  [`terminal-diff-waiting-${README_SIZE.join("x")}`, "terminal.png"],
  ["page-diff-waiting-light", "page.png"],
]);

if (values.help) console.log(HELP);
else if (findChromium() === undefined) {
  console.error(
    "There is no Chromium on the PATH: install the package `chromium`, or set AGENTWIRE_CHROMIUM to the program.",
  );
  process.exitCode = 1;
} else process.exitCode = await shoot(values.only, values.out ?? join(import.meta.dirname, "../shots"));

async function shoot(only: string, out: string): Promise<number> {
  const terminal = terminalShots(values.readme ? [README_SIZE] : undefined);
  const shots = [...pageShots(), ...terminal].filter(({ name }) =>
    values.readme ? README.has(name) : `${name}-`.startsWith(only),
  );
  if (shots.length === 0) {
    console.error(`No name begins with ${only}. See --help.`);
    return 2;
  }
  await mkdir(out, { recursive: true });
  await using build = await tempFolder();
  process.env[BUILD] ??= build.path; // where the program of the terminal is bundled
  const failed: string[] = [];
  const browser = await launchChromium();
  try {
    for (const { name, take } of shots) {
      await take(browser, out).catch((error: unknown) => {
        failed.push(name);
        console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
  } finally {
    await browser.close();
  }
  if (values.readme && failed.length === 0) await copyForReadme(out);
  const index = join(out, "index.html");
  await writeFile(index, await indexOf(out));
  console.log(`${index}: ${shots.length - failed.length} of ${shots.length} were made.`);
  return failed.length > 0 ? 1 : 0;
}

async function copyForReadme(from: string): Promise<void> {
  const images = join(import.meta.dirname, "../docs/images");
  await mkdir(images, { recursive: true });
  for (const [shot, image] of README) await copyFile(join(from, `${shot}.png`), join(images, image));
}
