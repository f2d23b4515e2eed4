import type { Naming, Step } from "./scenario.ts";
import type { WatchedPrompt } from "./watched-prompt.ts";

export type Of<Do extends Step["do"]> = Step & { readonly do: Do };
export type Ask = Of<"ask">;

/** How long a slow handler gets, in ms; tools on top of what the request says. */
const TOOL_TIMEOUT = 30_000;
const TOOL_GRACE = 4_000;
const FILES_TIMEOUT = 30_000;
const MCP_TIMEOUT = 45_000;

/** An action as it is on the wire. */
export const action = (data: object): object => ({ type: "action", data });

/** Frames that are not text. */
export const BINARY: readonly unknown[] = [
  new Uint8Array([0xff, 0xfe, 0x00]),
  new TextEncoder().encode('{"type":"broadcast"}'),
  new TextEncoder().encode('{"type":"ack","txid":1000000,"success":true}').buffer,
  { size: 3 },
  undefined,
];

export function nameOf(prompt: WatchedPrompt | undefined, naming: Naming, count: number): string {
  if (!prompt || naming === "unknown") return `nobody${count}`;
  return naming === "sub" ? `${prompt.id}-sub-${count}` : prompt.id;
}

export function chunkOf(
  form: Of<"chunk">["form"],
  word: string,
): { readonly chunk: unknown; readonly text: string } {
  const sse = (payload: object): string =>
    `data: ${JSON.stringify({ object: "chat.completion.chunk", ...payload })}\n\n`;
  switch (form) {
    case "text":
      return { chunk: word, text: word };
    case "sse":
      return { chunk: sse({ choices: [{ delta: { content: word } }] }), text: word };
    case "sse error":
      return { chunk: `${sse({ choices: [], error: { message: word } })}data: [DONE]\n\n`, text: "" };
    case "repr":
      return { chunk: "<src.core.Chunk object at 0x7f12ab>", text: "" };
    case "event":
      return { chunk: { type: "text", text: word }, text: "" };
  }
}

export function endFrame(form: Of<"end">["form"], id: string, message: string): object {
  if (form === "error") return { type: "prompt-error", userInputId: id, message };
  const output = form === "response" ? null : { type: "error", message };
  return { type: "prompt-response", promptId: id, sessionState: { n: 1 }, toolCalls: null, output };
}

export function tellFrame(
  { form }: Of<"tell">,
  id: string,
): { readonly type: string; readonly [field: string]: unknown } {
  switch (form) {
    case "subagent":
      return {
        type: "subagent-response-chunk",
        userInputId: id,
        agentId: "a",
        agentType: "t",
        chunk: "look",
      };
    case "cost":
      return { type: "message-cost-response", promptId: id, credits: 3 };
    case "log":
      return { type: "handlesteps-log-chunk", userInputId: id, agentId: "a", level: "info" };
    case "usage":
      return { type: "usage-response", usage: 1, remainingBalance: 2 };
  }
}

export function requestFrame(
  { form, handler, timeout }: Ask,
  id: string,
  userInputId: string | undefined,
): object {
  switch (form) {
    case "tool":
      return {
        type: "tool-call-request",
        requestId: id,
        toolName: handler,
        input: {},
        ...(userInputId === undefined ? {} : { userInputId }),
        ...(timeout === null ? {} : { timeout }),
      };
    case "other tool":
      return { type: "tool-call-request", toolCallId: id, toolName: handler, toolArgs: { a: 1 } };
    case "read-files":
    case "read-files-request":
      return { type: form, requestId: id, filePaths: [handler, "other"] };
    case "mcp":
      return { type: "request-mcp-tool-data", requestId: id, mcpConfig: { command: handler } };
    case "invalid":
      if (handler === "slow") return { type: "read-files", requestId: id, filePaths: "all" };
      if (handler === "quick") return { type: "request-mcp-tool-data", requestId: id };
      return { type: "tool-call-request", requestId: id, toolName: handler, timeout: "soon", input: [] };
  }
}

export function limitOf({ form, handler, timeout }: Ask): number {
  if (handler !== "slow" || form === "invalid") return 0;
  if (form === "mcp") return MCP_TIMEOUT;
  if (form === "read-files" || form === "read-files-request") return FILES_TIMEOUT;
  const limit = form === "tool" && timeout !== null ? timeout : TOOL_TIMEOUT;
  return limit < 0 ? Number.POSITIVE_INFINITY : limit + TOOL_GRACE;
}
