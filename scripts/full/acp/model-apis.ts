import type { ServerResponse } from "node:http";
import type { Call, Tool } from "./model-tools.ts";

/** The APIs of models that the agents speak. */
export type Api = "chat" | "responses" | "anthropic" | "gemini";

interface Message {
  readonly role: "user" | "assistant" | "tool" | "other";
  readonly text: string;
}

/** A request of an agent, without the differences of the APIs. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly isStream: boolean;
  readonly model: string;
}

/** An answer under way. */
interface AnswerStream {
  /** Sends the head, so that the agent waits for tokens and not for an answer. */
  begin(): void;
  text(text: string): void;
  call(call: Call): void;
  end(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of four APIs, of which a few fields are read
type Body = any;

const SIDE_ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "tool"]);

export function readRequest(api: Api, path: string, body: Body): ModelRequest {
  const { model = "scripted", stream } = body;
  switch (api) {
    case "chat":
      return {
        model,
        isStream: stream === true,
        messages: list(body.messages).map(({ role, content }) => ({
          role: roleOf(role),
          text: textOf(content),
        })),
        tools: list(body.tools).map((tool) => ({
          name: tool.function?.name,
          schema: tool.function?.parameters ?? {},
        })),
      };
    case "responses":
      return {
        model,
        isStream: stream !== false,
        messages: list(body.input).map((item) => {
          if (/_call_output$/.test(item.type ?? "")) return { role: "tool", text: "" };
          if (item.role) return { role: roleOf(item.role), text: textOf(item.content) };
          return { role: "assistant", text: "" };
        }),
        tools: list(body.tools).map((tool) => ({
          name: tool.name ?? tool.type,
          schema: tool.parameters ?? {},
          isFree: tool.type === "custom",
        })),
      };
    case "anthropic":
      return {
        model,
        isStream: stream === true,
        messages: list(body.messages).map(({ role, content }) => {
          const text = textOf(content);
          const isResult = list(content).some(({ type }) => type === "tool_result");
          return { role: isResult && !text.includes("[[") ? "tool" : roleOf(role), text };
        }),
        tools: list(body.tools).map(({ name, input_schema: schema = {} }) => ({ name, schema })),
      };
    case "gemini":
      return {
        model,
        isStream: path.endsWith(":streamGenerateContent"),
        messages: list(body.contents).map(({ role, parts }) => ({
          role: list(parts).some((part) => part.functionResponse)
            ? "tool"
            : role === "model"
              ? "assistant"
              : "user",
          text: textOf(parts),
        })),
        tools: list(body.tools)
          .flatMap((tool) => list(tool.functionDeclarations))
          .map(({ name, parametersJsonSchema, parameters }) => ({
            name,
            schema: parametersJsonSchema ?? parameters ?? {},
          })),
      };
  }
}

function list(value: Body): readonly Body[] {
  return Array.isArray(value) ? value : [];
}

function roleOf(role: unknown): Message["role"] {
  return SIDE_ROLES.has(role) ? (role as Message["role"]) : "other";
}

function textOf(content: Body): string {
  if (typeof content === "string") return content;
  return list(content)
    .map(({ text }) => text)
    .filter((text) => typeof text === "string")
    .join("\n");
}

let ids = 0;

export function streamOf(
  api: Api,
  response: ServerResponse,
  { model, isStream }: ModelRequest,
): AnswerStream {
  const id = ++ids;
  if (!isStream) return new WholeAnswer(api, response, model, id);
  switch (api) {
    case "chat":
      return new ChatStream(response, model, id);
    case "responses":
      return new ResponsesStream(response, model, id);
    case "anthropic":
      return new AnthropicStream(response, model, id);
    case "gemini":
      return new GeminiStream(response, model, id);
  }
}

/** Only asides come without a stream, and they call no tools. */
class WholeAnswer implements AnswerStream {
  readonly #api: Api;
  readonly #response: ServerResponse;
  readonly #model: string;
  readonly #id: number;
  #text = "";

  constructor(api: Api, response: ServerResponse, model: string, id: number) {
    this.#api = api;
    this.#response = response;
    this.#model = model;
    this.#id = id;
  }

  begin(): void {}

  text(text: string): void {
    this.#text += text;
  }

  call(): void {
    throw new Error("a call in an answer without a stream");
  }

  end(): void {
    this.#response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(this.#body()));
  }

  #body(): object {
    const text = this.#text;
    const model = this.#model;
    const id = `whole-${this.#id}`;
    switch (this.#api) {
      case "chat": {
        const message = { role: "assistant", content: text };
        const choices = [{ index: 0, message, finish_reason: "stop" }];
        return { id, object: "chat.completion", created: 1, model, choices, usage: CHAT_USAGE };
      }
      case "anthropic":
        return { ...anthropicMessage(id, model), content: [{ type: "text", text }], stop_reason: "end_turn" };
      case "gemini": {
        // Gemini's asides want JSON: who speaks next, which model.
        const said = JSON.stringify({ reasoning: text, next_speaker: "user", model_choice: "flash" });
        return { candidates: [geminiCandidate([{ text: said }], "STOP")], usageMetadata: GEMINI_USAGE };
      }
      case "responses":
        return { id, object: "response", status: "completed", model, output: [], usage: RESPONSES_USAGE };
    }
  }
}

abstract class EventStream implements AnswerStream {
  protected readonly response: ServerResponse;
  protected readonly model: string;
  protected readonly id: number;

  constructor(response: ServerResponse, model: string, id: number) {
    this.response = response;
    this.model = model;
    this.id = id;
  }

  begin(): void {
    if (this.response.headersSent) return;
    this.response.writeHead(200, { "content-type": "text/event-stream" });
    this.response.flushHeaders();
    this.opened();
  }

  protected event(data: object | string, name?: string): void {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    this.response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
  }

  protected abstract opened(): void;
  abstract text(text: string): void;
  abstract call(call: Call): void;
  abstract end(): void;
}

const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

class ChatStream extends EventStream {
  #calls = 0;

  protected opened(): void {
    this.#chunk({ role: "assistant", content: "" });
  }

  text(text: string): void {
    this.begin();
    this.#chunk({ content: text });
  }

  call({ name, input }: Call): void {
    this.begin();
    const index = this.#calls++;
    const call = { name, arguments: JSON.stringify(input) };
    this.#chunk({
      tool_calls: [{ index, id: `call_${this.id}_${index}`, type: "function", function: call }],
    });
  }

  end(): void {
    this.begin();
    this.#chunk({}, this.#calls > 0 ? "tool_calls" : "stop");
    this.event({ ...this.#head(), choices: [], usage: CHAT_USAGE });
    this.event("[DONE]");
    this.response.end();
  }

  #head() {
    return { id: `chat-${this.id}`, object: "chat.completion.chunk", created: 1, model: this.model };
  }

  #chunk(delta: object, reason: string | null = null): void {
    this.event({ ...this.#head(), choices: [{ index: 0, delta, finish_reason: reason }] });
  }
}

const RESPONSES_USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 110,
};

class ResponsesStream extends EventStream {
  readonly #items: object[] = [];
  #message: { readonly id: string; text: string } | undefined;
  #sequence = 0;

  protected opened(): void {
    this.#say("response.created", { response: this.#response("in_progress") });
  }

  text(text: string): void {
    this.begin();
    if (!this.#message) {
      this.#message = { id: `message_${this.id}_${this.#items.length}`, text: "" };
      const item = { ...this.#messageItem(), content: [], status: "in_progress" };
      this.#say("response.output_item.added", { output_index: this.#items.length, item });
    }
    const { id: item_id } = this.#message;
    this.#message.text += text;
    this.#say("response.output_text.delta", {
      item_id,
      output_index: this.#items.length,
      content_index: 0,
      delta: text,
    });
  }

  call({ name, input }: Call): void {
    this.begin();
    this.#endMessage();
    const id = `${this.id}_${this.#items.length}`;
    const shared = { id: `item_${id}`, call_id: `call_${id}`, name, status: "completed" };
    this.#done(
      typeof input === "string"
        ? { type: "custom_tool_call", input, ...shared }
        : { type: "function_call", arguments: JSON.stringify(input), ...shared },
      true,
    );
  }

  end(): void {
    this.begin();
    this.#endMessage();
    this.#say("response.completed", { response: this.#response("completed") });
    this.response.end();
  }

  #endMessage(): void {
    if (this.#message) this.#done(this.#messageItem(), false);
    this.#message = undefined;
  }

  #messageItem(): object {
    const { id, text = "" } = this.#message ?? {};
    const content = [{ type: "output_text", text, annotations: [] }];
    return { id, type: "message", role: "assistant", status: "completed", content };
  }

  #done(item: object, isNew: boolean): void {
    const place = { output_index: this.#items.length, item };
    if (isNew) this.#say("response.output_item.added", place);
    this.#say("response.output_item.done", place);
    this.#items.push(item);
  }

  #response(status: string): object {
    const { id, model } = this;
    const usage = status === "completed" ? RESPONSES_USAGE : null;
    return {
      id: `response_${id}`,
      object: "response",
      created_at: 1,
      status,
      model,
      output: this.#items,
      usage,
    };
  }

  #say(type: string, data: object): void {
    this.event({ type, sequence_number: this.#sequence++, ...data }, type);
  }
}

function anthropicMessage(id: string, model: string) {
  const usage = { input_tokens: 100, output_tokens: 10 };
  const stop = { stop_reason: null, stop_sequence: null };
  return { id, type: "message", role: "assistant", model, content: [], ...stop, usage };
}

class AnthropicStream extends EventStream {
  #index = -1;
  #isText = false;
  #isCall = false;

  protected opened(): void {
    this.#say("message_start", { message: anthropicMessage(`message_${this.id}`, this.model) });
  }

  text(text: string): void {
    this.begin();
    if (!this.#isText) this.#block({ type: "text", text: "" });
    this.#isText = true;
    this.#delta({ type: "text_delta", text });
  }

  call({ name, input }: Call): void {
    this.begin();
    this.#block({ type: "tool_use", id: `toolu_${this.id}_${this.#index + 1}`, name, input: {} });
    this.#isText = false;
    this.#isCall = true;
    this.#delta({ type: "input_json_delta", partial_json: JSON.stringify(input) });
  }

  end(): void {
    this.begin();
    this.#endBlock();
    const stop_reason = this.#isCall ? "tool_use" : "end_turn";
    this.#say("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } });
    this.#say("message_stop", {});
    this.response.end();
  }

  #block(content_block: object): void {
    this.#endBlock();
    this.#say("content_block_start", { index: ++this.#index, content_block });
  }

  #endBlock(): void {
    if (this.#index >= 0) this.#say("content_block_stop", { index: this.#index });
  }

  #delta(delta: object): void {
    this.#say("content_block_delta", { index: this.#index, delta });
  }

  #say(type: string, data: object): void {
    this.event({ type, ...data }, type);
  }
}

const GEMINI_USAGE = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };

function geminiCandidate(parts: readonly object[], finishReason?: string): object {
  return { content: { role: "model", parts }, index: 0, ...(finishReason ? { finishReason } : {}) };
}

class GeminiStream extends EventStream {
  protected opened(): void {}

  text(text: string): void {
    this.#say([{ text }]);
  }

  call({ name, input }: Call): void {
    this.#say([{ functionCall: { name, args: input } }]);
  }

  end(): void {
    this.#say([{ text: "" }], "STOP");
    this.response.end();
  }

  #say(parts: readonly object[], finishReason?: string): void {
    this.begin();
    const candidates = [geminiCandidate(parts, finishReason)];
    const { model: modelVersion, id } = this;
    this.event({ candidates, usageMetadata: GEMINI_USAGE, modelVersion, responseId: `gemini_${id}` });
  }
}
