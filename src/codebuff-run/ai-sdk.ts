import { describe, isObject } from "../core/checks.ts";
import { InvalidInputError, said } from "../core/errors.ts";
import { CodebuffRunError } from "./errors.ts";
import type { ChatChunk, ChatMessage, ChatRequest, ToolCallDelta } from "./messages.ts";
import type { ModelProvider } from "./providers.ts";

/** A part of a message, as models of the AI SDK read it. */
type AiSdkPart =
  | { type: "text"; text: string }
  | { type: "file"; data: string | URL; mediaType: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown }
  | { type: "tool-result"; toolCallId: string; toolName: string; output: { type: "text"; value: string } };

/** What a model of the AI SDK is asked for. */
interface AiSdkCall {
  prompt: { role: "system" | "user" | "assistant" | "tool"; content: string | AiSdkPart[] }[];
  tools?: { type: "function"; name: string; description?: string; inputSchema: Record<string, unknown> }[];
  toolChoice?: { type: "auto" };
  abortSignal?: AbortSignal;
}

/** The part of the AI SDK's language models that this library uses. Their own type fits: no package is needed. */
export interface AiSdkModel {
  readonly provider: string;
  readonly modelId: string;
  /** `never`: each version of the AI SDK has its own type of options. */
  doStream(options: never): PromiseLike<{
    readonly stream: {
      getReader(): {
        read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
        cancel(): Promise<void>;
      };
    };
  }>;
}

/**
 * A language model of the AI SDK, such as `anthropic("claude-sonnet-5")`, as a source of models. It answers for every model that an agent
 * names.
 *
 * @example
 * new CodebuffRun({ providers: [aiSdkModel(openai("gpt-5-mini"))], agent });
 * @throws InvalidInputError for what is no such model; a name alone is none.
 */
export function aiSdkModel(model: AiSdkModel): ModelProvider {
  if (typeof model !== "object" || model === null || typeof model.doStream !== "function") {
    throw new InvalidInputError(
      `the model is ${describe(model)}.`,
      'Pass a language model of the AI SDK, such as openai("gpt-5-mini").',
    );
  }
  async function* stream(
    request: ChatRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<ChatChunk, void> {
    const { stream: parts } = await model.doStream(callOf(request, signal) as never);
    const reader = parts.getReader();
    const reading = new PartReader();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const chunk = reading.read(part.value);
        if (chunk) yield chunk;
      }
    } finally {
      reader.cancel().catch(() => {}); // the stream may have ended already
    }
  }
  return { name: `${model.provider}/${model.modelId}`, supports: () => true, stream };
}

function callOf({ messages, tools = [] }: ChatRequest, abortSignal: AbortSignal): AiSdkCall {
  const names = new Map<string, string>();
  return {
    prompt: messages.map((message) => promptOf(message, names)),
    abortSignal,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ function: { name, description, parameters } }) => ({
            type: "function",
            name,
            description,
            inputSchema: { ...parameters },
          })),
          toolChoice: { type: "auto" },
        }),
  };
}

/** `names`: the tools of the calls so far, by the ids of the calls. */
function promptOf(message: ChatMessage, names: Map<string, string>): AiSdkCall["prompt"][number] {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return {
        role: "user",
        content: message.content.map((part) =>
          part.type === "text" ? textOf(part.text) : fileOf(part.image_url.url),
        ),
      };
    case "assistant": {
      const { content, tool_calls = [] } = message;
      const calls = tool_calls.map(({ id, function: { name, arguments: json } }): AiSdkPart => {
        names.set(id, name);
        return { type: "tool-call", toolCallId: id, toolName: name, input: JSON.parse(json) }; // written by this library
      });
      return { role: "assistant", content: [...(content === "" ? [] : [textOf(content)]), ...calls] };
    }
    case "tool": {
      const { tool_call_id: toolCallId, content: value } = message;
      const toolName = names.get(toolCallId) ?? "unknown";
      return {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }],
      };
    }
    default:
      return message satisfies never;
  }
}

function textOf(text: string): AiSdkPart {
  return { type: "text", text };
}

/** A picture: the bytes of a `data:` URL as base64, or an address. */
function fileOf(url: string): AiSdkPart {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (!inline) return { type: "file", data: new URL(url), mediaType: "image/*" };
  return { type: "file", data: inline[2] ?? "", mediaType: inline[1] ?? "image/png" };
}

/** Reads the parts of one stream. */
class PartReader {
  /** The places of the calls whose input is streamed, by their ids. */
  readonly #places = new Map<string, number>();
  #calls = 0;

  /** The chunk that a part says; `undefined` for a part that says nothing. @throws the error of the model */
  read(part: unknown): ChatChunk | undefined {
    const { type, id, delta, toolName, toolCallId, input, error, finishReason, usage } = isObject(part)
      ? part
      : {};
    switch (type) {
      case "text-delta":
        return chunkOf({ content: stringOf(delta) });
      case "reasoning-delta":
        return chunkOf({ reasoning: stringOf(delta) });
      case "tool-input-start":
        return fragment({ index: this.#place(stringOf(id)), function: { name: stringOf(toolName) } });
      case "tool-input-delta":
        return fragment({ index: this.#place(stringOf(id)), function: { arguments: stringOf(delta) } });
      case "tool-call": {
        if (this.#places.has(stringOf(toolCallId))) return undefined; // its input was streamed
        const called = { name: stringOf(toolName), arguments: stringOf(input) };
        return fragment({ index: this.#place(stringOf(toolCallId)), function: called });
      }
      case "finish":
        return {
          choices: [{ index: 0, delta: {}, finish_reason: wordOf(finishReason) }],
          usage: {
            prompt_tokens: tokensIn(usage, "inputTokens"),
            completion_tokens: tokensIn(usage, "outputTokens"),
          },
        };
      case "error":
        throw error instanceof Error
          ? error
          : new CodebuffRunError({ kind: "upstream_error", message: said(error) });
      default:
        return undefined;
    }
  }

  #place(id: string): number {
    const place = this.#places.get(id) ?? this.#calls++;
    this.#places.set(id, place);
    return place;
  }
}

type Delta = NonNullable<NonNullable<ChatChunk["choices"]>[number]["delta"]>;

function chunkOf(delta: Delta): ChatChunk {
  return { choices: [{ index: 0, delta }] };
}

function fragment(call: ToolCallDelta): ChatChunk {
  return chunkOf({ tool_calls: [call] });
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The reason of the end: a word, or an object with one, by the version of the AI SDK. */
function wordOf(reason: unknown): string {
  if (typeof reason === "string") return reason;
  return isObject(reason) && typeof reason["unified"] === "string" ? reason["unified"] : "stop";
}

/** A count of tokens: a number, or an object with the total, by the version of the AI SDK. */
function tokensIn(usage: unknown, name: "inputTokens" | "outputTokens"): number {
  const count = isObject(usage) ? usage[name] : undefined;
  const total = isObject(count) ? count["total"] : count;
  return typeof total === "number" && Number.isFinite(total) ? total : 0;
}
