import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { readManifest } from "../../scripts/support/manifest.ts";

/** Where figures were taken: they are ratios, so that it matters less, but not nothing. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  /** Of the package and of everything it is measured beside. */
  readonly versions: Readonly<Record<string, string>>;
  /** ISO 8601, the day. */
  readonly date: string;
}

const ROOT = join(import.meta.dirname, "../..");
const PEERS = ["ws", "graphql-ws", "@atproto/ws-client", "zod"];

export async function thisMachine(): Promise<Machine> {
  const version = async (folder: string): Promise<string> => (await readManifest(folder)).version;
  const versions: Record<string, string> = { agentwire: await version(ROOT) };
  for (const name of PEERS) versions[name] = await version(join(ROOT, "node_modules", name));
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    node: process.versions.node,
    versions,
    date: new Date().toISOString().slice(0, 10),
  };
}
