import type { ToolCallRequest } from "./extensions.ts";
import type { CodebuffToolCall } from "./handlers.ts";
import type { Named } from "./known-prompts.ts";

/** ms that a tool gets when neither the request nor its input says. */
const TOOL_TIMEOUT = 30_000;

/** ms that a tool gets on top to report its own time-out: the server gives up 5 s after the limit. */
const TOOL_GRACE = 4_000;

/** A call in the form that handlers, rules and approvals get, whichever of the two shapes it came in. */
export function toolCallOf(raw: ToolCallRequest, id: string, turnId: string | undefined): CodebuffToolCall {
  const { toolName: name, input, toolArgs, mcpConfig } = raw;
  return {
    id,
    name,
    input: input ?? toolArgs ?? {},
    ...(turnId === undefined ? {} : { turnId }),
    ...(mcpConfig ? { mcpConfig } : {}),
    raw,
  };
}

/** Why a tool is not run, by how the prompt stands that the call is for: only one that is under way has its tools run. */
export const REFUSED: { readonly [standing in Named["standing"]]?: string } = {
  completed: "the prompt has ended",
  other: "the prompt was cancelled or has failed",
  silent: "the prompt has failed",
  unknown: "this client has sent no such prompt",
  unsent: "this client has sent no such prompt",
};

/** What the server is told of a call that came to nothing. */
export function toolError(requestId: string, errorMessage: string): object {
  return { requestId, output: [{ type: "json", value: { errorMessage } }] };
}

/** ms until the answer is needed, 0 for no limit. */
export function toolTimeout({ input, raw: { timeout } }: CodebuffToolCall): number {
  const asked = input["timeout_seconds"];
  const limit = timeout ?? (typeof asked === "number" ? asked * 1_000 : TOOL_TIMEOUT);
  return limit < 0 ? 0 : limit + TOOL_GRACE;
}
