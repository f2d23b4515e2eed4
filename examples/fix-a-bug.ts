/** An agent that fixes a bug, with tools that stay in one folder: `npm run example -- examples/fix-a-bug.ts [options] ["prompt"]` */
import { parseArgs } from "node:util";
import { type AgentDefinition, CodebuffRun } from "agentwire/codebuff-run";
import { type NodeTools, nodeTools } from "agentwire/codebuff-run/tools";
import { bugProject, mendingServer, PROMPT } from "./support/bug-project.ts";
import { inLine, showCall, showPlan } from "./support/call-view.ts";
import { onInterrupt, runProgram, wasInterrupted } from "./support/program.ts";
import { openAiServer } from "./support/run-agent.ts";
import { createQuoted, Lines, Screen, wantsColour } from "./support/terminal.ts";

const HELP = `Usage: npm run example -- examples/fix-a-bug.ts [options] ["prompt"]

An agent reads a project, edits it, runs its tests, and stops. You see each
change as a diff and each command, and are asked before it happens. At the end
you keep the changes, or take them back. Without options the project is a small
one in a temporary folder, which is removed at the end, and a scripted model
answers. Ctrl-C cancels the run; once more, it leaves.

Options:
  --root <folder>       The project; needs --base-url. The agent cannot leave it
                        with the tools for files. A command can.
  --base-url <address>  A server with OpenAI's API, such as
                        http://127.0.0.1:11434/v1. Needs --model. Its key, if it
                        needs one, is in OPENAI_API_KEY.
  --model <name>        The model to ask. Needs --base-url.
  --yes                 Ask nothing, and keep the changes. All commands of the
                        agent then run: for projects without value alone.
  --help                This text.

The exit code is 0 when the run has completed, 1 when something has failed, 130
after Ctrl-C, 2 for what makes no sense.
`;

const ARGUMENTS = {
  root: { type: "string" },
  "base-url": { type: "string" },
  model: { type: "string" },
  yes: { type: "boolean" },
  help: { type: "boolean" },
} as const;

const screen = new Screen(process.stdout, wantsColour(process.env, process.stdout.isTTY));

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: ARGUMENTS, allowPositionals: true });
  const { model, root, "base-url": baseUrl, yes = false, help } = values;
  if (help) {
    screen.line(HELP);
    return 0;
  }
  if (positionals.length > 1) throw new Error("pass one prompt, in quotes");
  if (baseUrl !== undefined && model === undefined)
    throw new Error("--base-url needs --model, such as --model qwen3");
  if (baseUrl === undefined && model !== undefined)
    throw new Error("--model needs --base-url: without it a scripted model answers");
  if (root !== undefined && baseUrl === undefined)
    throw new Error("--root needs --base-url: the scripted model knows its own project alone");
  const server = baseUrl === undefined ? await mendingServer() : openAiServer(baseUrl, model ?? "");
  const project = root === undefined ? await bugProject() : undefined;
  const tools = nodeTools({ root: root ?? project?.root ?? ".", terminal: true });
  const lines = new Lines(process.stdin, () => process.stdin.isTTY && screen.entered());
  const client = new CodebuffRun({
    ...server.options,
    agent: fixer(tools, model),
    overrideTools: tools.handlers,
    project: tools.project,
    toolPolicy: [{ tool: /^(read_files|list_directory|glob|code_search)$/, then: "allow" }],
    onToolApproval: async (call, { signal }) => {
      const question = showCall(screen, call);
      if (yes) return true;
      screen.ask(`${question} (y for yes) `, "yellow");
      return /^y(es)?$/i.test((await lines.answer(signal))?.trim() ?? "");
    },
  });
  try {
    return await fix(positionals[0] ?? PROMPT, client, tools, yes ? undefined : lines);
  } finally {
    await client.close();
    await tools.close();
    lines.close();
    await project?.[Symbol.asyncDispose]();
    await server.stop();
  }
}

function fixer(tools: NodeTools, model = "openai/gpt-5-mini"): AgentDefinition {
  return {
    id: "fixer",
    displayName: "Fixer",
    model,
    systemPrompt: `You mend software. Run the tests, read what you need, make the smallest change, and run the tests again.

{CODEBUFF_FILE_TREE_PROMPT}

{CODEBUFF_KNOWLEDGE_FILES_CONTENTS}`,
    toolNames: [...tools.names, "write_todos", "end_turn"],
  };
}

/** @param lines where the user is asked whether the changes stay; `undefined`: the changes stay */
async function fix(
  prompt: string,
  client: CodebuffRun,
  tools: NodeTools,
  lines: Lines | undefined,
): Promise<number> {
  screen.line(`you> ${prompt}`, "cyan");
  const turn = client.prompt(prompt);
  onInterrupt(() => {
    screen.line("(cancelling; Ctrl-C again leaves)", "dim");
    void turn.cancel();
  });
  let quote = createQuoted();
  turn.on("event", (event) => {
    showPlan(screen, event);
    if (event.type === "chunk") screen.stream(event.chunk);
    if (event.type === "tool_progress") screen.stream(quote(event.output), "dim");
    if (event.type === "error") screen.line(event.message, "yellow"); // and it goes on
  });
  turn.on("toolCall", ({ name, state, error }) => {
    if (state === "running") quote = createQuoted();
    if (name === "write_todos") return; // the plan was shown
    if (state === "done" || state === "denied") screen.line(`  ${inLine(name)} is ${state}`, "dim");
    if (state === "failed") screen.line(`  ${inLine(name)} has failed: ${error}`, "red");
  });
  const outcome = await turn.outcome;
  screen.fresh();
  if (outcome.status === "failed") screen.line(outcome.error.message, "red");
  await review(tools, turn.id, lines);
  if (wasInterrupted()) return 130;
  return outcome.status === "completed" ? 0 : 1;
}

/** Shows what the run has changed, and asks whether it stays. After Ctrl-C it stays. */
async function review(tools: NodeTools, turnId: string, lines: Lines | undefined): Promise<void> {
  const changes = tools.changes(turnId);
  const list = changes.list();
  if (list.length === 0) return screen.line("Nothing was changed.", "dim");
  screen.line(`Changed: ${list.map(({ path, action }) => `${inLine(path)} (${action})`).join(", ")}`);
  if (!lines) return;
  const leaving = new AbortController();
  onInterrupt(() => leaving.abort());
  screen.ask("Keep the changes? (n takes them back) ", "yellow");
  if (!/^no?$/i.test((await lines.answer(leaving.signal))?.trim() ?? "")) return;
  const { reverted, conflicts } = await changes.revert();
  screen.line(`Taken back: ${reverted.map(inLine).join(", ") || "nothing"}`);
  for (const { path, reason } of conflicts) screen.line(`Not taken back: ${inLine(path)}: ${reason}`, "red");
}

await runProgram(screen, main);
