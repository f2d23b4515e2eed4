import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { apiReports, declarationsIn } from "../support/api-report.ts";
import { readManifest } from "../support/manifest.ts";
import type { Check, Finding } from "./finding.ts";

/** Where the reports are committed. */
const FOLDER = "api";

const ACCEPT = `see what is meant to change, then npm run release:check -- --write, and commit ${FOLDER}/`;

/** Names that a finding lists; the diff shows the others. */
const LISTED = 12;

/** No public type changes unseen: the types of each entry are those of its committed report. */
export const api: Check = async (root, note) => {
  const made = apiReports(root, await readManifest(root));
  const committed = await readReports(root);
  const findings: Finding[] = [];
  for (const file of new Set([...made.keys(), ...committed.keys()])) {
    const [now, before] = [made.get(file), committed.get(file)];
    if (now === before) continue;
    const changes = changesOf(declarationsIn(before ?? ""), declarationsIn(now ?? ""));
    const listed = changes.slice(0, LISTED).join(", ");
    const more = changes.length > LISTED ? ` and ${changes.length - LISTED} more` : "";
    findings.push({
      file: `${FOLDER}/${file}`,
      message: `${listed || "its form changed"}${more}: ${ACCEPT}`,
    });
  }
  note(`public types of ${made.size} entries`);
  return findings;
};

/** Makes the reports those of the build. */
export async function writeApi(root: string): Promise<void> {
  const made = apiReports(root, await readManifest(root));
  await rm(join(root, FOLDER), { recursive: true, force: true });
  await mkdir(join(root, FOLDER));
  for (const [file, text] of made) await writeFile(join(root, FOLDER, file), text);
}

async function readReports(root: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(join(root, FOLDER)).catch(() => [])).filter((name) => name.endsWith(".d.ts"));
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(root, FOLDER, name), "utf8")] as const),
    ),
  );
}

function changesOf(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before.get(name), now.get(name)];
    if (was === is) return [];
    return [`${name} ${was === undefined ? "is new" : is === undefined ? "is gone" : "changed"}`];
  });
}
