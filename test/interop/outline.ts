import type { Account, AccountEnd, AccountRequest, JsonObject } from "./account.ts";
import type { Item } from "./said.ts";

/** An account in a few words, so that a test can show a run as a whole. */
export interface Outline {
  readonly calls: string;
  readonly items: string;
  readonly ends: string;
}

export function outlineOf({ requests, items, ends }: Account): Outline {
  const line = (words: readonly string[]) => words.join("; ");
  return { calls: line(requests.map(callIn)), items: line(items.map(itemIn)), ends: line(ends.map(endIn)) };
}

/** `START tester`, `steps 1: 5 credits`, `FINISH completed: 2 steps, 5 credits`. */
function callIn({ call, body }: AccountRequest): string {
  const field = (name: string) => (body as JsonObject | undefined)?.[name];
  if (call.startsWith("GET /api/v1/me?")) return "me";
  if (call.endsWith("/token-count")) return "count";
  if (call.endsWith("/chat/completions")) return "chat";
  if (call.endsWith("/steps")) return `step ${field("stepNumber")}: ${field("credits")} credits`;
  if (field("action") === "START") return `START ${field("agentId")}`;
  if (field("action") === "FINISH")
    return `FINISH ${field("status")}: ${field("totalSteps")} steps, ${field("directCredits")} of ${field("totalCredits")} credits`;
  return call.replace("/api/v1/", "");
}

function itemIn({ type, ...fields }: Item): string {
  switch (type) {
    case "start":
      return `start at ${fields["messageHistoryLength"]}`;
    case "chunk":
      return JSON.stringify(fields["chunk"]);
    case "text":
      return `text ${JSON.stringify(fields["text"])}${fields["agentId"] === undefined ? "" : ` of ${fields["agentId"]}`}`;
    case "reasoning_chunk":
      return `reasoning ${JSON.stringify(fields["chunk"])}`;
    case "subagent_chunk":
      return `${JSON.stringify(fields["chunk"])} of ${fields["agentId"]}`;
    case "tool_call":
      return `call ${fields["toolName"]}`;
    case "tool_result":
      return `result ${fields["toolName"]}`;
    case "subagent_start":
    case "subagent_finish":
      return `${type} ${fields["agentType"]}`;
    case "error":
      return `error: ${String(fields["message"]).split("\n")[0]}`;
    case "finish":
      return `finish: ${fields["totalCost"]} credits`;
    default:
      return type;
  }
}

/** `lastMessage: All done.` */
function endIn({ output, rejected }: AccountEnd): string {
  if (rejected) return `rejected: ${rejected.message}`;
  const { type, value, message } = output as {
    readonly type: string;
    readonly value?: unknown;
    readonly message?: string;
  };
  if (message !== undefined) return `${type}: ${message.split("\n")[0]}`;
  if (!Array.isArray(value)) return `${type}: ${JSON.stringify(value)}`;
  const texts = value.flatMap(({ role, content }) => [`${role} ${partIn(content[0])}`]);
  return `${type}: ${texts.join(", ")}`;
}

function partIn({ type, text, toolName, value }: JsonObject): string {
  return text !== undefined ? JSON.stringify(text) : String(toolName ?? JSON.stringify(value) ?? type);
}
