import { join } from "node:path";
import type { Manifest } from "./manifest.ts";
import { install } from "./pack.ts";
import { run } from "./run.ts";

/** A Node to run programs on. */
export interface NodeVersion {
  /** As it names itself: `v24.1.0`. */
  readonly version: string;
  readonly path: string;
}

/** This Node, which the repository is developed on, and the oldest that `engines` promises, installed in `folder`. */
export async function supportedNodes(manifest: Manifest, folder: string): Promise<readonly NodeVersion[]> {
  const floor = oldestNode(manifest.engines.node);
  await install(folder, [`node@${floor}`], { mayRunScripts: ["node"] });
  const path = join(folder, "node_modules/.bin/node");
  const asked = await run(path, ["--version"], { cwd: folder, timeout: 20_000 });
  const version = asked.stdout.trim();
  if (!version.startsWith(`v${floor}.`))
    throw new Error(`asked for Node ${floor} and got ${version || asked.ending}`);
  return [
    { version, path },
    { version: process.version, path: process.execPath },
  ];
}

/** `22.12` of `>=22.12`. */
export function oldestNode(range: string): string {
  const floor = /^>=\s*(\d+\.\d+)(?:\.0)?$/.exec(range)?.[1];
  if (floor === undefined) throw new Error(`"engines.node" is "${range}": write it as >=MAJOR.MINOR`);
  return floor;
}
