import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { run } from "../support/run.ts";
import type { Check, Finding } from "./finding.ts";

/** A text that must not be in the tree. */
interface Secret {
  readonly pattern: RegExp;
  readonly message: string;
}

/** Where an absolute path begins: not in the middle of a relative one or of a URL. */
const START = "(?<![\\w.~/-])";
const folder = (...names: readonly string[]) => new RegExp(`${START}/(?:${names.join("|")})(?![\\w.-])`);
// The names are joined here, so that this file does not hold what it looks for.
const host = (...labels: readonly string[]) => new RegExp(`\\b${labels.join("\\.")}\\b`, "i");

const SECRETS: readonly Secret[] = [
  { pattern: folder("work"), message: "a path of one machine: make it relative" },
  { pattern: folder("tmp", "var/tmp"), message: "a fixed temporary path: take one from os.tmpdir()" },
  {
    pattern: folder("root", "home/[\\w.-]+", "Users/[\\w.-]+"),
    message: "a home folder: make it relative, or take os.homedir()",
  },
  { pattern: /\b[A-Z]:\\+Users\\/i, message: "a home folder: make it relative, or take os.homedir()" },
  {
    pattern: host("registry", "npmjs", "org"),
    message: "a registry host: the user's npm settings choose it",
  },
  {
    pattern: host("registry", "yarnpkg", "com"),
    message: "a registry host: the user's npm settings choose it",
  },
  { pattern: host("[\\w-]+", "debian", "org"), message: "a package mirror: name the package instead" },
];

/** No path of somebody's machine and no registry host in any file that git tracks, or would. */
export const privacy: Check = async (root, note) => {
  const listed = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  if (!listed.ok) throw new Error(`git ls-files failed (${listed.ending}): ${listed.stderr.trim()}`);
  const files = [...new Set(listed.stdout.split("\0").filter((file) => file !== ""))];

  const findings: Finding[] = [];
  let read = 0;
  for (const file of files) {
    const text = await readText(join(root, file));
    if (text === undefined) continue;
    read++;
    findings.push(...findSecrets(file, text));
    if (file === "package-lock.json") findings.push(...findHosts(file, text));
  }
  if (read === 0) {
    findings.push({ file: ".", message: "git lists no text file: there is nothing to check" });
  }
  note(`${read} text files`);
  return findings;
};

/** `undefined` for what is not text, or is listed but deleted in the working tree. */
async function readText(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function findSecrets(file: string, text: string): Finding[] {
  return text.split("\n").flatMap((line, index) =>
    SECRETS.filter(({ pattern }) => pattern.test(line)).map(({ message }) => ({
      file,
      line: index + 1,
      message,
    })),
  );
}

const lockfile = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.optional(z.string()) })),
});

/** A lock file with `resolved` URLs makes every clone ask the host that wrote it. */
function findHosts(file: string, text: string): Finding[] {
  return Object.entries(lockfile.parse(JSON.parse(text)).packages)
    .filter(([, { resolved }]) => resolved !== undefined && URL.canParse(resolved))
    .map(([name]) => ({
      file,
      message: `${name} has a "resolved" URL: set omit-lockfile-registry-resolved and install again`,
    }));
}
