// Reads a chat request leniently.
import { type Dict, isDict } from "../server/dict.ts";

/** A chat request, read leniently: a value of the wrong type counts as missing. */
export interface BackendChat {
  /** The whole body, unchanged. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Empty if missing. */
  readonly model: string;
  readonly messages: readonly BackendChatMessage[];
  /** The names of the available tools. */
  readonly tools: readonly string[];
  readonly stream: boolean;
  /** `codebuff_metadata.client_id`. */
  readonly clientId: string | null;
  /** `codebuff_metadata.cost_mode`. */
  readonly costMode: string | null;
  /** `codebuff_metadata.n`: the number of requested texts. */
  readonly n: number | null;
}

/** A message of a chat request. */
interface BackendChatMessage {
  readonly role: string;
  /** The joined texts of its content. */
  readonly text: string;
  /** Only of an assistant message. */
  readonly toolCalls: readonly BackendChatToolCall[];
  /** Only of a tool message. */
  readonly toolCallId: string | null;
}

interface BackendChatToolCall {
  readonly id: string;
  readonly name: string;
  /** The parsed JSON of the arguments; the text if it is invalid JSON. */
  readonly arguments: unknown;
}

export function readChat(body: Dict): BackendChat {
  const metadata = dictOf(body["codebuff_metadata"]);
  return {
    body,
    model: textOf(body["model"]) ?? "",
    messages: dictsOf(body["messages"]).map(readMessage),
    tools: dictsOf(body["tools"]).map((tool) => textOf(dictOf(tool["function"])["name"]) ?? ""),
    stream: body["stream"] === true,
    clientId: textOf(metadata["client_id"]) ?? null,
    costMode: textOf(metadata["cost_mode"]) ?? null,
    n: typeof metadata["n"] === "number" ? metadata["n"] : null,
  };
}

/** `codebuff_metadata.run_id`, if it is a non-empty string. */
export function runIdOf(body: Dict): string | undefined {
  return textOf(dictOf(body["codebuff_metadata"])["run_id"]) || undefined;
}

function readMessage(message: Dict): BackendChatMessage {
  return {
    role: textOf(message["role"]) ?? "",
    text: contentOf(message["content"]),
    toolCalls: dictsOf(message["tool_calls"]).map(readToolCall),
    toolCallId: textOf(message["tool_call_id"]) ?? null,
  };
}

function readToolCall(call: Dict): BackendChatToolCall {
  const { name, arguments: given } = dictOf(call["function"]);
  return { id: textOf(call["id"]) ?? "", name: textOf(name) ?? "", arguments: jsonOf(given) };
}

function contentOf(content: unknown): string {
  if (typeof content === "string") return content;
  return dictsOf(content)
    .map(({ text }) => textOf(text) ?? "")
    .join("");
}

function jsonOf(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function dictOf(value: unknown): Dict {
  return isDict(value) ? value : {};
}

function dictsOf(value: unknown): readonly Dict[] {
  return Array.isArray(value) ? value.filter(isDict) : [];
}
