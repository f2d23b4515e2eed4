import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod/mini";
import { peersOf, specifierOf } from "../support/entries.ts";
import { readManifest, resolveTarget } from "../support/manifest.ts";
import { run, tail } from "../support/run.ts";
import type { Check, Finding } from "./finding.ts";

const LOADERS = {
  import: (file: string) => `await import(${JSON.stringify(pathToFileURL(file).href)})`,
  require: (file: string) =>
    `require("node:module").createRequire(${JSON.stringify(file)})(${JSON.stringify(file)})`,
} as const;

const names = z.array(z.string());

/** Loading an entry leaves nothing on `globalThis`: the package promises to have no side effects. */
export const globals: Check = async (root, note) => {
  const manifest = await readManifest(root);
  const findings: Finding[] = [];
  const loaded = new Set<string>();
  for (const [subpath, target] of Object.entries(manifest.exports)) {
    if (peersOf(subpath).length > 0) continue; // what a peer of the user sets is its own
    for (const format of ["import", "require"] as const) {
      for (const platform of ["node", "browser"]) {
        const file = resolveTarget(target, new Set([platform, format]));
        if (file === undefined || !/\.c?js$/.test(file) || loaded.has(`${format} ${file}`)) continue;
        loaded.add(`${format} ${file}`);
        const left = await leftBehind(LOADERS[format](join(root, file)), root);
        if (left === undefined) continue;
        const message = `loading ${specifierOf(manifest, subpath)} (${format}) ${left}`;
        findings.push({ file: posix.normalize(file), message });
      }
    }
  }
  if (loaded.size === 0)
    findings.push({ file: "package.json", message: "exports nothing: there is nothing to check" });
  note(`${loaded.size} entries, each in a process of its own`);
  return findings;
};

/** Node loads its own `fetch` when a module imports this one, and keeps a dispatcher on `globalThis`: no doing of the package. */
const NODES_OWN = 'process.getBuiltinModule("node:http").WebSocket';

/** What a statement has left on `globalThis` of a fresh process, in words; `undefined` for nothing. */
async function leftBehind(statement: string, root: string): Promise<string | undefined> {
  const program = `
    ${NODES_OWN};
    const before = new Set(Reflect.ownKeys(globalThis));
    ${statement};
    const left = Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String);
    process.stdout.write(JSON.stringify(left));`;
  const type = statement.startsWith("await") ? "module" : "commonjs";
  const result = await run(process.execPath, [`--input-type=${type}`, "--eval", program], { cwd: root });
  if (!result.ok) return `failed (${result.ending}):\n${tail(result, 20)}`;
  const left = names.parse(JSON.parse(result.stdout));
  return left.length === 0 ? undefined : `sets ${left.join(", ")} on \`globalThis\``;
}
