/**
 * A program that uses the original client, `node sdk-run.ts` with the job as JSON on stdin. What its users see goes to stdout, see
 * said.ts. All runs of the job work at once, each with a key, a server and a folder of its own.
 */
import "./sdk-world.ts";
import { text } from "node:stream/consumers";
import type { CodebuffClientOptions, RunState } from "codebuff-http-sdk";
import { definitionOf } from "./programs.ts";
import { type Item, say } from "./said.ts";
import { type Scenario, TESTER } from "./scenario.ts";
import { asUser } from "./sdk-world.ts";
import { USER_TOOLS } from "./user-tools.ts";

// Behind the import of the world, since the client takes `fetch` and the environment when it is loaded.
const { CodebuffClient, getCustomToolDefinition } = await import("codebuff-http-sdk");

/** What the program does. */
export interface Job {
  readonly runs: readonly JobRun[];
}

export interface JobRun {
  readonly run: number;
  readonly scenario: Scenario;
  /** Of the server. */
  readonly url: string;
  /** The client remembers by the key who its user is: no two runs may share one. */
  readonly apiKey: string;
  /** The project's folder. */
  readonly cwd: string;
}

async function work({ run, scenario, apiKey, cwd }: JobRun): Promise<void> {
  const { agent = "tester", agents = [TESTER], prompts, tools = [], overrides = {} } = scenario;
  const { maxAgentSteps, costMode, cancel } = scenario;
  const controller = new AbortController();
  const hear = (item: Item): void => {
    say({ said: "item", run, item });
    if (cancel === "at the first text" && item.type === "chunk") controller.abort();
  };
  if (cancel === "before the start") controller.abort();
  const client = new CodebuffClient({
    apiKey,
    cwd,
    agentDefinitions: agents.map(definitionOf) as unknown as NonNullable<
      CodebuffClientOptions["agentDefinitions"]
    >,
    customToolDefinitions: tools.map((toolName) =>
      getCustomToolDefinition({ toolName, ...USER_TOOLS[toolName] } as unknown as Parameters<
        typeof getCustomToolDefinition
      >[0]),
    ),
    overrideTools: Object.fromEntries(
      Object.entries(overrides).map(([name, outputs]) => {
        const left = [...outputs];
        return [name, async () => left.shift()];
      }),
    ) as NonNullable<CodebuffClientOptions["overrideTools"]>,
    ...(maxAgentSteps === undefined ? {} : { maxAgentSteps }),
    handleStreamChunk: (chunk) => hear(typeof chunk === "string" ? { type: "chunk", chunk } : chunk),
    handleEvent: (event) => hear(event),
  });
  let previousRun = scenario.previousRun as RunState | undefined;
  for (const prompt of prompts) {
    try {
      previousRun = await client.run({
        agent,
        prompt,
        signal: controller.signal,
        ...(previousRun ? { previousRun } : {}),
        ...(costMode === undefined ? {} : { costMode }),
      });
      say({ said: "result", run, result: previousRun });
    } catch (error) {
      const { message, statusCode } = error as { readonly message: string; readonly statusCode?: unknown };
      say({ said: "rejected", run, error: { message, ...(statusCode === undefined ? {} : { statusCode }) } });
    }
  }
}

process.on("unhandledRejection", (reason) => {
  say({ said: "unhandled", message: reason instanceof Error ? reason.message : String(reason) });
});

const job: Job = JSON.parse(await text(process.stdin));
await Promise.all(job.runs.map((each) => asUser(each.run, each.url, () => work(each))));
