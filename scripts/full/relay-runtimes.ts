/** Runs the relay's handler in Bun, Deno and workerd, and uses it over HTTP as a stranger does. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { smoke } from "../../test/server/relay/support/smoke.ts";
import { install, pack } from "../support/pack.ts";
import { endOnSignal } from "../support/run.ts";

const [BUN, DENO, MINIFLARE] = ["bun@1.4.5", "deno@2.9.6", "miniflare@4.20260730.0"];

const HELP = `Usage: npm run full -- relay-runtimes [options]

Installs this package, ${BUN}, ${DENO} and ${MINIFLARE} (workerd) from the registry of npm (380 MB), starts a relay in
each, and sends it prompts and readers over HTTP. A relay on workerd lives in a Durable Object.

Options:
  --folder <folder>   Where they are installed. Otherwise a folder in the system's temporary folder.
  --help              This text.

The exit code is 1 if a runtime has failed.
`;

/** For one runtime, in ms. */
const TIME = 60_000;

/** A relay that listens. */
interface Listening extends AsyncDisposable {
  readonly url: string;
}

const RUNTIMES: Readonly<Record<string, (folder: string) => Promise<Listening>>> = {
  Bun: (folder) => started(folder, "bun", ["bun-app.ts"]),
  Deno: (folder) => started(folder, "deno", ["run", "-A", "--node-modules-dir=manual", "deno-app.ts"]),
  workerd,
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: "string", default: join(tmpdir(), "agentwire-runtimes") },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  endOnSignal();
  const folder = resolve(values.folder);
  await mkdir(folder, { recursive: true });
  say(`installing ${[BUN, DENO, MINIFLARE].join(", ")} ...`);
  const tarball = await pack(resolve(import.meta.dirname, "../.."), join(folder, "pack"));
  await install(folder, [tarball, BUN, DENO, MINIFLARE], { mayRunScripts: ["bun"] });
  await cp(join(import.meta.dirname, "relay"), folder, { recursive: true });
  let failures = 0;
  for (const [name, start] of Object.entries(RUNTIMES)) {
    const problem = await play(folder, start);
    say(`${name}: ${problem === undefined ? "ok" : `failed: ${problem}`}`);
    if (problem !== undefined) failures++;
  }
  return failures === 0 ? 0 : 1;
}

/** Returns what is wrong. */
async function play(
  folder: string,
  start: (folder: string) => Promise<Listening>,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIME);
  try {
    await using relay = await start(folder);
    await smoke((path, init) => fetch(`${relay.url}${path}`, { ...init, signal }));
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** Starts a program of the folder that prints its URL. */
async function started(folder: string, program: string, args: readonly string[]): Promise<Listening> {
  const child = spawn(join(folder, "node_modules/.bin", program), args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const url = await firstLine(child);
  return {
    url,
    async [Symbol.asyncDispose]() {
      process.off("exit", kill);
      const ended = once(child, "exit");
      kill();
      await ended;
    },
  };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error("no stdout");
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error("the program has ended without a word");
}

/** What this uses of miniflare. */
interface MiniflareModule {
  readonly Miniflare: new (options: object) => { readonly ready: Promise<URL>; dispose(): Promise<void> };
}

async function workerd(folder: string): Promise<Listening> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["worker-app.ts"],
    bundle: true,
    write: false,
    format: "esm",
    conditions: ["workerd", "worker"],
    mainFields: ["module", "main"],
  });
  const file = createRequire(join(folder, "package.json")).resolve("miniflare");
  const { Miniflare } = (await import(pathToFileURL(file).href)) as MiniflareModule;
  const server = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text,
    host: "127.0.0.1",
    port: 0,
    compatibilityDate: "2026-01-01",
    compatibilityFlags: ["enable_request_signal"], // without it, only `viewerStall` ends viewers that have left
    durableObjects: { CHATS: "RelayObject" },
  });
  const { origin } = await server.ready;
  return { url: origin, [Symbol.asyncDispose]: () => server.dispose() };
}
