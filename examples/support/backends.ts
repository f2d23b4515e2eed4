import { acp } from "agentwire/acp";
import { cass } from "agentwire/cass";
import { codebuff } from "agentwire/codebuff";
import { codebuffCli } from "agentwire/codebuff-cli";
import { codebuffRun } from "agentwire/codebuff-run";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { codey } from "agentwire/codey";
import { MockAgent } from "agentwire/testing";
import type { AgentSource } from "agentwire/universal";
import { openAcpAgent } from "./acp-agent.ts";
import { openCodeyServer } from "./codey-agent.ts";
import { startFakeCodebuff } from "./fake-codebuff.ts";
import { mockScript, openCassServer, openCodebuffServer } from "./mock-scripts.ts";
import { listFolder, lookingAgent, openAiServer, scriptedServer } from "./run-agent.ts";

/** A source for a chat, and what has to be stopped behind it. */
export interface Backend {
  readonly source: AgentSource;
  stop(): Promise<void>;
}

/** All that differs between the backends. Each asks by hand (`"manual"`), so that the chat shows what waits for the user. */
const BACKENDS: Readonly<Record<string, (address: string | undefined) => Promise<Backend>>> = {
  codebuff: async (address) => {
    const server = await openCodebuffServer(address);
    const { url, authToken } = server;
    const tools = { get_weather: () => [{ type: "json", value: { city: "Oslo", sky: "clear" } } as const] };
    const source = codebuff({ url, authToken, tools, onToolApproval: "manual", onQuestion: "manual" });
    return { source, stop: () => server.stop() };
  },
  codey: async (address) => {
    const server = await openCodeyServer(address);
    const source = codey({ url: server.url, reconnect: {}, onToolApproval: "manual" });
    return { source, stop: () => server.stop() };
  },
  cass: async (address) => {
    const { stop, ...options } = await openCassServer(address);
    return { source: cass({ ...options, recover: true }), stop };
  },
  cli: async (command) => {
    const fake = command === undefined ? await startFakeCodebuff(10) : undefined;
    const source = codebuffCli(fake?.options ?? (command === undefined ? {} : { command }));
    return { source, stop: async () => fake?.stop() };
  },
  run: async (address) => {
    const { AGENTWIRE_MODEL: model = "default" } = process.env;
    const server = address === undefined ? await scriptedServer() : openAiServer(address, model);
    const agent = { agent: lookingAgent(), tools: { list_folder: listFolder } };
    const source = codebuffRun({
      ...server.options,
      ...agent,
      onToolApproval: "manual",
      onQuestion: "manual",
    });
    return { source, stop: () => server.stop() };
  },
  acp: async (name) => {
    const agent = await openAcpAgent(name, process.cwd());
    const files = nodeTools({ root: process.cwd() }); // prompts may name files of this folder
    const source = acp({ ...agent.options, files, onToolApproval: "manual", onQuestion: "manual" });
    return { source, stop: () => agent.stop() };
  },
  mock: async (address) => {
    if (address !== undefined)
      throw new Error("--url needs --backend: the mock runs in this process, and has no address");
    const hold = setInterval(() => {}, 60_000); // the delays of a mock do not hold the process
    return {
      source: new MockAgent({ script: mockScript, pace: 20 }),
      stop: async () => clearInterval(hold),
    };
  },
};

export const NAMES = Object.keys(BACKENDS);

/** @throws for a name that is not there, and for an address that cannot work. */
export async function backendNamed(name: string, address: string | undefined): Promise<Backend> {
  const make = new Map(Object.entries(BACKENDS)).get(name);
  if (!make) throw new Error(`there is no backend ${name}: pass one of ${NAMES.join(", ")}`);
  return make(address);
}
