import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Check, Finding } from "../../scripts/checks/finding.ts";
import { type TempFolder, tempFolder } from "../../scripts/support/temp-folder.ts";

/** Files of a small tree by path; what is no string is written as JSON. */
export type Files = Readonly<Record<string, string | object>>;

/** Writes files to a temporary folder, which `await using` removes. */
export async function tree(files: Files): Promise<TempFolder> {
  const folder = await tempFolder();
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

/** What a check finds in a tree of these files. */
export async function findingsIn(check: Check, files: Files): Promise<readonly Finding[]> {
  await using folder = await tree(files);
  // Awaited here, because the folder goes away at the end of this block.
  return await check(folder.path, () => {});
}

/** Findings as lines that a test can compare: `file:line message`. */
export function lines(findings: readonly Finding[]): string[] {
  return findings.map(
    ({ file, line, message }) => `${file}${line === undefined ? "" : `:${line}`} ${message}`,
  );
}
