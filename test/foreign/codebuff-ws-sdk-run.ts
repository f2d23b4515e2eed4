/**
 * A program that uses the original client, `node codebuff-ws-sdk-run.ts JOB`, with the folder it is started in as
 * its project. The job is JSON; what its user sees goes to stdout, see said.ts. The server is where
 * `NEXT_PUBLIC_CODEBUFF_BACKEND_URL` says (`127.0.0.1:4242`, without a scheme).
 */
import "./loopback-only.ts";
import { request } from "node:http";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import {
  CodebuffClient,
  type CodebuffClientOptions,
  generateInitialRunState,
  getCustomToolDefinition,
  type RunOptions,
  type RunState,
  WebSocketHandler,
} from "codebuff-ws-sdk";
import * as z from "zod";
import { type Said, say } from "./said.ts";

/** What the program does. */
export type Job =
  | {
      /** Runs one after the other, each but the first with what the one before has left. */
      readonly program: "runs";
      readonly runs: readonly Pick<RunOptions, "prompt" | "params" | "extraToolResults">[];
      /** @default none */
      readonly tools?: readonly "get_weather"[];
      /** @default what the client finds in the folder */
      readonly projectFiles?: Readonly<Record<string, string>>;
      /** The client's own waits, for its next ping and for its next try to connect, are all but left out. */
      readonly impatient?: boolean;
    }
  | {
      /** One prompt over the client's lower layer, until stdin ends. */
      readonly program: "prompt";
      /** `cancel`: it takes the prompt back once it hears text. `reconnect`: at once when the server asks for it. */
      readonly habit: "cancel" | "reconnect";
    }
  /** Tries all the ways out of this machine. */
  | { readonly program: "break-out"; readonly to: string };

const API_KEY = "cb-pat-test";

const TESTER = {
  id: "tester",
  displayName: "Tester",
  model: "openai/gpt-5-mini",
  toolNames: ["write_file", "read_files"],
  systemPrompt: "s",
  instructionsPrompt: "i",
} satisfies RunOptions["agent"];

const WEATHER = getCustomToolDefinition({
  toolName: "get_weather",
  description: "What the weather is like",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => [{ type: "json", value: { city } }],
});

async function runs(job: Job & { program: "runs" }): Promise<void> {
  if (job.impatient) shortenWaits();
  const options: CodebuffClientOptions = {
    apiKey: API_KEY,
    cwd: process.cwd(),
    agentDefinitions: [TESTER],
    customToolDefinitions: (job.tools ?? []).map(() => WEATHER),
    handleStreamChunk: hear,
    handleEvent: hear,
  };
  if (job.projectFiles) options.projectFiles = job.projectFiles;
  const client = new CodebuffClient(options);
  let previousRun: RunState | undefined;
  for (const run of job.runs) {
    previousRun = await client.run({ agent: TESTER.id, ...run, ...(previousRun && { previousRun }) });
    say({ said: "result", ...previousRun });
  }
}

async function prompt({ habit }: Job & { program: "prompt" }): Promise<void> {
  const { sessionState } = await generateInitialRunState({ cwd: process.cwd(), projectFiles: {} });
  const handler = new WebSocketHandler({
    apiKey: API_KEY,
    readFiles: async () => ({}),
    handleToolCall: async () => ({ output: [] }),
    onResponseChunk: async ({ userInputId, chunk }) => {
      hear(chunk);
      if (habit === "cancel" && typeof chunk === "string") handler.cancelInput({ promptId: userInputId });
    },
    onRequestReconnect: async () => {
      if (habit === "reconnect") handler.reconnect();
    },
    onPromptResponse: async ({ output, sessionState }) => say({ said: "result", output, sessionState }),
  });
  await handler.connect();
  handler.sendInput({
    promptId: "p-1",
    prompt: "Count to ten",
    fingerprintId: "somebody",
    costMode: "normal",
    sessionState,
    toolResults: [],
  });
  process.stdin.once("end", () => handler.close()).resume();
}

async function breakOut({ to }: Job & { program: "break-out" }): Promise<void> {
  const ways: readonly (() => unknown)[] = [
    () => fetch(`https://${to}/`),
    () => request({ host: to }),
    () => connect(80, to),
    () => connect({ path: `/${to}` }),
    () => connectTls(443, to),
  ];
  for (const way of ways) {
    try {
      await way();
    } catch {
      // It was reported where it was refused.
    }
  }
}

function hear(heard: string | (Said & { said: "event" })["event"]): void {
  say(typeof heard === "string" ? { said: "chunk", chunk: heard } : { said: "event", event: heard });
}

/** ms that the client waits before it connects again, and between pings. (`ws` too has a `setTimeout` of 30 s.) */
const ITS_WAITS = { setTimeout: 5_000, setInterval: 30_000 } as const;
const SHORT_WAIT = 5;

function shortenWaits(): void {
  for (const name of ["setTimeout", "setInterval"] as const) {
    const wait: (...args: never[]) => unknown = globalThis[name];
    const shorter = (callback: unknown, ms: unknown, ...args: readonly unknown[]) =>
      Reflect.apply(wait, globalThis, [callback, ms === ITS_WAITS[name] ? SHORT_WAIT : ms, ...args]);
    Object.assign(globalThis, { [name]: shorter });
  }
}

process.on("unhandledRejection", (reason) => {
  say({ said: "unhandled", message: reason instanceof Error ? reason.message : String(reason) });
});

const job: Job = JSON.parse(process.argv[2] ?? "");
switch (job.program) {
  case "runs":
    await runs(job);
    break;
  case "prompt":
    await prompt(job);
    break;
  case "break-out":
    await breakOut(job);
    break;
}
