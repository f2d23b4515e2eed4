import type { AnyAgentClient } from "agentwire";
import { codebuff } from "agentwire/codebuff";
import { codebuffRun } from "agentwire/codebuff-run";
import { codey } from "agentwire/codey";
import {
  agentStep,
  codeyStep,
  ManualClock,
  MockAgent,
  MockCodebuffBackend,
  MockCodebuffServer,
  MockCodeyServer,
  step,
} from "agentwire/testing";
import type { AgentSource } from "agentwire/universal";

// Every client with a gate, and a backend whose agent makes the calls that a test wants.

/** A call of an agent. */
export interface Calling {
  readonly name: string;
  readonly input: unknown;
}

/** A backend whose agent makes `turns[n]` in turn n, one call after the other, and a source for it. */
export interface Granting extends AsyncDisposable {
  readonly source: AgentSource<AnyAgentClient>;
  readonly client: AnyAgentClient;
}

export interface GrantingBackend {
  readonly name: string;
  /** A call that runs a command. */
  shell(command: string, folder?: string): Calling;
  /** A tool that the library knows nothing of. */
  readonly unknownTool: string;
  /** A call of the command tool whose input cannot be read. */
  readonly unreadable: Calling;
  start(turns: readonly (readonly Calling[])[]): Promise<Granting>;
}

const json = (value: unknown) => [{ type: "json", value }] as const;

const run = (command: string, cwd?: string): Calling => ({
  name: "run_terminal_command",
  input: { command, ...(cwd === undefined ? {} : { cwd }) },
});

function granting(source: AgentSource<AnyAgentClient>, stop: () => unknown): Granting {
  const client = source.client();
  return {
    source,
    client,
    async [Symbol.asyncDispose]() {
      const closed = client.close({ force: true });
      await stop();
      await closed;
    },
  };
}

export const BACKENDS: readonly GrantingBackend[] = [
  {
    name: "Codey",
    shell: (command, working_dir) => ({
      name: "mcp_shell",
      input: { command, ...(working_dir === undefined ? {} : { working_dir }) },
    }),
    unknownTool: "mcp_web_search",
    unreadable: { name: "mcp_shell", input: ["ls"] },
    async start(turns) {
      let turn = 0;
      const server = await MockCodeyServer.start({
        clock: new ManualClock(),
        *answer() {
          for (const { name, input: params } of turns[turn++] ?? []) yield* codeyStep.calls({ name, params });
        },
      });
      const { url } = server;
      return granting(codey({ url, clock: new ManualClock(), onToolApproval: "manual" }), () =>
        server.stop(),
      );
    },
  },
  {
    name: "Codebuff",
    shell: run,
    unknownTool: "search",
    unreadable: { name: "run_terminal_command", input: { command: 5 } },
    async start(turns) {
      let turn = 0;
      const server = await MockCodebuffServer.start({
        profile: "codebuff",
        *answer() {
          for (const { name, input } of turns[turn++] ?? [])
            yield step.toolCall({ toolName: name, input: input as Record<string, unknown> });
        },
      });
      const source = codebuff({
        url: server.url,
        authToken: "token-1234",
        keepalive: false,
        clock: new ManualClock(),
        tools: { "*": () => json("ok") },
        onToolApproval: "manual",
      });
      return granting(source, () => server.stop());
    },
  },
  {
    name: "a run",
    shell: run,
    unknownTool: "search",
    unreadable: { name: "mail", input: { of: "nothing" } },
    async start(turns) {
      const calls = turns.flatMap((turn) => [
        ...turn.map(({ name, input }) => ({ toolCalls: [{ name, arguments: input as object }] })),
        "Done",
      ]);
      const backend = await MockCodebuffBackend.start({ answer: calls as never });
      const ok = () => json("ok");
      const own = { description: "Mine.", parameters: { type: "object" }, execute: ok } as const;
      const names = ["run_terminal_command", "write_file", "read_files", "code_search"] as const;
      const source = codebuffRun({
        apiKey: backend.apiKey,
        baseUrl: backend.url,
        clock: new ManualClock({ random: 0 }),
        agent: { id: "tester", displayName: "Tester", model: "openai/gpt-5-mini", toolNames: [...names] },
        overrideTools: Object.fromEntries(names.map((name) => [name, ok])),
        tools: {
          search: own,
          mail: { ...own, grant: (input) => (input as { readonly to?: string }).to ?? "" },
        },
        onToolApproval: "manual",
      });
      return granting(source, () => backend.stop());
    },
  },
  {
    name: "a MockAgent",
    shell: run,
    unknownTool: "search",
    unreadable: { name: "run_terminal_command", input: Symbol("none") },
    async start(turns) {
      let turn = 0;
      const source = new MockAgent().script(() =>
        (turns[turn++] ?? []).map((call) => agentStep.tool({ ...call, approval: true })),
      );
      return granting(source, () => {});
    },
  },
];

/** A prompt, to its end. */
export async function turn(client: AnyAgentClient): Promise<void> {
  const outcome = await client.prompt("go").outcome;
  if (outcome.status !== "completed") throw new Error("the turn has not completed", { cause: outcome });
}
