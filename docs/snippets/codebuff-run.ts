// What docs/codebuff-run.md shows. Each function holds one region and gives it what it takes for granted.
import { readFile, rename, writeFile } from "node:fs/promises";
import {
  type AgentDefinition,
  CodebuffRun,
  type CodebuffRunConversation,
  CodebuffRunError,
  type CodebuffRunOptions,
  type CodebuffRunResult,
  type ModelProvider,
  type OnRunState,
  openAiCompatible,
  type Question,
  type StandardSchema,
  type ToolCall,
} from "agentwire/codebuff-run";
import * as z from "zod";

export function agents(options: CodebuffRunOptions): CodebuffRun {
  // #region codebuff-run-agent
  const agent: AgentDefinition = {
    id: "reviewer",
    displayName: "Reviewer",
    model: "openai/gpt-5-mini",
    systemPrompt: "You review changes. You never change files.",
    toolNames: ["read_files", "set_output"],
    outputMode: "structured_output",
    outputSchema: {
      type: "object",
      properties: { problems: { type: "array", items: { type: "string" } } },
      required: ["problems"],
    },
  };
  const client = new CodebuffRun({ ...options, agent });
  // #endregion
  return client;
}

export function forms(options: CodebuffRunOptions, oldSchema: StandardSchema): CodebuffRun {
  // #region codebuff-run-tools
  const client = new CodebuffRun({
    ...options,
    tools: {
      weather: {
        description: "The weather in a city.",
        parameters: z.object({ city: z.string() }), // a schema that carries JSON Schema: zod 4
        execute: async ({ input }, { signal }) => [
          { type: "json", value: await weatherIn(input.city, signal) },
        ],
      },
      deploy: {
        description: "Deploys a branch.",
        parameters: {
          schema: oldSchema, // any Standard Schema, and JSON Schema beside it
          parameters: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
        },
        execute: async (_, { onProgress }) => {
          onProgress("building ...\n"); // shown at once
          return [{ type: "json", value: { done: true } }];
        },
      },
    },
  });
  // #endregion
  return client;
}

async function weatherIn(city: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  return `${city}: clear`;
}

/** Whom an app asks. */
export interface User {
  confirm(call: ToolCall, signal: AbortSignal): Promise<boolean>;
  choose(questions: Question["questions"]): Promise<string | null>;
}

export function gate(options: CodebuffRunOptions, user: User): CodebuffRun {
  // #region codebuff-run-gate
  const client = new CodebuffRun({
    ...options,
    toolPolicy: [
      { tool: "read_files", then: "allow" },
      { tool: "deploy", when: ({ input }) => JSON.stringify(input).includes('"main"'), then: "deny" },
    ],
    onToolApproval: (call, { signal }) => user.confirm(call, signal), // whatever no rule decides
    onQuestion: ({ questions }) => user.choose(questions), // for agents with `ask_user` in their `toolNames`
  });
  // #endregion
  return client;
}

export function local(agent: AgentDefinition, baseUrl: string): CodebuffRun {
  // #region codebuff-run-local
  const client = new CodebuffRun({
    providers: [openAiCompatible({ baseUrl, model: "qwen3" })], // such as http://127.0.0.1:11434/v1
    agent,
  });
  // #endregion
  return client;
}

export function provider(): ModelProvider {
  // #region codebuff-run-provider
  const echo: ModelProvider = {
    name: "echo",
    supports: ({ model, costMode }) => model.startsWith("echo/") && costMode !== "free",
    async *stream({ messages }, { signal }) {
      signal.throwIfAborted();
      yield { choices: [{ delta: { content: `You sent ${messages.length} messages.` } }] };
      yield { choices: [{ delta: {}, finish_reason: "stop" }], usage: { completion_tokens: 4 } };
    },
  };
  // #endregion
  return echo;
}

export async function conversations(client: CodebuffRun): Promise<CodebuffRunConversation> {
  // #region codebuff-run-conversation
  const chat = client.conversation();
  await chat.prompt("Read the tests of the parser.").result;
  await chat.prompt("Which of them are slow?").result; // with the history of the first

  const saved = JSON.stringify(chat.state); // the whole history: keep it as you would keep the files in it
  const resumed = client.conversation({ from: JSON.parse(saved) });
  // #endregion
  return resumed;
}

export async function survives(client: CodebuffRun, file: string): Promise<CodebuffRunResult> {
  // #region codebuff-run-on-state
  const onState: OnRunState = async (state) => {
    await writeFile(`${file}.new`, JSON.stringify(state));
    await rename(`${file}.new`, file); // a crash leaves the old state or the new one, never half of one
  };
  const saved = await readFile(file, "utf8").catch(() => undefined); // of a run that was killed
  const turn = saved
    ? client.prompt("Go on.", { previousRun: JSON.parse(saved), onState })
    : client.prompt("Fix the failing test.", { onState });
  // #endregion
  return await turn.result;
}

export function team(options: CodebuffRunOptions): CodebuffRun {
  // #region codebuff-run-subagents
  const client = new CodebuffRun({
    ...options,
    agent: {
      id: "lead",
      displayName: "Lead",
      model: "openai/gpt-5",
      toolNames: ["spawn_agents"],
      spawnableAgents: ["reader"],
    },
    agentDefinitions: [
      {
        id: "reader",
        displayName: "Reader",
        model: "openai/gpt-5-mini",
        spawnerPrompt: "Reads one file and sums it up.",
      },
    ],
  });
  // #endregion
  return client;
}

export function programmed(): AgentDefinition {
  // #region codebuff-run-program
  const agent: AgentDefinition = {
    id: "checker",
    displayName: "Checker",
    model: "openai/gpt-5-mini",
    *handleSteps({ prompt }) {
      const { toolResult } = yield { toolName: "find_tests", input: { about: prompt } }; // no model is asked
      if (!toolResult) return;
      const { stepsComplete } = yield "STEP"; // one answer, with its tools
      if (!stepsComplete) yield "STEP_ALL"; // answers until the agent ends its turn
    },
  };
  // #endregion
  return agent;
}

export async function errors(client: CodebuffRun): Promise<CodebuffRunConversation | undefined> {
  // #region codebuff-run-errors
  try {
    await client.prompt("Fix the failing test.").result;
  } catch (error) {
    if (!(error instanceof CodebuffRunError)) throw error;
    console.log(error.kind, error.status, error.serverCode); // payment_required 402 undefined
    const { state } = error.partial ?? {}; // the tools that have run have run
    if (state && error.retryable) return client.conversation({ from: state });
  }
  // #endregion
  return undefined;
}
