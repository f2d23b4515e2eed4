// Tool calls and questions of the server's agents: their handlers, and the answers, also of failed calls.
import { answerOutput, isAskUser } from "../../codebuff-events/ask-user.ts";
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { isObject } from "../../core/checks.ts";
import type { Gate } from "../../core/gate/gate.ts";
import { isUsersWord } from "../../core/gate/outcome.ts";
import type { Question, ToolCall } from "../../core/values.ts";
import type { ToolCallRequest } from "../extensions.ts";
import type { Named } from "../prompts/known-prompts.ts";
import {
  type CodebuffHandlers,
  type CodebuffToolCall,
  type CodebuffToolHandler,
  type McpTool,
  notWhatItShouldBe,
} from "./handlers.ts";
import type { TaskSteps } from "./task.ts";

/** ms for a tool if neither the request nor its input gives a limit. */
const TOOL_TIMEOUT = 30_000;

/** Additional ms in which a tool can report its own time-out. The server gives up 5 s after the limit. */
const TOOL_GRACE = 4_000;

/** The call in the form for handlers, rules and approvals, from either of the two shapes. */
export function toolCallOf(raw: ToolCallRequest, id: string, turnId: string | undefined): CodebuffToolCall {
  const { toolName: name, input, toolArgs, mcpConfig } = raw;
  return {
    id,
    name,
    input: input ?? toolArgs ?? {},
    ...(turnId === undefined ? {} : { turnId }),
    ...agentIn(raw, turnId),
    ...(mcpConfig ? { mcpConfig } : {}),
    raw,
  };
}

/** A sub-agent's id is its prompt's id with a suffix, which names the agent. */
function agentIn({ userInputId }: ToolCallRequest, turnId = ""): Pick<ToolCall, "agent"> {
  const suffix = turnId === "" ? "" : (userInputId ?? "").slice(turnId.length + 1);
  return suffix === "" ? {} : { agent: suffix };
}

/** The reason for not running a tool, by the state of its prompt. Tools run only for a prompt under way. */
export const REFUSED = {
  open: undefined,
  completed: "the prompt has ended",
  other: "the prompt was cancelled or has failed",
  silent: "the prompt has failed",
  unknown: "this client has sent no such prompt",
  unsent: "this client has sent no such prompt",
} as const satisfies { readonly [standing in Named["standing"]]: string | undefined };

/** The response for a call that failed or was denied. */
export function toolError(requestId: string, errorMessage: string): object {
  return { requestId, output: [{ type: "json", value: { errorMessage } }] };
}

/** ms until the response is needed; 0: no limit. */
export function toolTimeout({ input, raw: { timeout } }: CodebuffToolCall): number {
  const asked = input["timeout_seconds"];
  const limit = timeout ?? (typeof asked === "number" ? asked * 1_000 : TOOL_TIMEOUT);
  return limit < 0 ? 0 : limit + TOOL_GRACE;
}

/** Asks the user. The answers are the output of the tool. */
export function asking(gate: Gate, question: Question): TaskSteps<readonly ToolOutput[]>["ask"] {
  return (task, turn) =>
    gate.askQuestion(question, {
      turn,
      answered: ({ answers, by, reason = by }) => {
        // A user who refuses has answered; a time-out is a failure.
        if (answers || isUsersWord(by)) task.finish(answerOutput(question, answers));
        else task.fail(by, `the question was not answered: ${reason}`);
      },
    });
}

/** The handler of a tool. A tool of an MCP server differs from a local tool of the same name. */
export function handlerFor(
  { tools = {}, onMcpToolCall }: CodebuffHandlers,
  { toolName, mcpConfig }: ToolCallRequest,
): CodebuffToolHandler | undefined {
  if (mcpConfig) return onMcpToolCall;
  if (Object.hasOwn(tools, toolName)) return tools[toolName];
  const sameTool = isAskUser(toolName) ? Object.keys(tools).find(isAskUser) : undefined;
  return tools[sameTool ?? "*"];
}

/** @throws InvalidInputError when the handler did not return tools. */
export function readMcpTools(tools: unknown): readonly McpTool[] {
  if (Array.isArray(tools) && tools.every(isMcpTool)) return tools;
  throw notWhatItShouldBe(tools, "an array of tools with `name` and an `inputSchema` of type object");
}

function isMcpTool(tool: unknown): tool is McpTool {
  if (!isObject(tool) || typeof tool["name"] !== "string") return false;
  const { description, inputSchema } = tool;
  const isDescribed = description === undefined || typeof description === "string";
  return isDescribed && isObject(inputSchema) && inputSchema["type"] === "object";
}
