/**
 * What the pages show is code that compiles: each fence of TypeScript in README.md, docs/ and examples/ is the
 * text of a region in docs/snippets/, named by `<!-- snippet: name -->` on the line before the fence.
 * `npm run snippets -- --write` copies the regions into the pages.
 */
import { join } from "node:path";
import ts from "typescript";
import { SHOWN } from "../support/fences.ts";
import type { Region } from "../support/regions.ts";
import { readPages, readSources, SNIPPETS } from "../support/snippets.ts";
import type { Check, Finding } from "./finding.ts";

const CODE: ReadonlySet<string> = new Set([
  ...["ts", "typescript", "tsx", "mts", "cts"],
  ...["js", "javascript", "jsx", "mjs", "cjs"],
]);

/** What compiles the regions: those of pages of apps know the DOM. */
const CONFIGS: readonly string[] = ["tsconfig.json", `${SNIPPETS}/web/tsconfig.json`];

/** Each fence shows a region as it is, and each region is shown and compiled. */
export const snippets: Check = async (root, note) => {
  const findings: Finding[] = [];
  const report = (file: string, line: number, message: string): void => {
    findings.push({ file, line, message });
  };
  const pages = await readPages(root);
  const sources = await readSources(root);
  const compiled = new Set(CONFIGS.flatMap((config) => [...filesOf(join(root, config))]));

  const regions = new Map<string, Region>();
  for (const { file, text, mistakes, regions: own } of sources) {
    for (const { line, message } of mistakes) report(file, line, message);
    for (const region of own) {
      if (regions.has(region.name)) report(file, region.line, `a second region ${region.name}`);
      regions.set(region.name, region);
    }
    if (!compiled.has(join(root, file)))
      report(file, 1, `${CONFIGS.join(" and ")} do not include it: it may rot`);
    const silenced = text.split("\n").findIndex((line) => /@ts-(nocheck|ignore|expect-error)\b/.test(line));
    if (silenced !== -1) report(file, silenced + 1, "silences the compiler: what is shown has to compile");
  }

  const shown = new Set<string>();
  let count = 0;
  for (const { file, fences, mistakes } of pages) {
    for (const { line, message } of mistakes) report(file, line, message);
    for (const { language, code, line, indented, snippet } of fences) {
      if (CODE.has(language)) count++;
      if (snippet !== undefined) shown.add(snippet);
      const region = snippet === undefined ? undefined : regions.get(snippet);
      if (snippet !== undefined && !SHOWN.includes(language)) {
        report(file, line, `the snippet ${snippet} needs a \`\`\`ts or tsx fence, not "\`\`\`${language}"`);
      } else if (snippet === undefined && CODE.has(language)) {
        const advice = `make it a region in ${SNIPPETS}/, and name it: <!-- snippet: name -->`;
        report(file, line, `code that nobody compiles: ${advice}`);
      } else if (snippet !== undefined && !region) {
        report(file, line, `no file in ${SNIPPETS}/ has a region ${snippet}`);
      } else if (region && indented) {
        report(file, line, `the fence of the snippet ${region.name} is indented: begin it at the margin`);
      } else if (region && region.code !== code) {
        const advice = "npm run snippets -- --write";
        report(
          file,
          firstDifference(code, region.code) + line,
          `is not the region ${region.name}: ${advice}`,
        );
      }
    }
  }
  for (const { file, regions: own } of sources) {
    for (const { name, line } of own)
      if (!shown.has(name)) report(file, line, `no page shows the region ${name}`);
  }
  if (count === 0) {
    const message = "no page shows any code: there is nothing to check";
    findings.push({ file: ".", message });
  }
  note(`${count} fences in ${pages.length} pages, ${regions.size} regions`);
  return findings;
};

/** What `tsc -p` would compile, absolute; nothing where there is no configuration. */
function filesOf(configFile: string): ReadonlySet<string> {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  return new Set(ts.getParsedCommandLineOfConfigFile(configFile, undefined, host)?.fileNames);
}

/** The first line, counted from 1, in which two texts differ. */
function firstDifference(one: string, other: string): number {
  const others = other.split("\n");
  const lines = one.split("\n");
  const at = lines.findIndex((line, index) => line !== others[index]);
  return at === -1 ? lines.length : at + 1;
}
