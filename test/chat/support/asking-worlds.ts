import { CodebuffClient } from "agentwire/codebuff";
import { CodebuffRun } from "agentwire/codebuff-run";
import { CodeyClient, type CodeyClientOptions } from "agentwire/codey";
import {
  agentStep,
  codeyStep,
  codeyTool,
  ManualClock,
  MockAgent,
  MockCodebuffBackend,
  MockCodebuffServer,
  MockCodeyServer,
  step,
} from "agentwire/testing";
import { toUniversal as ofCodebuff } from "../../../src/codebuff/universal.ts";
import { toUniversal as ofRun } from "../../../src/codebuff-run/universal.ts";
import { toUniversal as ofCodey } from "../../../src/codey/universal.ts";
import type { AnyAgentClient } from "../../../src/core/client/any-client.ts";
import type { AgentSource } from "../../../src/universal/stream.ts";

// Backends that ask the user at each prompt: once, under the same id on the wire every time, unless `idsOf` says other ids.
type IdsOf = (prompt: string) => readonly string[];

/** A backend, and what it was allowed to do: `ran` for each call that ran, and the text of each answer. */
export interface AskingWorld extends AsyncDisposable {
  readonly source: AgentSource;
  readonly done: readonly string[];
  /** Whether the prompt `question` asks a question. All others ask for an approval. */
  readonly asksQuestions: boolean;
  /** The clock of the clients: closing takes time where the server owes an answer. */
  readonly clock: ManualClock;
  /** Breaks the link. Undefined where there is none. */
  lose?(): void;
}

/** The answer that users of these worlds give. */
export const ANSWER = "Yes";
const QUESTION = { questions: [{ question: "Sure?", options: [{ label: ANSWER }, { label: "No" }] }] };

async function codeyWorld(idsOf: IdsOf, options: Partial<CodeyClientOptions> = {}): Promise<AskingWorld> {
  const server = await MockCodeyServer.start({
    answer: ({ content }) => {
      const ids = idsOf(content);
      const background = ids.length > 1;
      const calls = ids.map((callId) => codeyTool.shell("rm -rf ~", "gone", { callId, background }));
      return [codeyStep.calls(...calls), "done"];
    },
  });
  const clients: CodeyClient[] = [];
  const clock = new ManualClock();
  const client = (): CodeyClient => {
    const made = new CodeyClient({ url: server.url, clock, onToolApproval: "manual", ...options });
    made.on("reconnecting", ({ delay }) => void clock.advance(delay));
    clients.push(made);
    return made;
  };
  return {
    source: { name: "codey", client, toUniversal: ofCodey },
    clock,
    asksQuestions: false,
    get done() {
      return server.decisions.filter(({ approved }) => approved).map(() => "ran");
    },
    lose: () => server.dropAll(),
    async [Symbol.asyncDispose]() {
      const closed = clients.map((made) => made.close({ force: true }));
      await server.stop();
      await Promise.all(closed);
    },
  };
}

async function codebuffWorld(idsOf: IdsOf): Promise<AskingWorld> {
  const server = await MockCodebuffServer.start({
    profile: "codebuff",
    heartbeat: false,
    answer: function* ({ data }) {
      const prompt = data.prompt ?? "";
      const call = prompt.includes("question")
        ? { toolName: "ask_user", input: QUESTION }
        : { toolName: "act", input: {} };
      const asked: string[] = [];
      for (const requestId of idsOf(prompt))
        asked.push(yield* step.toolCall({ ...call, requestId, wait: false }));
      for (const request of asked) yield step.answerTo(request);
    },
  });
  const done: string[] = [];
  const clients: CodebuffClient[] = [];
  const clock = new ManualClock();
  const client = (): CodebuffClient => {
    const made = new CodebuffClient({
      url: server.url,
      clock,
      authToken: "token-1234",
      keepalive: false,
      settleWindow: 0,
      onToolApproval: "manual",
      onQuestion: "manual",
      tools: {
        act: () => {
          done.push("ran");
          return [{ type: "json", value: 1 }];
        },
      },
    });
    made.on("reconnecting", ({ delay }) => void clock.advance(delay));
    made.on("settled", (request) => {
      if (request.type === "question") done.push(...(request.reply.answers?.flat() ?? []));
    });
    clients.push(made);
    return made;
  };
  return {
    source: { name: "codebuff", client, toUniversal: ofCodebuff },
    clock,
    done,
    asksQuestions: true,
    lose: () => server.dropAll(),
    async [Symbol.asyncDispose]() {
      const closed = clients.map((made) => made.close({ force: true }));
      await server.stop();
      await Promise.all(closed);
    },
  };
}

async function runWorld(idsOf: IdsOf): Promise<AskingWorld> {
  const backend = await MockCodebuffBackend.start({
    answer: ({ request }) => {
      const last = request.messages.findLast(({ role }) => role === "user" || role === "tool");
      if (last?.role === "tool") return "done";
      const isQuestion = JSON.stringify(last).includes("question");
      const call = isQuestion
        ? { name: "ask_user", arguments: QUESTION }
        : { name: "glob", arguments: { pattern: "*" } };
      return { toolCalls: idsOf(last?.text ?? "").map((id) => ({ ...call, id })) };
    },
  });
  const done: string[] = [];
  const clock = new ManualClock();
  const clients: CodebuffRun[] = [];
  const client = (): CodebuffRun => {
    const made = new CodebuffRun({
      apiKey: backend.apiKey,
      baseUrl: backend.url,
      clock,
      agent: { id: "tester", displayName: "Tester", model: "m", toolNames: ["glob", "ask_user"] },
      onToolApproval: "manual",
      onQuestion: "manual",
      overrideTools: {
        glob: () => {
          done.push("ran");
          return [{ type: "json", value: { files: [] } }];
        },
      },
    });
    made.on("settled", (request) => {
      if (request.type === "question") done.push(...(request.reply.answers?.flat() ?? []));
    });
    clients.push(made);
    return made;
  };
  return {
    source: { name: "codebuff-run", client, toUniversal: ofRun },
    clock,
    done,
    asksQuestions: true,
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((made) => made.close()));
      await backend.stop();
    },
  };
}

async function agentWorld(idsOf: IdsOf, forgets: boolean): Promise<AskingWorld> {
  const clock = new ManualClock();
  const agent = new MockAgent({
    clock,
    capabilities: { survivesReconnect: !forgets },
    script: ({ text }) =>
      text.includes("question")
        ? [agentStep.question({ id: "shell", questions: [{ question: "Sure?", options: [ANSWER, "No"] }] })]
        : idsOf(text).map((id) => agentStep.tool({ id, name: "shell", approval: true })),
  });
  return {
    source: agent,
    clock,
    asksQuestions: true,
    get done() {
      const ran = agent.decisions.filter(({ decision }) => decision !== "reject").map(() => "ran");
      return [...ran, ...agent.answers.flatMap(({ answers }) => answers?.flat() ?? [])];
    },
    lose: () => agent.disconnect(forgets ? { forgets: true } : {}),
    async [Symbol.asyncDispose]() {
      await Promise.all(agent.clients.map((made: AnyAgentClient) => made.close()));
    },
  };
}

type Start = (idsOf?: IdsOf) => Promise<AskingWorld>;

const sameId: IdsOf = () => ["mcp_shell"]; // as a server with a Gemini model does

export const WORLDS: readonly (readonly [name: string, start: Start])[] = [
  ["Codey, each time with a new client", (idsOf = sameId) => codeyWorld(idsOf)],
  [
    "Codey, with a client that reconnects",
    (idsOf = sameId) => codeyWorld(idsOf, { reconnect: { minDelay: 100 } }),
  ],
  ["Codebuff", (idsOf = sameId) => codebuffWorld(idsOf)],
  ["a run", (idsOf = sameId) => runWorld(idsOf)],
  ["a `MockAgent` that remembers", (idsOf = sameId) => agentWorld(idsOf, false)],
  ["a `MockAgent` that forgets", (idsOf = sameId) => agentWorld(idsOf, true)],
];
