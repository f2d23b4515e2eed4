// `openAiCompatible`: any server with OpenAI's API as a model provider.
import { type Checks, checkFields, checks, describe, isObject } from "../../core/checks.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { bytesOf, parsed } from "../../core/http/answer.ts";
import type { FetchLike } from "../../core/http/fetch.ts";
import { Redactor } from "../../core/tell/redact.ts";
import { CodebuffRunError, errorIn } from "../errors.ts";
import { asRunError, Http, type Traffic } from "../http.ts";
import { type ChatChunk, type ChatRequest, type ModelMessage, readChatMessage } from "../messages.ts";
import { checkBaseUrl, lowerCased } from "../options.ts";
import { chunkOfCompletion } from "./answer.ts";
import { inParts, readsMarks, unmarked } from "./cache-marks.ts";
import { DONE, eventsOf, parsedData } from "./event-stream.ts";
import { extraFields } from "./model-options.ts";
import type { ModelProvider } from "./providers.ts";
import { Watch } from "./watch.ts";

export interface OpenAiCompatibleOptions {
  /** Such as `http://127.0.0.1:11434/v1`. The client appends `/chat/completions`. */
  readonly baseUrl: string | URL;
  /** Sent as `Authorization: Bearer`. @default none: local servers need no key */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the agent's model. @default the agent's model */
  readonly model?: string;
  /** The provider's name in messages. @default the host of `baseUrl` */
  readonly name?: string;
  /** @default the platform's */
  readonly fetch?: FetchLike;
  /** ms without a byte; 0: no limit. @default 120_000: reasoning models send little */
  readonly streamTimeout?: number;
  /** Tokens that the model holds: see `contextWindow` of a provider. @default unknown */
  readonly contextWindow?: number;
  /** Allows sending a key over plain `http://` to other machines. @default false */
  readonly allowInsecure?: boolean;
  readonly clock?: Clock;
}

const CHECKS: Checks<OpenAiCompatibleOptions> = {
  baseUrl: checks.any,
  apiKey: checks.text,
  headers: checks.headers,
  model: checks.text,
  name: checks.text,
  fetch: checks.function,
  streamTimeout: checks.delay,
  contextWindow: checks.count,
  allowInsecure: checks.boolean,
  clock: checks.object,
};

/** Joins the text parts of a message: some small servers read no lists. */
function plain(message: ModelMessage): object {
  if (message.role !== "user") return message;
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length < message.content.length ? message : { role: "user", content: texts.join("\n\n") };
}

/** A provider has no client that could show its traffic. */
const UNSEEN: Traffic = { frame: () => {}, message: () => {}, input: (work) => work() };

/**
 * Makes a model provider from any server with OpenAI's API. Needs no Codebuff account. The server gets `model`,
 * `messages`, `tools` and `stream`. The user's words stand in `<user_message>...</user_message>`. A message of texts alone is
 * one string; one with pictures, or with marks for a cache, is a list of parts.
 *
 * @example
 * new CodebuffRun({ providers: [openAiCompatible({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3" })], agent });
 * @throws InvalidInputError for invalid options
 */
export function openAiCompatible(options: OpenAiCompatibleOptions): ModelProvider {
  if (!isObject(options as unknown))
    throw new InvalidInputError(`the options are ${describe(options)}.`, "Pass { baseUrl, apiKey, model }.");
  checkFields(options, CHECKS, "option");
  const { apiKey, headers = {}, fetch, streamTimeout = 120_000, allowInsecure = false } = options;
  const hasSecrets = apiKey !== undefined || Object.keys(headers).length > 0;
  const baseUrl = checkBaseUrl(options.baseUrl, hasSecrets, allowInsecure);
  const { clock = systemClock, name = new URL(baseUrl).host } = options;
  /** OpenAI's newer models refuse `max_tokens`; other servers know nothing else. */
  const maxTokens = new URL(baseUrl).host === "api.openai.com" ? "max_completion_tokens" : "max_tokens";
  const redactor = new Redactor();
  redactor.use("options", apiKey, ...Object.values(headers));
  const http = new Http({
    baseUrl,
    provider: name,
    fetch,
    clock,
    redactor,
    traffic: UNSEEN,
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...lowerCased(headers),
    },
  });

  const chunkOf = (value: unknown): ChatChunk => {
    const read = readChatMessage(value);
    if (read.type === "chunk") return read.chunk;
    throw errorIn(read, (text) => redactor.redact(text));
  };

  async function* stream(
    request: ChatRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<ChatChunk, void> {
    const { provider_options, max_tokens, ...rest } = request;
    const { model: asked = request.model } = options;
    const body = {
      ...extraFields(provider_options, name),
      ...rest,
      ...(max_tokens === undefined ? {} : { [maxTokens]: max_tokens }),
      model: asked,
      messages: request.messages.map(readsMarks(asked) ? inParts : (message) => plain(unmarked(message))),
      stream_options: { include_usage: true },
    };
    const call = { path: "/chat/completions", body };
    const watch = new Watch(clock, streamTimeout, signal);
    try {
      const opened = await watch.wait(http.open(call, watch.signal));
      const { response, reading } = opened;
      if (/^\s*application\/json\b/i.test(response.headers.get("content-type") ?? "")) {
        yield chunkOf(chunkOfCompletion(parsed(await watch.wait(bytesOf(response, reading)))));
        return;
      }
      let isComplete = false;
      for await (const list of eventsOf(opened, watch, () => {})) {
        watch.hold(); // the reader may be slow
        for (const data of list) {
          if (data === DONE) isComplete = true;
          else {
            const chunk = chunkOf(parsedData(data));
            if (chunk.choices?.some(({ finish_reason }) => finish_reason)) isComplete = true;
            yield chunk;
          }
        }
        watch.goOn();
      }
      if (!isComplete)
        throw new CodebuffRunError({ kind: "stream_interrupted", message: "the answer broke off" });
    } catch (error) {
      throw signal.aborted ? signal.reason : asRunError(error);
    } finally {
      watch.end();
    }
  }

  const { contextWindow } = options;
  return {
    name,
    readsCacheMarks: true,
    supports: () => true,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    stream,
    rateLimitResetAt: async (error) => {
      const wait = error instanceof CodebuffRunError ? error.retryAfter : undefined;
      return wait === undefined ? null : new Date(clock.wallTime() + wait);
    },
  };
}
