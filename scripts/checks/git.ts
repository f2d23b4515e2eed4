import { readManifest } from "../support/manifest.ts";
import { run } from "../support/run.ts";
import type { Check, Finding } from "./finding.ts";

/** As https://semver.org has it, without build metadata: no registry tells versions apart by that. */
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** What is published is what is committed, under a version that is free. */
export const git: Check = async (root, note) => {
  const { version } = await readManifest(root);
  const tag = `v${version}`;
  const findings: Finding[] = [];
  const ask = async (...args: readonly string[]): Promise<string> => {
    const result = await run("git", args, { cwd: root });
    if (!result.ok) throw new Error(`git ${args.join(" ")} failed (${result.ending}): ${result.stderr}`);
    return result.stdout.trim();
  };
  if (!VERSION.test(version)) {
    const message = `the version ${version} is no semantic version: npm version <major|minor|patch>`;
    findings.push({ file: "package.json", message });
  }
  const changed = (await ask("status", "--porcelain")).split("\n").filter((line) => line !== "");
  if (changed.length > 0) {
    const message = `${changed.length} files are not committed, such as ${changed[0]?.replace(/^\s*\S+\s+/, "")}: commit or remove them`;
    findings.push({ file: ".", message });
  }
  const head = await ask("rev-parse", "HEAD");
  const tagged = (await ask("tag", "--list", tag)) === "" ? undefined : await ask("rev-list", "-n", "1", tag);
  if (tagged !== undefined && tagged !== head) {
    const message = `${tag} is another commit (${tagged.slice(0, 8)}): raise the version, npm version <major|minor|patch>`;
    findings.push({ file: "package.json", message });
  }
  note(`${version}, ${head.slice(0, 8)}, ${tagged === undefined ? `no tag ${tag} yet` : `tag ${tag}`}`);
  return findings;
};
