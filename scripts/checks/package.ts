/**
 * The package as users get it: packed, linted, installed and used.
 *
 * README.md takes part: the first ```ts or ```js fence after the line `<!-- first-program -->` is run as an
 * ES module. Each link of a published page must lead to a published file.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { peersOf, specifierOf } from "../support/entries.ts";
import { findFirstProgram } from "../support/first-program.ts";
import { listFiles } from "../support/list-files.ts";
import { readManifest, resolveTarget } from "../support/manifest.ts";
import { supportedNodes } from "../support/node-versions.ts";
import { consumerOf } from "../support/pack.ts";
import { tempFolder } from "../support/temp-folder.ts";
import type { Check, Finding } from "./finding.ts";
import { deadLinks, judgeContents, namedMap } from "./package/contents.ts";
import { lint } from "./package/lint.ts";
import { browserApp, exercise, firstProgram, installedProgram } from "./package/programs.ts";
import { judgeSideEffects } from "./package/side-effects.ts";

const README = "README.md";

/** The tarball holds what it should, linters find nothing, and it works wherever it is installed. */
export const packageCheck: Check = async (root, note) => {
  const manifest = await readManifest(root);
  await using consumer = await consumerOf(root, manifest.name);
  await using nodeFolder = await tempFolder();
  const findings: Finding[] = [];
  const report = (file: string, message: string, line?: number) => {
    findings.push({ file, message, line });
  };

  const files = await listFiles(consumer.installed, () => true);
  for (const { file, message } of judgeContents(files)) report(file, message);
  for (const file of files.filter((name) => /\.c?[jt]s$/.test(name))) {
    const map = namedMap(await readFile(join(consumer.installed, file), "utf8"));
    if (map !== undefined) report(file, `names the source map ${map}, which is not published`);
  }
  for (const page of files.filter((name) => name.endsWith(".md"))) {
    const text = await readFile(join(consumer.installed, page), "utf8");
    for (const target of deadLinks(page, text, files))
      report(page, `links to ${target}, which is not published`);
  }
  note(`${files.length} files in the tarball`);

  const styles = Object.keys(manifest.exports).filter((subpath) => subpath.endsWith(".css"));
  const subpaths = Object.keys(manifest.exports).filter((subpath) => !/\.(?:json|css)$/.test(subpath));
  // Ink is an ES module that awaits at its top level: no CommonJS can load it, nor what imports it.
  const esmOnly = subpaths.filter(
    (subpath) => resolveTarget(manifest.exports[subpath], new Set(["node", "require"])) === undefined,
  );
  for (const complaint of await lint(consumer.tarball, esmOnly, styles)) report("package.json", complaint);
  note("publint --strict, attw --profile node16");

  for (const subpath of subpaths) {
    const specifier = specifierOf(manifest, subpath);
    for (const complaint of await judgeSideEffects(consumer.folder, specifier, peersOf(subpath))) {
      report("package.json", `"sideEffects" is not true of ${specifier}: ${complaint}`);
    }
  }
  note(`side effects of ${subpaths.length} entries`);

  const nodes = await supportedNodes(manifest, nodeFolder.path);
  for (const node of nodes) {
    for (const complaint of await exercise(consumer, node)) report("package.json", complaint);
  }
  for (const complaint of await browserApp(consumer)) report("package.json", complaint);
  const versions = nodes.map(({ version }) => version).join(" and ");
  note(`used as an ES module and CommonJS on ${versions}, and in a browser bundle`);

  const program = findFirstProgram(await readReadme(root));
  if (typeof program === "string") report(README, program);
  else {
    for (const node of nodes) {
      const complaint = await firstProgram(consumer, program, node);
      if (complaint !== undefined) report(README, complaint, program.line);
    }
    note(`the README's first program on ${versions}`);
  }
  for (const node of nodes) {
    const complaint = await installedProgram(consumer, node);
    if (complaint !== undefined) report("src/program", complaint);
  }
  note(`the program agentwire on ${versions}`);
  return findings;
};

async function readReadme(root: string): Promise<string> {
  try {
    return await readFile(join(root, README), "utf8");
  } catch {
    return ""; // That it is missing is said already, by the contents of the tarball.
  }
}
