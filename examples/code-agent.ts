/** A coding agent in the terminal: `npm run example -- examples/code-agent.ts [options] ["prompt"]` */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { reveal } from "agentwire/chat";
import {
  type AgentDefinition,
  CodebuffRun,
  type RunState,
  type ToolCall,
  type TurnToolCall,
} from "agentwire/codebuff-run";
import { type NodeTools, nodeTools } from "agentwire/codebuff-run/tools";
import { bugProject, mendingServer, PROMPT } from "./support/bug-project.ts";
import { inLine, showCall, showPlan } from "./support/call-view.ts";
import { forgetInterrupts, onInterrupt, runProgram } from "./support/program.ts";
import { openAiServer } from "./support/run-agent.ts";
import { createQuoted, Lines, Screen, wantsColour } from "./support/terminal.ts";

const HELP = `Usage: npm run example -- examples/code-agent.ts [options] ["prompt"]

A coding agent: it plans, reads, edits and runs commands in one folder. You see
each change as a diff and each command, and are asked before it happens.
Without --url a scripted model mends a small project in a temporary folder,
which is removed at the end.

Options:
  --url <address>     A server with OpenAI's API, such as
                      http://127.0.0.1:11434/v1. Needs --model. Its key, if it
                      needs one, is in OPENAI_API_KEY.
  --model <name>      The model to ask. Needs --url.
  --root <folder>     The project; needs --url. Otherwise the current folder.
  --context <tokens>  Shorten the history above so many tokens.
  --state <file>      Where the session is saved, with all that the agent has
                      read. Otherwise in a folder of yours, outside the project.
  --resume            Go on with the saved session, also after a crash. Without
                      it, a new session replaces the saved one.
  --help              This text.

At "you> ": /undo takes the files back to before the last turn that changed
some, /help, /quit. Ctrl-C cancels the turn; once more, it leaves.

The exit code is 0, 1 when the last turn has failed, 130 after Ctrl-C twice, 2
for what makes no sense.
`;

const ARGUMENTS = {
  url: { type: "string" },
  model: { type: "string" },
  root: { type: "string" },
  context: { type: "string" },
  state: { type: "string" },
  resume: { type: "boolean" },
  help: { type: "boolean" },
} as const;

const SYSTEM_PROMPT = `You are a coding agent in the terminal. Write your plan with write_todos, and again when a step is done.
Read before you edit, make small changes, and run the tests. Be short.

{CODEBUFF_SYSTEM_INFO_PROMPT}

{CODEBUFF_FILE_TREE_PROMPT}

{CODEBUFF_KNOWLEDGE_FILES_CONTENTS}`;

const screen = new Screen(process.stdout, wantsColour(process.env, process.stdout.isTTY));

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: ARGUMENTS, allowPositionals: true });
  const { url, model, context, resume = false, help } = values;
  if (help) {
    screen.line(HELP);
    return 0;
  }
  if (positionals.length > 1) throw new Error("pass one prompt, in quotes");
  if ((url === undefined) !== (model === undefined)) throw new Error("--url and --model need each other");
  if (url === undefined && (values.root !== undefined || resume))
    throw new Error("--root and --resume need --url: the scripted model knows its own project alone");
  if (context !== undefined && !/^[1-9]\d*$/.test(context))
    throw new Error("--context is a number of tokens");
  const file = resolve(values.state ?? sessionFile(resolve(values.root ?? ".")));
  const saved = resume ? await readSession(file) : undefined;
  const server = url === undefined ? await mendingServer() : openAiServer(url, model ?? "");
  const project = url === undefined ? await bugProject() : undefined;
  const tools = nodeTools({ root: project?.root ?? values.root ?? ".", terminal: true });
  const lines = new Lines(process.stdin, () => process.stdin.isTTY && screen.entered());
  const keepsState = project === undefined || values.state !== undefined;
  const save = keepsState ? saver(file) : async (): Promise<void> => {};
  const client = new CodebuffRun({
    ...server.options,
    agent: coder(tools, model),
    overrideTools: tools.handlers,
    project: tools.project,
    onState: save,
    ...(context === undefined ? {} : { maxContextTokens: Number(context) }),
    toolPolicy: [{ tool: /^(read_files|list_directory|glob|code_search)$/, then: "allow" }],
    onToolApproval: (call, { signal }) => decide(call, lines, signal),
  });
  client.on("protocolWarning", ({ message }) => note(message));
  client.on("compaction", ({ state, before, after }) =>
    note(state === "started" ? `${before} tokens: the history is shortened` : `now ${after} tokens`),
  );
  try {
    return await chat(client, tools, lines, save, saved, positionals[0] ?? (project && PROMPT));
  } finally {
    await client.close();
    await tools.close();
    lines.close();
    await project?.[Symbol.asyncDispose]();
    await server.stop();
  }
}

function coder(tools: NodeTools, model = "openai/gpt-5-mini"): AgentDefinition {
  const toolNames = [...tools.names, "write_todos", "end_turn"];
  return { id: "coder", displayName: "Coder", model, systemPrompt: SYSTEM_PROMPT, toolNames };
}

type Save = (state: RunState) => Promise<void>;

/** Reads lines and prompts until the user leaves. Returns the exit code. */
async function chat(
  client: CodebuffRun,
  tools: NodeTools,
  lines: Lines,
  save: Save,
  saved: RunState | undefined,
  first: string | undefined,
): Promise<number> {
  let state = saved;
  let code = 0;
  const turnIds: string[] = []; // that /undo has not taken back
  let next = first ?? (saved?.underWay ? "Go on." : undefined);
  if (saved) sayResumed(saved);
  for (;;) {
    onInterrupt(() => note("Ctrl-C again leaves"));
    screen.ask(next === undefined ? "you> " : `you> ${next}\n`, "cyan");
    const line = (next ?? (await lines.next()))?.trim();
    next = undefined;
    forgetInterrupts();
    if (line === undefined || line === "/quit") return code;
    if (line === "/help") screen.line(HELP);
    else if (line === "/undo") await undo(tools, turnIds);
    else if (line.startsWith("/")) note("there is /undo, /help and /quit");
    else if (line !== "") {
      const turn = client.prompt(line, state === undefined ? {} : { previousRun: state });
      turnIds.push(turn.id);
      onInterrupt(() => {
        note("cancelling; Ctrl-C again leaves");
        void turn.cancel();
      });
      follow(turn);
      const outcome = await turn.outcome;
      if (outcome.status === "failed") screen.line(outcome.error.message, "red");
      if (outcome.status === "cancelled") note("cancelled: what tools have done stays; /undo takes it back");
      const end = outcome.status === "completed" ? outcome.result : outcome.partial;
      code = outcome.status === "failed" ? 1 : 0;
      const reached = end.state as RunState | undefined; // the partial of a turn is the same for all backends
      if (reached?.sessionState) {
        state = reached; // otherwise the run has not begun
        await save(state);
      }
      const { usage, cost } = end;
      const tokens = `${usage?.inputTokens ?? "?"} tokens read, ${usage?.outputTokens ?? "?"} written`;
      note(cost ? `${tokens}, ${cost.amount} ${cost.unit}` : tokens);
    }
  }
}

function follow(turn: ReturnType<CodebuffRun["prompt"]>): void {
  let quote = createQuoted();
  turn.on("event", (event) => {
    showPlan(screen, event);
    if (event.type === "chunk") screen.stream(event.chunk);
    if (event.type === "reasoning_chunk") screen.stream(event.chunk, "dim");
    if (event.type === "tool_progress") screen.stream(quote(event.output), "dim");
    if (event.type === "error") screen.line(event.message, "yellow"); // and it goes on
    if (event.type === "project")
      for (const words of [...event.files.map((name) => `${name} is in the prompt`), ...event.problems])
        note(inLine(words));
  });
  turn.on("toolCall", (call: TurnToolCall) => {
    const { name, state, error } = call;
    if (state === "running") quote = createQuoted();
    if (name === "write_todos") return; // the plan was shown
    if (state === "done" || state === "denied") screen.line(`  ${inLine(name)} is ${state}`, "dim");
    if (state === "failed") screen.line(`  ${inLine(name)} has failed: ${inLine(error)}`, "red");
  });
}

/** Anything but a clear yes is a no. */
async function decide(
  call: ToolCall,
  lines: Lines,
  signal: AbortSignal,
): Promise<"once" | "always" | "reject"> {
  const question = showCall(screen, call);
  const always = call.grant === undefined ? "" : `, always for ${inLine(call.grant)}`;
  screen.ask(`${question} y(es), n(o)${always}: `, "yellow");
  const answer = (await lines.answer(signal))?.trim().toLowerCase();
  if (answer === "always" && call.grant !== undefined) return "always";
  return answer === "y" || answer === "yes" ? "once" : "reject";
}

/** Takes back the files of the last turn that has changed some. */
async function undo(tools: NodeTools, turnIds: string[]): Promise<void> {
  for (let id = turnIds.pop(); id !== undefined; id = turnIds.pop()) {
    const changes = tools.changes(id);
    if (changes.list().length === 0) continue;
    const { reverted, conflicts } = await changes.revert();
    note(`taken back: ${reverted.map(inLine).join(", ") || "nothing"}`);
    for (const { path, reason } of conflicts) screen.line(`left alone: ${inLine(path)}: ${reason}`, "red");
    return;
  }
  note("nothing to take back: changes of commands, and of earlier sessions, are not known");
}

function sayResumed({ sessionState, underWay }: RunState): void {
  note(`resumed, with ${sessionState?.mainAgentState.messageHistory.length ?? 0} messages`);
  for (const { toolName, input } of underWay?.openCalls ?? [])
    screen.line(`Not known whether it ran: ${inLine(toolName)} ${reveal(JSON.stringify(input))}`, "yellow");
}

/** One for each project, outside of it: the agent cannot edit its own history with the tools for files. */
function sessionFile(root: string): string {
  const states = process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  return join(states, "agentwire", `${createHash("sha256").update(root).digest("hex").slice(0, 16)}.json`);
}

async function readSession(file: string): Promise<RunState> {
  return JSON.parse(await readFile(file, "utf8"));
}

/** One write at a time: the end of a cancelled turn does not wait for the one before. */
function saver(file: string): Save {
  let saving: Promise<void> = Promise.resolve();
  return (state) => {
    const write = async (): Promise<void> => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
      await rename(`${file}.new`, file); // a crash leaves the old state or the new one
    };
    saving = saving.then(write, write);
    return saving;
  };
}

function note(text: string): void {
  screen.line(`(${text})`, "dim");
}

await runProgram(screen, main);
