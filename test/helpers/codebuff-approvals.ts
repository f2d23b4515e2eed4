import type { CodebuffClientOptions, ToolCall } from "agentwire/codebuff";
import { type Step, step } from "agentwire/testing";
import { once, type Pair } from "./codebuff.ts";
import { ASK, json } from "./codebuff-requests.ts";

export const CONFIG = { type: "stdio", command: "npx", args: ["srv"] } as const;
const search = { name: "search", inputSchema: { type: "object" } } as const;

/** Handlers for everything that a server may ask, which note that they ran. */
export function handlers(run: string[]): Partial<CodebuffClientOptions> {
  return {
    tools: {
      act: () => json(run.push("act")),
      "*": ({ name }) => json(run.push(name)),
    },
    onMcpToolCall: ({ name }) => json(run.push(`mcp ${name}`)),
    onReadFiles: () => {
      run.push("files");
      return { "a.txt": "text" };
    },
    onMcpTools: () => {
      run.push("mcp list");
      return [search];
    },
  };
}

/** A client that is asked about everything, and has a handler for it. */
export const asks = (
  onToolApproval: NonNullable<CodebuffClientOptions["onToolApproval"]>,
  run: string[] = [],
) => ({
  ...handlers(run),
  toolPolicy: ASK,
  onToolApproval,
});

/** A prompt that asks for one thing and goes on with the answer. */
export const only = (asked: Step) =>
  function* (): Iterable<Step> {
    yield asked;
  };

/** A prompt that asks for the tool `act` and goes on with its answer. */
export const act = () => only(step.toolCall({ toolName: "act", input: {}, requestId: "r1" }));

/** A prompt that asks for the tool `act` and never ends. */
export const hanging = (timeout = 5_000) =>
  function* (): Iterable<Step> {
    yield step.toolCall({ toolName: "act", input: {}, requestId: "r1", timeout, wait: false });
    yield step.hang();
  };

/** The next call that waits for a decision. */
export const approval = (pair: Pair): Promise<ToolCall> => once(pair.client, "approval");

/** The client's answers, as frames: also those that the server does not take. */
export const sent = ({ server }: Pair) =>
  server.frames.filter(({ raw, direction }) => direction === "c2s" && raw.includes('-response","requestId"'));
