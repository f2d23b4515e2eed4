/** Drives real ACP agents through the built client, against a scripted model on loopback. */
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { AcpClient, acp } from "agentwire/acp";
import { endOnSignal } from "../support/run.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { AGENTS, type Agent, type InstalledAgent, installAgent } from "./acp/agents.ts";
import { ScriptedModel } from "./acp/model.ts";
import { processesOf } from "./acp/processes.ts";
import { SCENARIOS, SCRIPTS, type Scenario, type StageOptions } from "./acp/scenarios.ts";
import { WireTap } from "./acp/wire-tap.ts";

const HELP = `Usage: npm run full -- acp [options]

Installs real ACP agents from the registries of npm and PyPI, and drives each through the built client. Their model is
a scripted one on this machine. Each agent has a home and a project of its own in a temporary folder. Linux only.

Options:
  --agents <names>     Which ones, with commas. Otherwise all: ${AGENTS.map(({ name }) => name).join(", ")}.
  --scenarios <words>  Only scenarios whose name contains one of these words, with commas.
  --folder <folder>    Where they are installed, once. Otherwise a folder in the system's temporary folder.
  --verbose            Show the last lines of the wire of each scenario, not only of one that has failed.
  --write              Write the table to scripts/full/acp-results.md.
  --help               This text.

The exit code is 1 if a scenario has failed. An agent that cannot be installed is a column that says so.
`;

/** Of one scenario: two starts of the slowest agent, and the minute that Gemini needs. */
const LIMIT = 180_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** What one agent did: a word or two for each scenario. */
interface Column {
  readonly title: string;
  readonly cells: ReadonlyMap<string, string>;
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      agents: { type: "string", default: AGENTS.map(({ name }) => name).join() },
      scenarios: { type: "string", default: "" },
      folder: { type: "string", default: join(tmpdir(), "agentwire-acp-agents") },
      verbose: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (process.platform !== "linux") throw new Error("this suite looks into /proc: it runs on Linux only");
  endOnSignal();
  const names = values.agents.split(",");
  const unknown = names.filter((name) => !AGENTS.some((agent) => agent.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`there is no agent ${unknown.join(", ")}\n\n${HELP}`);
    return 2;
  }
  const words = values.scenarios.split(",");
  const scenarios = SCENARIOS.filter(({ name }) => words.some((word) => name.includes(word)));
  const columns: Column[] = [];
  for (const agent of AGENTS.filter(({ name }) => names.includes(name)))
    columns.push(await columnOf(agent, resolve(values.folder), scenarios, values.verbose));
  const table = tableOf(columns, scenarios);
  say(`\n${table}`);
  if (values.write) await writeTable(table);
  return columns.some(({ cells }) => [...cells.values()].some((cell) => cell.startsWith(FAILED))) ? 1 : 0;
}

const FAILED = "**failed**";

async function columnOf(
  agent: Agent,
  folder: string,
  scenarios: readonly Scenario[],
  isVerbose: boolean,
): Promise<Column> {
  const { name } = agent;
  say(`installing ${name} ...`);
  let installed: InstalledAgent;
  try {
    await mkdir(folder, { recursive: true });
    installed = await installAgent(agent, folder);
  } catch (error) {
    say(`${name}: not installed: ${error instanceof Error ? error.message : error}`);
    return { title: name, cells: new Map(scenarios.map((each) => [each.name, "not installed"])) };
  }
  say(`${name}: ${installed.version}`);
  const before = process.env["PATH"];
  process.env["PATH"] = installed.path;
  const cells = new Map<string, string>();
  try {
    for (const scenario of scenarios) {
      const cell = await play(agent, scenario, isVerbose);
      cells.set(scenario.name, cell);
      say(`${name}: ${scenario.name}: ${cell}`);
    }
  } finally {
    process.env["PATH"] = before;
  }
  return { title: `${name} ${installed.version}`, cells };
}

/** Plays a scenario with a home, a project and a model of its own. Returns the cell of the table. */
async function play(agent: Agent, scenario: Scenario, isVerbose: boolean): Promise<string> {
  await using folder = await tempFolder();
  await using model = await ScriptedModel.start(SCRIPTS);
  const [home, project] = [join(folder.path, "home"), join(folder.path, "project")];
  model.project = project;
  await mkdir(project, { recursive: true });
  for (const [file, text] of Object.entries({ ".profile": "", ...agent.home?.(model.url) })) {
    await mkdir(join(home, file, ".."), { recursive: true });
    await writeFile(join(home, file), text);
  }
  const tap = new WireTap();
  const clients: AcpClient[] = [];
  const open = (options: StageOptions = {}): AcpClient => {
    const { args = [] } = agent;
    const env = { ...agent.env(model.url), HOME: home };
    const client = new AcpClient({ ...acp.presets[agent.name]({ cwd: project, env, args }), ...options });
    tap.listen(client);
    clients.push(client);
    return client;
  };
  const keepsSession = async (): Promise<unknown> => agent.keepsSession?.();
  const limit = new AbortController();
  const problems: unknown[] = [];
  let words = "";
  try {
    const late = wait(LIMIT, undefined, { signal: limit.signal }).then(() => {
      throw new Error(`it was not over after ${LIMIT / 1_000} s`);
    });
    words = await Promise.race([
      scenario.play({ model, project, open, keepsSession, chosen: tap.chosen, requested: tap.requested }),
      late,
    ]);
  } catch (error) {
    problems.push(error);
  } finally {
    limit.abort();
  }
  await Promise.all(clients.map((client) => client.close()));
  const left = processesOf(folder.path);
  if (left.length > 0)
    problems.push(new Error(`left after close(): ${left.map(({ command }) => command).join("; ")}`));
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  for (const problem of problems) say(reportOf(problem));
  if (isVerbose || problems.length > 0)
    for (const line of [...tap.lines.slice(-60), ...model.log.slice(-10)]) say(`    ${line.slice(0, 600)}`);
  const [first] = problems;
  if (first === undefined) return words;
  return `${FAILED}: ${first instanceof Error ? first.message.slice(0, 80) : first}`;
}

function reportOf(problem: unknown): string {
  if (!(problem instanceof Error)) return `  ${problem}`;
  const stderr =
    "stderr" in problem && typeof problem.stderr === "string" ? problem.stderr.slice(-2_000) : "";
  return `  ${problem.message}${stderr === "" ? "" : `\n  its stderr: ${stderr}`}`;
}

function tableOf(columns: readonly Column[], scenarios: readonly Scenario[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const lines = [
    row(["", ...columns.map(({ title }) => title)]),
    row(["---", ...columns.map(() => "---")]),
    ...scenarios.map(({ name }) =>
      row([name, ...columns.map(({ cells }) => (cells.get(name) ?? "").replaceAll("|", "/"))]),
    ),
  ];
  return lines.join("\n");
}

const INTRO = `# What real ACP agents did

Written by \`npm run full -- acp --write\`. After each scenario nothing of the agent was running. Gemini's sessions were continued in a later minute.
`;

async function writeTable(table: string): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const file = join(import.meta.dirname, "acp-results.md");
  await writeFile(file, `${INTRO}\nOn ${date}, on Linux:\n\n${table}\n`);
}
