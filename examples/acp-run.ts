/** Drives any ACP agent with one prompt: `npm run example -- examples/acp-run.ts gemini "prompt"` */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  AcpAuthError,
  AcpClient,
  type AcpEvent,
  AcpLostError,
  type AcpResult,
  AcpTurnError,
  isAgentwireError,
  type ToolCall,
  type Turn,
  type TurnToolCall,
} from "agentwire/acp";
import { reveal } from "agentwire/chat";
import { AGENTS, type OpenAgent, openAcpAgent } from "./support/acp-agent.ts";
import { leaving, onInterrupt, runStarter, wasInterrupted } from "./support/program.ts";
import { Lines, quoted, Screen, wantsColour } from "./support/terminal.ts";

const HELP = `Usage: npm run example -- examples/acp-run.ts [options] <agent> "prompt"
       npm run example -- examples/acp-run.ts [options] --mock "prompt"

Starts an agent that speaks ACP, sends it the prompt, and shows what it says, plans and does. What it asks for is
asked here. What it does without asking, nobody sees: it has your rights. Ctrl-C cancels; once more, it is killed.

<agent>   ${AGENTS.join(", ")}: must be installed.
          Or the name or path of another program; --arg=--acp gives it arguments.

Options:
  --mock              A mock in place of an agent. It changes nothing.
  --arg=<text>        An argument for the program, such as --arg=--acp. May be repeated.
  --env <name>        A variable of yours that the program gets. May be repeated.
  --cwd <folder>      Where it works. Otherwise here.
  --mode <id>         Its mode. Otherwise one that asks. "own": the agent's own.
  --model <id>        Its model. Some agents keep that for later.
  --continue <id>     Go on with this session.
  --list              Show its modes, models, commands and stored sessions. Needs no prompt.
  --verbose           Show its error output when it has failed.
  --help              This text.

The exit code is 0 when it has completed, 1 when it has failed, 130 after Ctrl-C, 2 for what makes no sense.
`;

const ARGUMENTS = {
  mock: { type: "boolean", default: false },
  arg: { type: "string", multiple: true, default: [] as string[] },
  env: { type: "string", multiple: true, default: [] as string[] },
  cwd: { type: "string", default: "." },
  mode: { type: "string" },
  model: { type: "string" },
  continue: { type: "string" },
  list: { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const screen = new Screen(process.stdout, wantsColour(process.env, process.stdout.isTTY));

interface Wishes {
  readonly prompt: string | undefined;
  readonly model: string | undefined;
  readonly sessionId: string | undefined;
  readonly cwd: string;
  readonly verbose: boolean;
  readonly isMock: boolean;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: ARGUMENTS, allowPositionals: true });
  const { mock, arg, env, mode, model, continue: sessionId, list, verbose } = values;
  if (values.help) {
    screen.line(HELP);
    return 0;
  }
  const [name, prompt, ...more] = mock ? [undefined, ...positionals] : positionals;
  if ((!mock && name === undefined) || (prompt === undefined) !== list || more.length > 0)
    throw new Error("pass an agent and one prompt, in quotes");
  const cwd = resolve(values.cwd);
  const agent = await openAcpAgent(name, cwd);
  try {
    return await run(agent, { prompt, model, sessionId, cwd, verbose, isMock: mock }, [arg, env], mode);
  } finally {
    await agent.stop();
  }
}

async function run(
  { options }: OpenAgent,
  wishes: Wishes,
  [arg, env]: readonly [readonly string[], readonly string[]],
  mode: string | undefined,
): Promise<number> {
  const { prompt, model, sessionId, cwd, verbose, isMock } = wishes;
  const lines = new Lines(process.stdin, () => process.stdin.isTTY && screen.entered());
  let asking: Promise<unknown> = Promise.resolve();
  const client = new AcpClient({
    ...options,
    args: [...(options.args ?? []), ...arg],
    keepEnv: [...(options.keepEnv ?? []), ...env],
    ...(mode === undefined ? {} : { mode: mode === "own" ? false : mode }),
    signal: leaving.signal,
    onToolApproval: (call, { signal }) => {
      const ask = (): Promise<Answer> => decide(call, lines, signal);
      const answer = asking.then(ask, ask); // several may be open at once
      asking = answer;
      return answer;
    },
  });
  client.on("protocolWarning", ({ message }) => note(message));
  try {
    const from = { protocol: "acp", version: 1, cwd, sessionId } as const;
    const talk = client.conversation(sessionId === undefined ? {} : { from });
    onInterrupt((isAgain) => void client.close({ force: isAgain }));
    await client.connect();
    if (model !== undefined) await talk.setModel(model);
    if (prompt === undefined) return await show(client, talk);
    const turn = talk.prompt(prompt);
    onInterrupt((isAgain) => {
      note(isAgain ? "killed" : "cancelling; Ctrl-C again kills it");
      if (isAgain) void client.close({ force: true });
      else void turn.cancel();
    });
    follow(turn);
    const outcome = await turn.outcome;
    if (wasInterrupted()) return 130;
    if (outcome.status === "failed") {
      complain(outcome.error, verbose);
      return 1;
    }
    if (outcome.status === "completed") sayEnd(outcome.result, isMock);
    return outcome.status === "completed" ? 0 : 130;
  } catch (error) {
    if (wasInterrupted()) return 130;
    if (!isAgentwireError(error) || error.code === "invalid-input") throw error;
    complain(error, verbose);
    return 1;
  } finally {
    lines.close();
    await client.close(); // ends the agent, and all that it has started
  }
}

/** What the agent says of itself. */
async function show(client: AcpClient, talk: ReturnType<AcpClient["conversation"]>): Promise<number> {
  const { modes, models, commands } = await talk.open();
  const { agent } = client;
  screen.line(reveal([agent?.title ?? agent?.name, agent?.version].join(" ")), "bold");
  for (const [title, choices] of [
    ["modes", modes],
    ["models", models],
  ] as const)
    for (const { id, name } of choices?.available ?? [])
      screen.line(reveal(`  ${title}: ${id}${id === choices?.current ? " (now)" : ""}  ${name}`));
  for (const { name, description } of commands) screen.line(reveal(`  /${name}  ${description}`));
  if (!agent?.listsSessions) return 0;
  for (const { sessionId, title = "" } of await client.sessions())
    screen.line(reveal(`  --continue ${sessionId}  ${title}`));
  return 0;
}

function follow(turn: Turn<AcpEvent, AcpResult>): void {
  turn.on("event", (event) => {
    if (event.type === "text") screen.stream(event.delta);
    if (event.type === "thought") screen.stream(event.delta, "dim");
    if (event.type === "notice") note(reveal(event.title));
    if (event.type !== "plan") return;
    const signs = { completed: "x", in_progress: ">", pending: " " } as const;
    for (const { content, status } of event.entries)
      screen.line(`  [${signs[status]}] ${reveal(content)}`, "dim");
  });
  const states = new Map<string, TurnToolCall["state"]>();
  turn.on("toolCall", (call) => {
    if (states.get(call.id) !== call.state) showCall(call); // not each piece of its output
    states.set(call.id, call.state);
  });
}

function showCall({ name, state, input, output, error, deniedBy }: TurnToolCall): void {
  const tool = `  ${reveal(name)}`;
  if (state === "running") screen.line(`${tool} ${cut(reveal(JSON.stringify(input)))}`, "yellow");
  if (state === "done") screen.line(`${tool} is done:\n${quoted(cut(reveal(String(output ?? ""))))}`, "dim");
  if (state === "failed") screen.line(`${tool} has failed: ${reveal(error ?? "")}`, "red");
  if (state === "denied" && deniedBy) screen.line(`${tool} was denied by the ${deniedBy}`, "red");
  if (state === "abandoned") screen.line(`${tool} was given up`, "red");
}

type Answer = "once" | "always" | "reject" | { readonly decision: "reject"; readonly reason: string };

/** Shows the whole of what the agent asks for, with nothing hidden in it. Anything but a clear yes is a no. */
async function decide(call: ToolCall, lines: Lines, signal: AbortSignal): Promise<Answer> {
  if (signal.aborted) return "reject";
  screen.line(`The agent wants ${reveal(call.name)}:`, "yellow");
  const input = typeof call.input === "object" && call.input !== null ? call.input : { input: call.input };
  for (const [field, value] of Object.entries(input)) {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    screen.line(`  ${reveal(field)}:\n${quoted(reveal(text))}`, "bold");
  }
  const always = call.grant === undefined ? "" : `, always (${reveal(call.grant)}, in this session)`;
  screen.ask(`Allow it? y(es), n(o)${always}: `, "yellow");
  const typed = await lines.answer(signal);
  if (typed === undefined) return { decision: "reject", reason: "the input has ended" };
  const answer = typed.trim().toLowerCase();
  if (answer === "always") return "always";
  return answer === "y" || answer === "yes" ? "once" : "reject";
}

function sayEnd({ stopReason, usage, cost, sessionId }: AcpResult, isMock: boolean): void {
  const tokens = usage?.outputTokens === undefined ? "" : `, ${usage.outputTokens} tokens written`;
  const price = cost ? `, ${cost.amount} ${cost.unit}` : "";
  note(`${stopReason === "end_turn" ? "done" : `ended: ${reveal(stopReason)}`}${tokens}${price}`);
  if (!isMock) note(`--continue ${reveal(sessionId)} goes on`); // a mock forgets its sessions
}

function complain(error: unknown, verbose: boolean): void {
  screen.line(error instanceof Error ? error.message : String(error), "red");
  const isOfAgent =
    error instanceof AcpTurnError || error instanceof AcpLostError || error instanceof AcpAuthError;
  if (!isOfAgent || error.stderr === "") return;
  if (verbose) screen.line(quoted(reveal(error.stderr)), "dim");
  else note("--verbose shows the end of its error output");
}

function note(text: string): void {
  screen.line(`(${text})`, "dim");
}

function cut(text: string): string {
  return text.length > 1_000 ? `${text.slice(0, 1_000)}...` : text;
}

await runStarter((error) => complain(error, false), main);
