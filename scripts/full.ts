/** The wide suites, each by its name. None is a part of CI. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** A wide suite. `run` returns the exit code. */
interface Suite {
  readonly about: string;
  run(args: readonly string[]): Promise<number>;
}

const SUITES: ReadonlyMap<string, Suite> = new Map([
  ["tests", { about: "all tests, the wide ones with all of their runs (without a name)", run: allTests }],
  ["browser", { about: "the tests in Chromium, with all of their runs", run: browserTests }],
  [
    "acp",
    {
      about: "real ACP agents, installed from the registries, against a scripted model on this machine",
      run: async (args) => (await import("./full/acp.ts")).run(args),
    },
  ],
  [
    "acp-agent",
    {
      about: "acpx, a client of ACP, against examples/acp-agent.ts over stdio",
      run: async (args) => (await import("./full/acp-agent.ts")).run(args),
    },
  ],
  [
    "run",
    {
      about: "CodebuffRun against real servers and models: aimock, LiteLLM, AI SDK 5 and 7",
      run: async (args) => (await import("./full/run.ts")).run(args),
    },
  ],
  [
    "acp-turns",
    {
      about: "100,000 random turns of the ACP client on the mock, over all profiles",
      run: async (args) => (await import("./full/acp-turns.ts")).run(args),
    },
  ],
  [
    "acp-ends",
    {
      about: "200 ends of an ACP agent's process, by every way; nothing of it may be left",
      run: async (args) => (await import("./full/acp-ends.ts")).run(args),
    },
  ],
  [
    "relay-runtimes",
    {
      about: "the relay's handler in Bun, Deno and workerd, installed from the registry",
      run: async (args) => (await import("./full/relay-runtimes.ts")).run(args),
    },
  ],
  [
    "site",
    {
      about: "the documentation site, with the types of its code and its links",
      run: async () => spawned("npm", ["run", "--silent", "site"]),
    },
  ],
  [
    "matrix",
    {
      about: "the packed package on runtimes, in bundlers and with compilers; writes docs/runtimes.md",
      run: async (args) => (await import("../matrix/matrix.ts")).run(args),
    },
  ],
  [
    "adapters",
    {
      about: "captures of real programs, through the clients and then through the adapters",
      run: async (args) => (await import("./full/adapters.ts")).run(args),
    },
  ],
]);

const HELP = `Usage: npm run full [-- name [options]]

Runs a wide suite, which takes too long for CI.

${[...SUITES].map(([name, { about }]) => `  ${name.padEnd(16)}${about}`).join("\n")}

npm run full -- <name> --help says more.
`;

const ALL_RUNS = { ...process.env, AGENTWIRE_RUNS: process.env["AGENTWIRE_RUNS"] ?? "1" };

function allTests(args: readonly string[]): Promise<number> {
  return spawned("vitest", ["run", ...args], ALL_RUNS);
}

function browserTests(args: readonly string[]): Promise<number> {
  return spawned("npm", ["run", "--silent", "test:browser", "--", ...args], ALL_RUNS);
}

async function spawned(command: string, args: readonly string[], env = process.env): Promise<number> {
  const child = spawn(command, args, { stdio: "inherit", env });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

const [first, ...rest] = process.argv.slice(2);
const suite = first === undefined ? SUITES.get("tests") : SUITES.get(first);
if (first === "--help" || first === "-h") process.stdout.write(HELP);
else if (suite) process.exitCode = await suite.run(rest);
else {
  process.stderr.write(`there is no suite ${first}\n\n${HELP}`);
  process.exitCode = 2;
}
