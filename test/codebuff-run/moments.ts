import type { CodebuffRunOptions } from "agentwire/codebuff-run";
import type { BackendEndpoint, BackendFaultOptions, MockCodebuffBackendOptions } from "agentwire/testing";
import { agentWith, json, type RunTurn, type World } from "./world.ts";

// The moments at which a run can be stopped.

/** Holds a place until the test lets go, and tells when the place was reached. */
function place() {
  let reached = (): void => {};
  const here = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const hold = (): Promise<never> => {
    reached();
    return new Promise(() => {});
  };
  return { here, hold };
}

export interface Moment {
  readonly name: string;
  /** Requests of FINISH. */
  readonly finish: "cancelled" | "completed" | "none";
  /** The request that the client leaves. */
  readonly left?: string;
  readonly begin: () => {
    readonly switches?: MockCodebuffBackendOptions;
    readonly options?: CodebuffRunOptions;
    readonly ready: (at: World, turn: RunTurn) => Promise<unknown>;
  };
}

const CALLS = [{ name: "glob", arguments: { pattern: "*" } }];
const asked = (at: World, call: string): Promise<unknown> =>
  at.backend.waitFor(() => at.calls().includes(call));

/** A request that gets no answer. */
const hung =
  (endpoint: BackendEndpoint, more: BackendFaultOptions = {}, call: string = endpoint) =>
  (at: World): Promise<unknown> => {
    at.backend.fault(endpoint, { hang: true, ...more });
    return asked(at, call);
  };

export const MOMENTS: readonly Moment[] = [
  {
    name: "while its key is checked",
    finish: "none",
    left: "me",
    begin: () => ({ ready: hung("me") }),
  },
  {
    name: "while its record is begun",
    finish: "none",
    left: "START",
    begin: () => ({
      ready: hung("agent-runs", { when: "START" }, "START"),
    }),
  },
  {
    name: "while its tokens are counted",
    finish: "cancelled",
    left: "token-count",
    begin: () => ({
      ready: hung("token-count"),
    }),
  },
  {
    name: "before the head of an answer",
    finish: "cancelled",
    left: "chat",
    begin: () => ({ ready: hung("chat") }),
  },
  {
    name: "in an answer",
    finish: "cancelled",
    left: "chat",
    begin: () => ({
      switches: { answer: [{ text: ["I ", new Promise(() => {})] }] },
      ready: (_, turn) =>
        new Promise<void>((resolve) => {
          turn.on("event", ({ type }) => type === "chunk" && resolve());
        }),
    }),
  },
  {
    name: "while another try waits",
    finish: "cancelled",
    begin: () => ({
      ready: (at) => {
        at.backend.fault("chat", { status: 503 });
        return at.clock.armed(1_000);
      },
    }),
  },
  {
    name: "in a tool",
    finish: "cancelled",
    begin: () => {
      const { here, hold } = place();
      const glob = (_: unknown, { signal }: { signal: AbortSignal }) => {
        void hold();
        return new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      };
      return {
        switches: { answer: [{ toolCalls: CALLS }, "Done"] },
        options: { agent: agentWith("glob"), overrideTools: { glob } },
        ready: () => here,
      };
    },
  },
  {
    name: "while a tool waits for its approval",
    finish: "cancelled",
    begin: () => ({
      switches: { answer: [{ toolCalls: CALLS }, "Done"] },
      options: {
        agent: agentWith("glob"),
        overrideTools: { glob: () => json([]) },
        onToolApproval: "manual" as const,
      },
      ready: (at) => new Promise<void>((resolve) => at.client.on("approval", () => resolve())),
    }),
  },
  {
    name: "while a question waits for its answer",
    finish: "cancelled",
    begin: () => ({
      switches: {
        answer: [
          { toolCalls: [{ name: "ask_user", arguments: { questions: [{ question: "?", options: [] }] } }] },
        ],
      },
      options: { agent: agentWith("ask_user"), onQuestion: "manual" as const },
      ready: (at) => new Promise<void>((resolve) => at.client.on("question", () => resolve())),
    }),
  },
  {
    name: "while a schema of the caller checks a call",
    finish: "cancelled",
    begin: () => {
      const { here, hold } = place();
      const schema = { "~standard": { version: 1 as const, vendor: "test", validate: hold } };
      const parameters = { schema, parameters: { type: "object" } };
      return {
        switches: { answer: [{ toolCalls: [{ name: "own" }] }] },
        options: { tools: { own: { description: "", parameters, execute: () => json(1) } } },
        ready: () => here,
      };
    },
  },
  {
    name: "while a program of the agent thinks",
    finish: "cancelled",
    begin: () => {
      const { here, hold } = place();
      async function* handleSteps() {
        await hold();
        yield "STEP" as const;
      }
      return { options: { agent: { ...agentWith(), handleSteps } }, ready: () => here };
    },
  },
  {
    name: "while a step is reported",
    finish: "cancelled",
    left: "steps",
    begin: () => ({ ready: hung("steps") }),
  },
  {
    name: "while its record is closed",
    finish: "completed",
    begin: () => ({ switches: { finishSlowMs: 20 }, ready: (at) => asked(at, "FINISH") }),
  },
  {
    name: "in a provider that ignores its signal",
    finish: "cancelled",
    begin: () => {
      const { here, hold } = place();
      const stream = () => ({ [Symbol.asyncIterator]: () => ({ next: hold }) });
      return { options: { providers: [{ name: "own", supports: () => true, stream }] }, ready: () => here };
    },
  },
  {
    name: "in a sub-agent's answer",
    finish: "cancelled",
    left: "chat",
    begin: () => ({
      switches: {
        answer: [
          { match: { agentId: "tester" }, toolCalls: [{ name: "child", arguments: { prompt: "go" } }] },
          { match: { agentId: "child" }, text: ["I ", new Promise(() => {})] },
        ],
      },
      options: {
        agent: { ...agentWith(), spawnableAgents: ["child"] },
        agentDefinitions: [{ ...agentWith(), id: "child" }],
      },
      ready: (_, turn) =>
        new Promise<void>((resolve) => {
          turn.on("event", ({ type }) => type === "subagent_chunk" && resolve());
        }),
    }),
  },
];
