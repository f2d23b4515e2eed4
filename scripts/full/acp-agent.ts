/** Runs `acpx`, a client of ACP that nobody here wrote, against the example agent over stdio. */
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { install } from "../support/pack.ts";
import { endOnSignal, run as runProgram } from "../support/run.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { processesOf } from "./acp/processes.ts";

const ACPX = "acpx@0.19.1";

const HELP = `Usage: npm run full -- acp-agent [options]

Installs ${ACPX} from the registry of npm, and has it talk to examples/acp-agent.ts: allowed, denied, with a question, with
a failed turn, and with a time limit that ends the connection in the middle of an answer. Linux only.

Options:
  --folder <folder>   Where it is installed, once. Otherwise a folder in the system's temporary folder.
  --verbose           Show all that acpx has printed.
  --help              This text.

The exit code is 1 if a case has failed.
`;

interface Case {
  readonly name: string;
  readonly options: readonly string[];
  readonly prompt: string;
  readonly code: number;
  /** What it prints, and what it does not print. */
  readonly says: RegExp;
  readonly saysNot?: RegExp;
}

const CASES: readonly Case[] = [
  { name: "allows", options: ["--approve-all"], prompt: "hello", code: 0, says: /Two pages, 160 lines\./ },
  {
    name: "denies",
    options: ["--deny-all"],
    prompt: "hello",
    code: 5,
    says: /As you like: I looked at nothing\./,
    saysNot: /160 total/,
  },
  {
    name: "takes the first answer to a question",
    options: ["--approve-all"],
    prompt: "ask",
    code: 0,
    says: /I take main\. /,
  },
  {
    name: "says why a turn has failed",
    options: ["--approve-all"],
    prompt: "fail",
    code: 1,
    says: /the model is overloaded/,
  },
  {
    name: "runs out of time",
    options: ["--approve-all", "--timeout", "4"],
    prompt: "count",
    code: 3,
    says: /1 2 3/,
    saysNot: /100/,
  },
];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: "string", default: join(tmpdir(), "agentwire-acpx") },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (process.platform !== "linux") throw new Error("this suite looks into /proc: it runs on Linux only");
  endOnSignal();
  const folder = resolve(values.folder);
  say(`installing ${ACPX} ...`);
  await install(folder, [ACPX]);
  let failures = 0;
  for (const each of CASES) {
    const problems = await play(each, folder, values.verbose);
    say(`${each.name}: ${problems.length === 0 ? "ok" : `failed: ${problems.join("; ")}`}`);
    if (problems.length > 0) failures++;
  }
  return failures === 0 ? 0 : 1;
}

/** Runs acpx once, in a home and a project of its own. Returns what is wrong. */
async function play({ options, prompt, code, says, saysNot }: Case, folder: string, isVerbose: boolean) {
  await using place = await tempFolder();
  const [home, project] = [join(place.path, "home"), join(place.path, "project")];
  await mkdir(home);
  await mkdir(project);
  const agent = `${process.execPath} ${join(import.meta.dirname, "../../examples/acp-agent.ts")} --sessions ${join(place.path, "sessions")}`;
  const program = join(folder, "node_modules/acpx/dist/cli.js");
  const words = [program, ...options, "--agent", agent, "--cwd", project, "exec", prompt];
  const { stdout, stderr, ending } = await runProgram(process.execPath, words, {
    cwd: project,
    env: { HOME: home },
    timeout: 60_000,
  });
  const printed = `${stdout}\n${stderr}`;
  if (isVerbose) say(`${printed}\n(${ending})`);
  const left = processesOf(place.path);
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  return [
    ...(ending === `exit code ${code}` ? [] : [`it ended with ${ending}`]),
    ...(says.test(printed) ? [] : [`it did not say ${says}`]),
    ...(saysNot?.test(printed) ? [`it said ${saysNot}`] : []),
    ...(/Invalid params|unknown/i.test(stderr) ? ["it did not understand an update"] : []),
    ...(left.length === 0 ? [] : [`left: ${left.map(({ command }) => command).join()}`]),
  ];
}
