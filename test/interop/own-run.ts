import {
  type AgentwireError,
  type Clock,
  CodebuffRun,
  CodebuffRunError,
  type CodebuffRunTool,
  type CodebuffRunToolHandler,
  type RunState,
} from "agentwire/codebuff-run";
import { systemClock } from "../../src/core/clock.ts";
import { definitionOf } from "./programs.ts";
import type { Heard, Rejection, Result } from "./said.ts";
import { TESTER } from "./scenario.ts";
import type { SdkUser } from "./sdk-child.ts";
import { USER_TOOLS } from "./user-tools.ts";

/** ms that the client waits before its tries, with the half of its jitter: no other wait of the client is so long. */
const WAITS: ReadonlySet<number> = new Set([1_100, 2_200, 4_400]);

/**
 * Does with CodebuffRun what a user does, and tells what the user hears.
 * @param handlers of tools, besides the scenario's overrides
 */
export async function ownRun(
  { scenario, url, apiKey }: SdkUser,
  handlers: Readonly<Record<string, CodebuffRunToolHandler>> = {},
): Promise<readonly Heard[]> {
  const { agent = "tester", agents = [TESTER], prompts, tools = [], overrides = {} } = scenario;
  const { maxAgentSteps, costMode, cancel } = scenario;
  const heard: Heard[] = [];
  const clock: Clock = {
    ...systemClock,
    random: () => 0.5,
    setTimeout: (callback, delay, options) => {
      if (!WAITS.has(Math.round(delay))) return systemClock.setTimeout(callback, delay, options);
      heard.push({ said: "waited", ms: Math.round(delay / 1.1) });
      return systemClock.setTimeout(callback, 0, options);
    },
  };
  const client = new CodebuffRun({
    apiKey,
    baseUrl: url,
    clock,
    agentDefinitions: agents.map(definitionOf),
    tools: Object.fromEntries(
      tools.map((name): [string, CodebuffRunTool] => {
        const { inputSchema, execute, ...tool } = USER_TOOLS[name];
        return [name, { ...tool, parameters: inputSchema, execute: ({ input }) => execute(input) }];
      }),
    ),
    overrideTools: {
      ...handlers,
      ...Object.fromEntries(
        Object.entries(overrides).map(([name, outputs]): [string, CodebuffRunToolHandler] => {
          const left = [...outputs];
          return [name, () => left.shift() ?? []];
        }),
      ),
    },
    ...(maxAgentSteps === undefined ? {} : { maxAgentSteps }),
    ...(costMode === undefined ? {} : { costMode }),
  });
  let previousRun = scenario.previousRun;
  for (const prompt of prompts) {
    const controller = new AbortController();
    if (cancel === "before the start") controller.abort();
    const turn = client.prompt(prompt, {
      agent,
      signal: controller.signal,
      read: false,
      ...(previousRun ? { previousRun } : {}),
    });
    turn.on("event", (item) => {
      if (item.type !== "tool_input_delta") heard.push({ said: "item", item: { ...item } }); // the SDK has no such event
      if (cancel === "at the first text" && item.type === "chunk") controller.abort();
    });
    const outcome = await turn.outcome;
    if (outcome.status === "failed") heard.push({ said: "rejected", error: rejectionOf(outcome.error) });
    previousRun =
      outcome.status === "completed" ? outcome.result.state : (outcome.partial.state as RunState | undefined);
    if (previousRun) heard.push({ said: "result", result: previousRun as unknown as Result });
  }
  await client.close();
  return heard;
}

function rejectionOf(error: AgentwireError): Rejection {
  if (!(error instanceof CodebuffRunError)) return { message: error.message };
  const { kind, serverMessage: message, status: statusCode, serverCode: code } = error;
  return {
    kind,
    message,
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(code === undefined ? {} : { code }),
  };
}
