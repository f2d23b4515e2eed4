/** An agent that runs in this process: `npm run example -- examples/run.ts [options] ["prompt" ...]` */
import { parseArgs } from "node:util";
import { reveal } from "agentwire/chat";
import {
  CodebuffRun,
  type CodebuffRunConversation,
  type ToolCall,
  type TurnToolCall,
} from "agentwire/codebuff-run";
import { onInterrupt, runProgram } from "./support/program.ts";
import {
  listFolder,
  lookingAgent,
  openAiServer,
  type RunServer,
  scriptedServer,
} from "./support/run-agent.ts";
import { Lines, Screen, wantsColour } from "./support/terminal.ts";

const HELP = `Usage: npm run example -- examples/run.ts [options] ["prompt" ...]

Runs an agent in this process with these prompts, one after the other, in one conversation. The agent has one tool,
which lists the current folder, and you are asked before it runs. Without options a scripted model answers, in this
process too. Ctrl-C cancels the answer that is coming; once more, it leaves.

Options:
  --base-url <address>  A server with OpenAI's API, such as http://127.0.0.1:11434/v1. Needs --model.
                        Its key, if it needs one, is in OPENAI_API_KEY.
  --codebuff            The Codebuff backend. The key is in CODEBUFF_API_KEY; runs cost credits.
  --model <name>        The model to ask.
  --help                This text.

The exit code is 0 when all has completed, 1 when something has failed, 130 after Ctrl-C, 2 for what makes no sense.
`;

const ARGUMENTS = {
  "base-url": { type: "string" },
  codebuff: { type: "boolean" },
  model: { type: "string" },
  help: { type: "boolean" },
} as const;

const PROMPTS = ["What is in this folder?", "What did I ask you?"];

const screen = new Screen(process.stdout, wantsColour(process.env, process.stdout.isTTY));

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: ARGUMENTS, allowPositionals: true });
  const { model, help } = values;
  if (help) {
    screen.line(HELP);
    return 0;
  }
  const server = await serverOf(values);
  const lines = new Lines(process.stdin, () => process.stdin.isTTY && screen.entered());
  const prompts = positionals.length > 0 ? positionals : PROMPTS;
  try {
    const client = new CodebuffRun({
      ...server.options,
      agent: lookingAgent(model),
      tools: { list_folder: listFolder },
      onToolApproval: (call, { signal }) => mayRun(call, lines, signal),
      onQuestion: async ({ questions }, { signal }) => {
        for (const { question, options } of questions)
          screen.line(`${question} (${options.map(({ label }) => label).join(", ")})`, "yellow");
        const line = await lines.answer(signal);
        return line === undefined || questions.length > 1 ? null : line;
      },
    });
    client.on("protocolWarning", ({ message }) => note(message));
    try {
      const chat = client.conversation(); // each prompt goes on from the state of the run before
      for (const prompt of prompts) {
        const code = await ask(prompt, chat);
        if (code !== 0) return code;
      }
      return 0;
    } finally {
      await client.close();
    }
  } finally {
    lines.close();
    await server.stop();
  }
}

/** @throws for options that do not go together. */
async function serverOf(values: {
  readonly "base-url"?: string;
  readonly codebuff?: boolean;
  readonly model?: string;
}): Promise<RunServer> {
  const { "base-url": baseUrl, codebuff = false, model } = values;
  if (codebuff) {
    if (baseUrl !== undefined) throw new Error("pass --codebuff or --base-url, not both");
    return { options: {}, stop: async () => {} }; // the key is in the environment
  }
  if (baseUrl === undefined) {
    if (model !== undefined)
      throw new Error("--model needs --base-url or --codebuff: without them a scripted model answers");
    return scriptedServer();
  }
  if (model === undefined) throw new Error("--base-url needs --model, such as --model qwen3");
  return openAiServer(baseUrl, model);
}

/** One prompt, and what comes of it. */
async function ask(prompt: string, chat: CodebuffRunConversation): Promise<number> {
  screen.line(`you> ${prompt}`, "cyan");
  const turn = chat.prompt(prompt);
  onInterrupt(() => {
    note("cancelling; Ctrl-C again leaves");
    void turn.cancel();
  });
  turn.on("event", (event) => {
    if (event.type === "chunk") screen.stream(event.chunk);
    if (event.type === "reasoning_chunk") screen.stream(event.chunk, "dim");
    if (event.type === "error") screen.line(event.message, "yellow"); // and it goes on
  });
  turn.on("toolCall", showCall);
  const outcome = await turn.outcome;
  if (outcome.status === "cancelled") return 130;
  if (outcome.status === "failed") {
    screen.line(outcome.error.message, "red");
    return 1;
  }
  const { cost, usage, steps } = outcome.result;
  const spent = cost ? `${cost.amount} ${cost.unit}` : `${usage?.outputTokens ?? "?"} tokens written`;
  note(`${steps} ${steps === 1 ? "answer" : "answers"} of the model, ${spent}`);
  return 0;
}

async function mayRun({ name, input }: ToolCall, lines: Lines, signal: AbortSignal): Promise<boolean> {
  screen.ask(`May it run ${reveal(name)} ${reveal(JSON.stringify(input))}? (y for yes) `, "yellow");
  const line = await lines.answer(signal);
  return /^y(es)?$/i.test(line?.trim() ?? "");
}

function showCall({ name, state, error }: TurnToolCall): void {
  if (state === "done" || state === "denied") screen.line(`  ${reveal(name)} is ${state}`, "dim");
  if (state === "failed") screen.line(`  ${reveal(name)} has failed: ${error}`, "red");
}

function note(text: string): void {
  screen.line(`(${text})`, "dim");
}

await runProgram(screen, main);
