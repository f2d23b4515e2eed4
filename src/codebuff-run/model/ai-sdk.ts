// `aiSdkModel`: a language model of the AI SDK as a model provider.
import { toBase64 } from "../../core/bytes.ts";
import { defined, describe, fieldsOf, isObject } from "../../core/checks.ts";
import { InvalidInputError, said } from "../../core/errors.ts";
import { CodebuffRunError } from "../errors.ts";
import type { CacheControl, ChatChunk, ChatRequest, ModelMessage, ToolCallDelta } from "../messages.ts";
import { cacheMarkOf, readsMarks } from "./cache-marks.ts";
import type { ModelProvider } from "./providers.ts";

/** A file in specification V2 and V3 (AI SDK 5 and 6), or V4 (AI SDK 7). */
type AiSdkFile = string | URL | { type: "data"; data: string } | { type: "url"; url: URL };

type AiSdkPart =
  | { type: "text"; text: string }
  | { type: "file"; data: AiSdkFile; mediaType: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown }
  | { type: "tool-result"; toolCallId: string; toolName: string; output: { type: "text"; value: string } };

interface AiSdkCall {
  prompt: {
    role: "system" | "user" | "assistant" | "tool";
    content: string | AiSdkPart[];
    providerOptions?: { anthropic: { cacheControl: CacheControl } };
  }[];
  tools?: { type: "function"; name: string; description?: string; inputSchema: Record<string, unknown> }[];
  toolChoice?: { type: "auto" };
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  stopSequences?: string[];
  responseFormat?: { type: "json"; schema?: Record<string, unknown>; name?: string };
  providerOptions?: Record<string, unknown>;
  abortSignal?: AbortSignal;
}

/** The used part of the AI SDK's language models. Their types fit; no package is needed. */
export interface AiSdkModel {
  /** `v2`, `v3` or `v4`: AI SDK 5, 6 or 7. @default "v2" */
  readonly specificationVersion?: string;
  readonly provider: string;
  readonly modelId: string;
  /** `never`, because the options type differs between AI SDK versions. */
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
 * Makes a model provider from a language model of the AI SDK. It answers for every model name. Calls that the model's
 * provider runs itself are told as `tool_call` and `tool_result`; they pass no gate.
 *
 * @example
 * new CodebuffRun({ providers: [aiSdkModel(openai("gpt-5-mini"))], agent });
 * @throws InvalidInputError for a model's name, or a model of another AI SDK version than 5 to 7
 */
export function aiSdkModel(model: AiSdkModel): ModelProvider {
  if (typeof model !== "object" || model === null || typeof model.doStream !== "function") {
    throw new InvalidInputError(
      `the model is ${describe(model)}.`,
      'Pass a language model of the AI SDK, such as openai("gpt-5-mini").',
    );
  }
  const { specificationVersion: version = "v2" } = model;
  if (!VERSIONS.has(version)) {
    throw new InvalidInputError(
      `the model has the specification \`${version}\`.`,
      `Pass a model with one of ${[...VERSIONS].join(", ")}: those of AI SDK 5, 6 and 7.`,
    );
  }
  const name = `${model.provider}/${model.modelId}`;
  const facts = { version, isMarked: readsMarks(name) };
  async function* stream(
    request: ChatRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<ChatChunk, void> {
    const { stream: parts } = await model.doStream(callOf(request, signal, facts) as never);
    const reader = parts.getReader();
    const reading = new PartReader();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const chunk = reading.read(part.value);
        if (chunk) yield chunk;
      }
      const last = reading.end();
      if (last) yield last;
    } finally {
      reader.cancel().catch(() => {}); // the stream may have ended already
    }
  }
  return { name, readsCacheMarks: true, supports: () => true, stream };
}

const VERSIONS: ReadonlySet<string> = new Set(["v2", "v3", "v4"]);

interface ModelFacts {
  readonly version: string;
  /** Whether the model reads marks for its cache. */
  readonly isMarked: boolean;
}

function callOf(
  request: ChatRequest,
  abortSignal: AbortSignal,
  { version, isMarked }: ModelFacts,
): AiSdkCall {
  const { messages, tools = [] } = request;
  const names = new Map<string, string>();
  return {
    prompt: messages.map((message) => {
      const cacheControl = isMarked ? cacheMarkOf(message) : undefined;
      const mark = cacheControl ? { providerOptions: { anthropic: { cacheControl } } } : {};
      return { ...promptOf(message, names, version), ...mark };
    }),
    abortSignal,
    ...optionsOf(request),
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

/** The options of a request, under the AI SDK's names. */
function optionsOf(request: ChatRequest): Partial<AiSdkCall> {
  const { temperature, top_p: topP, max_tokens: maxOutputTokens, stop, response_format: format } = request;
  const options = Object.entries(request.provider_options ?? {}).filter(([, value]) => isObject(value));
  const json = format?.type === "json_schema" ? { ...format.json_schema } : {};
  return {
    ...defined({ temperature, topP, maxOutputTokens }),
    ...(stop ? { stopSequences: [...stop] } : {}),
    ...(format ? { responseFormat: { type: "json", ...json } } : {}),
    ...(options.length > 0 ? { providerOptions: Object.fromEntries(options) } : {}),
  };
}

/** @param names tool names by call id, filled in from earlier messages */
function promptOf(
  message: ModelMessage,
  names: Map<string, string>,
  version: string,
): AiSdkCall["prompt"][number] {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return {
        role: "user",
        content: message.content.map((part) =>
          part.type === "text" ? textOf(part.text) : fileOf(part.image_url.url, version),
        ),
      };
    case "assistant": {
      const { content, tool_calls = [] } = message;
      const calls = tool_calls.map(({ id, function: { name, arguments: json } }): AiSdkPart => {
        names.set(id, name);
        return { type: "tool-call", toolCallId: id, toolName: name, input: JSON.parse(json) }; // this library wrote the JSON
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

/** An image as base64 or as a URL. @throws CodebuffRunError for anything else */
function fileOf(address: string, version: string): AiSdkPart {
  const isV4 = version === "v4";
  const inline = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/is.exec(address);
  try {
    if (!inline) {
      const url = new URL(address);
      return { type: "file", data: isV4 ? { type: "url", url } : url, mediaType: "image/*" };
    }
    const [, type, parameters = "", content = ""] = inline;
    const decoded = decodeURIComponent(content);
    const data = /;base64$/i.test(parameters) ? decoded : toBase64(bytesOf(decoded));
    return { type: "file", data: isV4 ? { type: "data", data } : data, mediaType: type || "image/png" };
  } catch (error) {
    const message = `a picture of the history cannot be sent: ${said(error)}`;
    throw new CodebuffRunError({ kind: "bad_request", message });
  }
}

function bytesOf(text: string): Uint8Array {
  const binary = encodeURIComponent(text).replace(/%(..)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

const UNKNOWN = "unknown";

class PartReader {
  /** Calls that have started but have no `tool-call` part yet, by id: their number, last index, and whether input came. */
  readonly #streamed = new Map<string, { readonly place: number; count: number; hasInput: boolean }>();
  readonly #provided = new Map<string, string>();
  #calls = 0;
  #isEmpty = true;
  #hasFinished = false;

  /** The chunk for a part; `undefined` for a part without content. @throws the model's error */
  read(part: unknown): ChatChunk | undefined {
    const fields = fieldsOf(part);
    const { type, id, delta, toolName, error } = fields;
    const name = stringOf(toolName);
    switch (type) {
      case "text-delta":
        return this.#said({ content: stringOf(delta) }, delta);
      case "reasoning-delta":
        return this.#said({ reasoning: stringOf(delta) }, delta);
      case "tool-input-start":
        if (fields["providerExecuted"] === true) return undefined; // the complete call follows
        return this.#fragment({ index: this.#begin(stringOf(id)), function: { name } });
      case "tool-input-delta": {
        const streamed = this.#streamed.get(stringOf(id));
        if (!streamed || !delta) return undefined;
        streamed.hasInput = true;
        return this.#fragment({ index: streamed.place, function: { arguments: stringOf(delta) } });
      }
      case "tool-call":
        return this.#call(stringOf(fields["toolCallId"]), name, fields);
      case "tool-result":
        return this.#result(stringOf(fields["toolCallId"]), name, fields);
      case "finish":
        return this.#finish(fields);
      case "error":
        throw error;
      default:
        return undefined;
    }
  }

  /** Returns the final chunk if the model sent no `finish`. @throws CodebuffRunError `no_response` */
  end(): ChatChunk | undefined {
    return this.#hasFinished ? undefined : this.#finish({});
  }

  #said(delta: Delta, text: unknown): ChatChunk {
    if (text) this.#isEmpty = false;
    return { choices: [{ index: 0, delta }] };
  }

  #fragment(call: ToolCallDelta): ChatChunk {
    return this.#said({ tool_calls: [call] }, true);
  }

  /** The index of a new call. Models may repeat an id; each call still gets its own index. */
  #begin(id: string): number {
    const place = this.#calls++;
    this.#streamed.set(id, { place, count: (this.#streamed.get(id)?.count ?? 0) + 1, hasInput: false });
    return place;
  }

  #call(id: string, name: string, { input, providerExecuted }: Readonly<Record<string, unknown>>) {
    const text = stringOf(input);
    if (providerExecuted === true) {
      this.#provided.set(id, name);
      return this.#said({ provider_calls: [{ id, name, arguments: text }] }, true);
    }
    const streamed = this.#streamed.get(id);
    if (!streamed) return this.#fragment({ index: this.#calls++, function: { name, arguments: text } });
    const { place, hasInput } = streamed;
    if (--streamed.count === 0) this.#streamed.delete(id);
    return hasInput ? undefined : this.#fragment({ index: place, function: { arguments: text } });
  }

  #result(
    id: string,
    name: string,
    { result = null, isError, preliminary }: Readonly<Record<string, unknown>>,
  ) {
    if (preliminary === true) return undefined; // a final result follows
    const call = { id, name: this.#provided.get(id) ?? name, result, isError: isError === true };
    return this.#said({ provider_calls: [call] }, true);
  }

  #finish({ finishReason, usage }: Readonly<Record<string, unknown>>): ChatChunk {
    this.#hasFinished = true;
    const finish_reason = wordOf(finishReason);
    if (finish_reason === UNKNOWN && this.#isEmpty) {
      const message = "the model has said nothing and sent no finish reason";
      throw new CodebuffRunError({ kind: "no_response", message });
    }
    return {
      choices: [{ index: 0, delta: {}, finish_reason }],
      usage: {
        prompt_tokens: tokensIn(usage, "inputTokens"),
        completion_tokens: tokensIn(usage, "outputTokens"),
      },
    };
  }
}

type Delta = NonNullable<NonNullable<ChatChunk["choices"]>[number]["delta"]>;

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The finish reason: a string (V2) or an object (V3, V4). `other` without `raw` counts as none. */
function wordOf(reason: unknown): string {
  if (typeof reason === "string") return reason;
  const { unified, raw } = fieldsOf(reason);
  if (typeof unified !== "string" || (unified === "other" && raw === undefined)) return UNKNOWN;
  return unified;
}

/** A token count: a number or an object with `total`, depending on the AI SDK version. */
function tokensIn(usage: unknown, name: "inputTokens" | "outputTokens"): number {
  const count = fieldsOf(usage)[name];
  const total = isObject(count) ? count["total"] : count;
  return typeof total === "number" && Number.isFinite(total) ? total : 0;
}
