// Each backend's mock, with an answer that has all kinds of events which the backend can say.
import { acp } from "agentwire/acp";
import { cass } from "agentwire/cass";
import { codebuff } from "agentwire/codebuff";
import { codebuffCli } from "agentwire/codebuff-cli";
import { codebuffRun } from "agentwire/codebuff-run";
import { codey } from "agentwire/codey";
import {
  acpStep,
  acpTool,
  agentStep,
  cassStep,
  codeyStep,
  codeyTool,
  FakeCodebuffCli,
  MockAcpAgent,
  MockAgent,
  MockCassServer,
  MockCodebuffBackend,
  MockCodebuffServer,
  MockCodeyServer,
  step,
} from "agentwire/testing";
import type { AgentSource } from "agentwire/universal";
import { NO_HOME } from "../../helpers/codebuff-cli.ts";

/** A mock that runs. Each client of `source` gets the same answer. */
export interface PlayedBackend extends AsyncDisposable {
  readonly source: AgentSource;
}

export interface BackendRow {
  readonly name: string;
  /** The types of parts that the answer has. */
  readonly shows: readonly string[];
  /** What waits until the user replies, in order. */
  readonly asks: readonly ("approval" | "question")[];
  start(): Promise<PlayedBackend>;
}

const played = (source: AgentSource, stop: () => unknown): PlayedBackend => ({
  source,
  async [Symbol.asyncDispose]() {
    await stop();
  },
});

const SURE = [{ question: "Sure?", options: [{ label: "Yes" }, { label: "No" }] }];
const json = (value: unknown) => [{ type: "json", value }] as const;

export const BACKENDS: readonly BackendRow[] = [
  {
    name: "MockAgent",
    shows: ["reasoning", "text", "tool", "question", "subagent", "status", "file", "data", "error"],
    asks: ["approval", "question"],
    async start() {
      const agent = new MockAgent({
        deltas: 4,
        *script() {
          yield agentStep.reasoning("Let me see.");
          yield agentStep.plan([{ content: "Look", status: "pending", priority: "medium" }]);
          yield "I look. ";
          yield agentStep.tool({ name: "ls", input: { path: "." }, streams: ["a.txt\n", "b.txt\n"] });
          yield agentStep.notice("It is slow today.", "warning");
          yield* agentStep.tool({ name: "rm", input: { path: "a.txt" }, approval: true, output: "gone" });
          yield* agentStep.question({ questions: SURE });
          yield agentStep.subagent({
            type: "file-picker",
            prompt: "Pick",
            steps: [agentStep.reasoning("Hm."), "b.txt", agentStep.tool({ name: "stat", output: "ok" })],
          });
          yield agentStep.compaction("started");
          yield agentStep.compaction("completed", "They talked.");
          yield agentStep.context({ used: 5, size: 100 });
          yield agentStep.file("b.txt", { diff: "-1\n+2" });
          yield agentStep.data({ gesture: "wave" });
          yield agentStep.error("One source did not answer.");
          yield agentStep.usage({ inputTokens: 3, outputTokens: 4 });
          yield agentStep.cost(2);
          yield "Done.";
        },
      });
      return played(agent, () => {});
    },
  },
  {
    name: "codey",
    shows: ["reasoning", "text", "tool", "status"],
    asks: ["approval", "approval"],
    async start() {
      const server = await MockCodeyServer.start({
        answer: () => [
          codeyStep.thinking("Let me "),
          codeyStep.thinking("see."),
          "I ",
          "look. ",
          codeyStep.retrying("The model is busy", { times: 2 }),
          codeyStep.calls(codeyTool.shell("ls", "a.txt\n"), codeyTool.shell("pwd", "/\n")),
          codeyStep.subAgent(7, "From ", "below."),
          codeyStep.usage({ output_tokens: 4 }),
          "Done.",
        ],
      });
      const source = codey({ url: server.url, onToolApproval: "manual" });
      return played(source, () => server.stop());
    },
  },
  {
    name: "codebuff",
    shows: ["reasoning", "text", "tool", "question", "subagent"],
    asks: ["approval", "question"],
    async start() {
      const about = { runId: "run-1", ancestorRunIds: [] };
      const picker = { agentId: "a7", agentType: "file-picker", displayName: "Picker", onlyChild: true };
      const server = await MockCodebuffServer.start({
        profile: "codebuff",
        heartbeat: false,
        *answer() {
          yield step.chunk({ type: "reasoning_delta", text: "Let me see.", ...about });
          yield "I ";
          yield "look. ";
          yield step.toolCall({ toolName: "act", input: { a: 1 } });
          yield step.chunk({ type: "subagent_start", ...picker });
          yield step.subAgentChunk({ agentId: "a7", agentType: "file-picker", chunk: "b.txt" });
          yield step.chunk({ type: "subagent_finish", ...picker });
          yield step.toolCall({ toolName: "ask_user", input: { questions: SURE } });
          yield step.cost(3);
          yield "Done.";
        },
      });
      const source = codebuff({
        url: server.url,
        authToken: "token-1234",
        settleWindow: 0,
        tools: { act: () => json("ok") },
        onToolApproval: "manual",
        onQuestion: "manual",
      });
      return played(source, () => server.stop());
    },
  },
  {
    name: "cass",
    shows: ["text", "status", "data"],
    asks: [],
    async start() {
      const server = await MockCassServer.start({
        audio: "none",
        answer: () => [
          cassStep.thinking("Hm..."),
          cassStep.tools("look_around"),
          cassStep.usage({ input_tokens: 3, output_tokens: 4 }),
          "Hello! <gesture:wave> ",
          "Bye.",
        ],
      });
      const { accessToken } = server.addUser();
      const source = cass({ url: server.url, auth: "message", token: accessToken });
      return played(source, () => server.stop());
    },
  },
  {
    name: "codebuff-run",
    shows: ["reasoning", "text", "tool", "question"],
    asks: ["approval", "question"],
    async start() {
      const backend = await MockCodebuffBackend.start({
        answer: ({ request }) => {
          const last = request.messages.findLast(({ role }) => role === "user" || role === "tool");
          const results = request.messages.filter(({ role }) => role === "tool").length;
          if (last?.role !== "tool") {
            const toolCalls = [{ name: "glob", arguments: { pattern: "*" }, id: "call-1" }];
            return { reasoning: ["Let me ", "see."], text: ["I ", "look. "], toolCalls };
          }
          if (results === 1)
            return { toolCalls: [{ name: "ask_user", arguments: { questions: SURE }, id: "call-2" }] };
          return { text: ["Do", "ne."] };
        },
      });
      const source = codebuffRun({
        apiKey: backend.apiKey,
        baseUrl: backend.url,
        agent: { id: "tester", displayName: "Tester", model: "m", toolNames: ["glob", "ask_user"] },
        onToolApproval: "manual",
        onQuestion: "manual",
        overrideTools: { glob: () => json({ files: ["a.ts"] }) },
      });
      return played(source, () => backend.stop());
    },
  },
  {
    name: "codebuff-cli",
    shows: ["reasoning", "text", "tool", "subagent", "question"],
    asks: [],
    async start() {
      const about = { runId: "run-1", ancestorRunIds: [] };
      const picker = { agentId: "a7", agentType: "file-picker", displayName: "Picker", onlyChild: true };
      const cli = await FakeCodebuffCli.start({
        events: [
          { type: "start", session_id: "s-1", messageHistoryLength: 0 },
          { type: "reasoning_delta", text: "Let me see.", ...about },
          { type: "text", text: "I " },
          { type: "text", text: "look. " },
          { type: "tool_call", toolCallId: "c1", toolName: "glob", input: { pattern: "*" } },
          { type: "tool_result", toolCallId: "c1", output: json({ files: ["a.ts"] }) },
          { type: "subagent_start", ...picker },
          { type: "text", text: "b.txt", agentId: "a7" },
          { type: "subagent_finish", ...picker },
          { type: "tool_call", toolCallId: "c2", toolName: "ask_user", input: { questions: SURE } },
          { type: "text", text: "Done." },
          { type: "finish", totalCost: 1 },
        ],
      });
      const env = { CODEBUFF_API_KEY: "", ...cli.env };
      const source = codebuffCli({ command: cli.command, args: cli.args, env, homeDir: NO_HOME });
      return played(source, () => cli.stop());
    },
  },
  {
    name: "acp",
    shows: ["reasoning", "text", "tool", "question", "status"],
    asks: ["approval", "question"],
    async start() {
      const colour = { type: "string", oneOf: [{ const: "Yes", title: "Yes" }] };
      const agent = new MockAcpAgent({
        answer: () => [
          acpStep.thought("Let me "),
          acpStep.thought("see."),
          acpStep.plan({ content: "Look" }),
          "I ",
          "look. ",
          acpStep.calls(acpTool.edit("a.txt", "2", "1", { permission: true })),
          acpStep.ask("Sure?", {
            requestedSchema: { type: "object", properties: { sure: colour }, required: ["sure"] },
          }),
          acpStep.notice("It is slow today."),
          acpStep.compaction("in_progress"),
          acpStep.compaction("completed", "They talked."),
          acpStep.context(5, 100, { amount: 1, currency: "USD" }),
          acpStep.commands("plan"),
          acpStep.usage({ inputTokens: 3, outputTokens: 4 }),
          "Done.",
        ],
      });
      const source = acp({
        createStream: () => agent.connect(),
        cwd: "/",
        mode: false,
        onToolApproval: "manual",
        onQuestion: "manual",
      });
      return played(source, () => agent.stop());
    },
  },
];
