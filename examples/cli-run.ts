/** Runs the Codebuff CLI with one prompt: `npm run example -- examples/cli-run.ts [options] "prompt"` */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { reveal } from "agentwire/chat";
import {
  CodebuffCli,
  CodebuffCliError,
  type CodebuffCliEvent,
  type CodebuffCliOptions,
  type CodebuffCliPromptOptions,
  type CodebuffCliResult,
  type Turn,
  type TurnToolCall,
} from "agentwire/codebuff-cli";
import { startFakeCodebuff } from "./support/fake-codebuff.ts";
import { leaving, onInterrupt, runStarter, wasInterrupted } from "./support/program.ts";
import { quoted, Screen, wantsColour } from "./support/terminal.ts";

const HELP = `Usage: npm run example -- examples/cli-run.ts [options] "prompt"

Runs the Codebuff CLI with this prompt, and shows what its agent says and which tools it uses. It works with
your rights, and asks no permission. Ctrl-C ends it gently; once more, it is killed.

Options:
  --fake               Use a stand-in that changes nothing, for who has no such program.
  --command <program>  A name in the PATH, or a path. Otherwise codebuff.
  --profile <name>     stream-json, json, print or text. Otherwise the program is asked, by starting it twice.
  --mode <name>        default, free, max or plan.
  --cwd <folder>       Where it works. Otherwise here.
  --continue <id>      Go on with this session.
  --verbose            Show its error output when it has failed.
  --help               This text.

The exit code is 0 when it has completed, 1 when it has failed, 130 after Ctrl-C, 2 for what makes no sense.
`;

const ARGUMENTS = {
  fake: { type: "boolean" },
  command: { type: "string" },
  profile: { type: "string" },
  mode: { type: "string" },
  cwd: { type: "string" },
  continue: { type: "string" },
  verbose: { type: "boolean" },
  help: { type: "boolean" },
} as const;

const screen = new Screen(process.stdout, wantsColour(process.env, process.stdout.isTTY));

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: ARGUMENTS, allowPositionals: true });
  const { command, cwd = ".", continue: sessionId, verbose = false } = values;
  if (values.help) {
    screen.line(HELP);
    return 0;
  }
  if (values.fake && command !== undefined) throw new Error("pass --fake or --command, not both");
  const [prompt] = positionals;
  if (prompt === undefined || positionals.length > 1) throw new Error("pass one prompt, in quotes");
  const profile = oneOf("profile", values.profile, ["stream-json", "json", "print", "text"]);
  const mode = oneOf("mode", values.mode, ["default", "free", "max", "plan"]);

  const fake = values.fake ? await startFakeCodebuff() : undefined;
  try {
    const options: CodebuffCliOptions = {
      ...fake?.options,
      ...(command === undefined ? {} : { command }),
      cwd: resolve(cwd),
      signal: leaving.signal,
    };
    const spoken = profile ? { profile } : await asked(options);
    if (!spoken) return 1;
    return await run({ ...options, ...spoken }, prompt, { verbose, mode, sessionId });
  } finally {
    await fake?.stop();
  }
}

/** How the program wants to be spoken to. */
async function asked(options: CodebuffCliOptions): Promise<CodebuffCliOptions | undefined> {
  const client = new CodebuffCli(options);
  onInterrupt(() => void client.close());
  try {
    const { version = "of an unknown version", profile, freeFlag } = await client.probe();
    if (profile) return { profile, ...(freeFlag ? { freeFlag } : {}) };
    const [first = ""] = version.split("\n");
    screen.line(`this program (${cut(first)}) tells of no way to run without a terminal`, "red");
    note("--command names another; --profile tells how this one speaks, if you know better");
    return undefined;
  } finally {
    await client.close();
  }
}

interface Wishes {
  readonly verbose: boolean;
  readonly mode: CodebuffCliPromptOptions["mode"] | undefined;
  readonly sessionId: string | undefined;
}

async function run(options: CodebuffCliOptions, prompt: string, wishes: Wishes): Promise<number> {
  const { verbose, mode, sessionId } = wishes;
  if (wasInterrupted()) return 130;
  const client = new CodebuffCli(options);
  client.on("protocolWarning", ({ message }) => note(message));
  try {
    const turn = client.prompt(prompt, { ...(mode ? { mode } : {}), ...(sessionId ? { sessionId } : {}) });
    onInterrupt((isAgain) => {
      note(isAgain ? "killed" : "ending it; Ctrl-C again kills it");
      void turn.cancel(); // the second time it does not wait for anything
    });
    show(turn);
    const outcome = await turn.outcome;
    if (outcome.status === "cancelled") return 130;
    if (outcome.status === "failed") {
      complain(outcome.error, verbose);
      return 1;
    }
    const { cost, sessionId: told } = outcome.result;
    note(cost ? `done, ${cost.amount} ${cost.unit}` : "done");
    if (told) note(`--continue ${told} goes on`);
    return 0;
  } finally {
    await client.close();
  }
}

function show(turn: Turn<CodebuffCliEvent, CodebuffCliResult>): void {
  turn.on("event", (event) => {
    if (event.type === "text" || event.type === "chunk") screen.stream(event.delta);
    if (event.type === "reasoning_delta") screen.stream(event.text, "dim");
    if (event.type === "subagent_start") note(`${event.displayName} joins`);
    if (event.type === "error") screen.line(event.message, "yellow"); // and it goes on
  });
  const states = new Map<string, TurnToolCall["state"]>();
  turn.on("toolCall", (call) => {
    if (states.get(call.id) !== call.state) showCall(call); // not each piece of its output
    states.set(call.id, call.state);
  });
  turn.on("question", ({ questions }) => {
    for (const { question } of questions) note(`it asks, and cannot be answered while it runs: ${question}`);
  });
}

function showCall({ name, state, input, error }: TurnToolCall): void {
  const tool = `  ${reveal(name)}`;
  if (state === "running") screen.line(`${tool} ${cut(reveal(JSON.stringify(input)))}`, "yellow");
  if (state === "done") screen.line(`${tool} is done`, "dim");
  if (state === "failed") screen.line(`${tool} has failed: ${error}`, "red");
  if (state === "abandoned") screen.line(`${tool} was given up`, "red");
}

function complain(error: unknown, verbose: boolean): void {
  screen.line(error instanceof Error ? error.message : String(error), "red");
  if (!(error instanceof CodebuffCliError)) return;
  const { head, tail, truncated, totalLines } = error.stderr;
  if (totalLines === 0) return;
  if (!verbose)
    note(`--verbose shows its error output: ${totalLines} ${totalLines === 1 ? "line" : "lines"}`);
  else screen.line(quoted([...head, ...(truncated ? ["..."] : []), ...tail].join("\n")), "dim");
}

function note(text: string): void {
  screen.line(`(${text})`, "dim");
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}

function oneOf<Name extends string>(
  option: string,
  given: string | undefined,
  names: readonly Name[],
): Name | undefined {
  const name = names.find((each) => each === given);
  if (given !== undefined && name === undefined) throw new Error(`--${option} is one of ${names.join(", ")}`);
  return name;
}

await runStarter((error) => complain(error, false), main);
