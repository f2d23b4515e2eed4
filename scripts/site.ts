/** Builds the documentation site from the pages of this repository. */
import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { deadAnchors } from "./site/anchors.ts";
import { mendApiLinks } from "./site/api-links.ts";
import { sitePages } from "./site/pages.ts";
import { run, tail } from "./support/run.ts";

const HELP = `Usage: npm run site [-- options]

Builds the documentation site into site/dist: the guides of docs/, the API reference, and a search that needs no server.
The first run installs what site/package-lock.json names; after that nothing is loaded. A dead link is an error.

Options:
  --preview   then serve it on http://127.0.0.1:4173
  --help      this text
`;
const ROOT = join(import.meta.dirname, "..");
const SITE = join(ROOT, "site");
const CONTENT = join(SITE, "content");
const LIMIT = 600_000; // ms, for each step

const { values } = parseArgs({
  options: { help: { type: "boolean", default: false }, preview: { type: "boolean", default: false } },
});
if (values.help) console.log(HELP);
else process.exitCode = await build(values.preview);

async function build(preview: boolean): Promise<number> {
  if (!existsSync(join(SITE, "node_modules/.package-lock.json"))) {
    if (!(await step("install", "npm", ["ci", "--no-audit", "--no-fund"]))) return 1;
  }
  await rm(CONTENT, { recursive: true, force: true });
  const pages = await sitePages(ROOT);
  for (const [path, text] of pages) {
    await mkdir(dirname(join(CONTENT, path)), { recursive: true });
    await writeFile(join(CONTENT, path), text);
  }
  const pictures = join(ROOT, "docs/images");
  if (existsSync(pictures)) await cp(pictures, join(CONTENT, "images"), { recursive: true });
  console.log(`pages     ${pages.size} guides`);
  if (!(await step("API", "typedoc", ["--options", "typedoc.json"]))) return 1;
  await mendApiLinks(join(CONTENT, "api"));
  if (!(await step("site", "vitepress", ["build", "."]))) return 1;
  const dead = await deadAnchors(join(SITE, "dist"));
  for (const { page, link } of dead) console.log(`! ${page}: ${link} leads nowhere`);
  if (dead.length > 0) return 1;
  console.log(`ready     ${join("site", "dist", "index.html")}`);
  if (preview)
    await run(join(SITE, "node_modules/.bin/vitepress"), ["preview", "."], {
      cwd: SITE,
      timeout: 2 ** 31 - 1,
    });
  return 0;
}

/** Says how a step went, and what it said if it failed. */
async function step(name: string, command: string, args: readonly string[]): Promise<boolean> {
  const path = command === "npm" ? command : join(SITE, "node_modules/.bin", command);
  const started = performance.now();
  const result = await run(path, args, { cwd: SITE, timeout: LIMIT });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${name.padEnd(9)} ${result.ok ? `${seconds} s` : `failed (${result.ending})\n${tail(result)}`}`,
  );
  return result.ok;
}
