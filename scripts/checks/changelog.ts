import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "../support/manifest.ts";
import type { Check } from "./finding.ts";

const FILE = "CHANGELOG.md";
const UNRELEASED = "Unreleased";

/** What is released has an entry: of its version, or of what is unreleased yet. */
export const changelog: Check = async (root, note) => {
  const { version } = await readManifest(root);
  const text = await readFile(join(root, FILE), "utf8");
  const found = [version, UNRELEASED].find((name) => hasEntry(text, name));
  if (found === undefined) {
    const message = `has no entry for ${version}: write under "## [${UNRELEASED}]" what changes for users`;
    return [{ file: FILE, message }];
  }
  note(
    found === version
      ? `an entry of ${version}`
      : `an entry of ${UNRELEASED}: rename it to "[${version}] - YYYY-MM-DD" to release`,
  );
  return [];
};

/** Whether something stands below the heading of a version. */
function hasEntry(text: string, version: string): boolean {
  const [, after] = text.split(`## [${version}]`);
  if (after === undefined) return false;
  const [, ...lines] = (after.split(/^## /m)[0] ?? "").split("\n"); // the first is the rest of the heading
  return lines.some((line) => /^\s*[-*\w]/.test(line));
}
