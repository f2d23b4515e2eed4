// What this machine has: the runtime, optional packages, keys.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isOlder } from "../../core/peers.ts";
import type { BackendRow } from "../backend.ts";
import { BACKENDS } from "../backends.ts";
import type { Given } from "../given.ts";
import { type DoctorStep, type Found, stepFailed, stepMissing, stepOdd, stepOk } from "./steps.ts";

/** As in `engines` of the package. */
const OLDEST_NODE = "22.12";
/** The first with `node:sqlite`, for `serve` with a file. */
const SQLITE_NODE = "22.13";

export function runtimeStep(): Found {
  const { bun, deno, node } = process.versions;
  if (bun !== undefined) return stepOk(`Bun ${bun}`);
  if (deno !== undefined) return stepOk(`Deno ${deno}`);
  const found = `Node ${node} on ${process.platform} ${process.arch}`;
  if (isOlder(node, OLDEST_NODE))
    return stepFailed(`${found} is too old`, `Install Node ${OLDEST_NODE} or later: https://nodejs.org.`);
  if (isOlder(node, SQLITE_NODE))
    return stepOdd(found, `\`agentwire serve\` keeps chats in a file from Node ${SQLITE_NODE} on.`);
  return stepOk(found);
}

interface PeerRow {
  readonly name: string;
  /** The oldest version that is supported; undefined: any. */
  readonly oldest: string | undefined;
  readonly install: string;
  readonly about: string;
  /** The backends that cannot do without it. */
  readonly needed?: readonly string[];
}

const PEERS: readonly PeerRow[] = [
  {
    name: "@agentclientprotocol/sdk",
    oldest: "2.0",
    install: "@agentclientprotocol/sdk@2",
    about: "for acp",
    needed: ["acp"],
  },
  { name: "ink", oldest: "8.0", install: "ink@8", about: "for the screen of chat" },
  { name: "react", oldest: "19.3", install: "react@19", about: "for the screen of chat" },
  { name: "redis", oldest: "5.0", install: "redis", about: "for serve --log redis" },
  {
    name: "@modelcontextprotocol/client",
    oldest: "2.0",
    install: "@modelcontextprotocol/client@2",
    about: "for MCP servers of run",
  },
  {
    name: "@vscode/ripgrep",
    oldest: undefined,
    install: "@vscode/ripgrep",
    about: "for faster searches in --cwd",
  },
];

/** The optional packages. Without a backend all of them; with one, those that it needs. */
export function peerSteps(backend: BackendRow | undefined): readonly DoctorStep[] {
  const rows = PEERS.filter(({ needed }) => !backend || needed?.includes(backend.name));
  return rows.map((row) => ({ name: `package ${row.name}`, ...peerFound(row, backend !== undefined) }));
}

function peerFound({ name, oldest, install, about }: PeerRow, isNeeded: boolean): Found {
  const version = versionOf(name);
  const next = `Run: npm install ${install}`;
  if (version === undefined)
    return isNeeded
      ? stepFailed(`not installed; ${about}`, next)
      : stepMissing("not installed", `; ${about}: npm install ${install}`);
  if (oldest !== undefined && isOlder(version, oldest))
    return isNeeded
      ? stepFailed(`${version} is older than ${oldest}; ${about}`, next)
      : stepOdd(`${version} is older than ${oldest}; ${about}`, next);
  return stepOk(`${version}; ${about}`);
}

/** From the folders that Node looks into, since a package need not export its manifest. */
function versionOf(name: string): string | undefined {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const manifest = join(folder, "node_modules", name, "package.json");
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, "utf8")).version;
    if (folder === dirname(folder)) return undefined;
  }
}

const FOUND = "found in the environment";

/** The secrets of the environment, by the names of their variables. */
export function keySteps(): readonly DoctorStep[] {
  const variables = new Set(BACKENDS.flatMap(({ secret }) => (secret ? [secret.variable] : [])));
  return [...variables, "OPENAI_API_KEY"].map((name) => ({
    name: `key ${name}`,
    ...(process.env[name]?.trim() ? stepOk(FOUND) : stepMissing("not set")),
  }));
}

/** The secret of a backend. */
export function keyStep({ name, secret }: BackendRow, given: Given): DoctorStep | undefined {
  const ownServer = name === "run" && given.has("url") && given.has("model");
  const variable = ownServer ? "OPENAI_API_KEY" : secret?.variable;
  if (variable === undefined) return undefined;
  const step = { name: `key ${variable}` };
  if (process.env[variable]?.trim()) return { ...step, ...stepOk(FOUND) };
  if (ownServer || !secret?.isNeeded(given))
    return { ...step, ...stepMissing("not set", "; some servers need none") };
  return { ...step, ...stepFailed("not set", `Set ${variable} in the environment.`) };
}
