// The options of models, of a client, a prompt or an agent: checks, and their names in OpenAI's API.
import { type Check, type Checks, checks, fieldsOf, isObject, oneOf } from "../../core/checks.ts";
import type { ChatRequest } from "../messages.ts";

/** The form of a model's answers. `json` with a `schema` needs a server that knows JSON Schemas. */
export interface ResponseFormat {
  readonly type: "text" | "json";
  /** JSON Schema of the answer. Only with `json`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The schema's name for the model: letters, digits, `_` and `-`, at most 64. @default "answer" */
  readonly name?: string;
}

/** How a model answers. Each model knows its own limits, and refuses or ignores other values. */
export interface ModelOptions {
  /** Randomness, 0 or more. @default the model's */
  readonly temperature?: number;
  /** Only the likeliest tokens with this share of the probability, up to 1. @default the model's */
  readonly topP?: number;
  /**
   * Maximum number of tokens of one answer, which ends there: `max_tokens`, `max_completion_tokens` at api.openai.com.
   * @default the server's
   */
  readonly maxOutputTokens?: number;
  /** Texts that end an answer. The answer does not contain them. @default none */
  readonly stop?: readonly string[];
  /** `response_format` of OpenAI's API: `json_object`, with a schema `json_schema`. @default text */
  readonly responseFormat?: ResponseFormat;
  /**
   * Passed through, at most 64 KiB of JSON. `openAiCompatible` adds the fields under its `name`, or under
   * `openaiCompatible`, to the request. `aiSdkModel` passes the objects in it, by the AI SDK's names of providers. The
   * backend gets all but `openaiCompatible` as `provider`. @default none
   */
  readonly providerOptions?: object;
}

/** Characters of an object as JSON that goes to a server with each request. Real ones are far smaller. */
const MAX_PASSED = 65_536;

export const shortJson: Check = {
  expects: `an object that is at most ${MAX_PASSED} characters of JSON`,
  holds: (value) => isObject(value) && isShortJson(value),
};

function isNumberWithin(value: unknown, from: number, to: number): boolean {
  return typeof value === "number" && value >= from && value <= to;
}

export const MODEL_OPTION_CHECKS = {
  temperature: {
    expects: "a number, 0 or more",
    holds: (value) => isNumberWithin(value, 0, Number.MAX_VALUE),
  },
  topP: { expects: "a number from 0 to 1", holds: (value) => isNumberWithin(value, 0, 1) },
  maxOutputTokens: {
    expects: "a whole number, 1 or more",
    holds: (value) => Number.isSafeInteger(value) && isNumberWithin(value, 1, Number.MAX_SAFE_INTEGER),
  },
  stop: {
    expects: "an array of one or more texts",
    holds: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((each) => typeof each === "string" && each !== ""),
  },
  responseFormat: {
    expects: "{ type, schema?, name? }, where only `json` has a schema",
    holds: (value) =>
      isObject(value) && value["type"] !== undefined && (value["type"] === "json" || value["schema"] == null),
    fields: {
      type: oneOf("text", "json"),
      schema: checks.object,
      name: {
        expects: "1 to 64 letters, digits, `_` or `-`",
        holds: (value) => typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value),
      },
    } satisfies Checks<ResponseFormat>,
  },
  providerOptions: shortJson,
} satisfies Readonly<Record<keyof ModelOptions, Check>>;

function isShortJson(value: object): boolean {
  try {
    return JSON.stringify(value).length <= MAX_PASSED;
  } catch {
    return false; // a cycle or a big integer
  }
}

/** The options of models among others. Skips `null`, which registries send for missing fields. */
export function modelOptionsIn(options: ModelOptions | undefined): ModelOptions {
  const all: Readonly<Record<string, unknown>> = { ...options };
  return Object.fromEntries(
    Object.keys(MODEL_OPTION_CHECKS).flatMap((name) => (all[name] == null ? [] : [[name, all[name]]])),
  );
}

/** An option of the run wins over the agent's. Of `providerOptions` each key wins by itself. */
export function mergedOptions(agent: ModelOptions, run: ModelOptions): ModelOptions {
  const both = { ...modelOptionsIn(agent), ...modelOptionsIn(run) };
  const { providerOptions } = both;
  return providerOptions
    ? { ...both, providerOptions: { ...agent.providerOptions, ...run.providerOptions } }
    : both;
}

/** The fields of a chat request. `provider` is for the backend, `provider_options` for providers. */
export function requestFields(options: ModelOptions): Partial<ChatRequest> {
  const { temperature, topP, maxOutputTokens, stop, responseFormat, providerOptions } = options;
  const { openaiCompatible: _, ...routing } = { ...providerOptions } as Readonly<Record<string, unknown>>;
  const isRouted = Object.keys(routing).length > 0;
  return {
    provider: isRouted ? routing : { allow_fallbacks: true },
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(stop === undefined ? {} : { stop }),
    ...(responseFormat?.type === "json" ? { response_format: formatOf(responseFormat) } : {}),
    ...(providerOptions ? { provider_options: { ...providerOptions } } : {}),
  };
}

function formatOf({ schema, name = "answer" }: ResponseFormat): NonNullable<ChatRequest["response_format"]> {
  return schema ? { type: "json_schema", json_schema: { name, schema } } : { type: "json_object" };
}

/** The fields that a caller adds to the requests of one server with OpenAI's API. */
export function extraFields(options: ChatRequest["provider_options"], name: string): object {
  const { openaiCompatible } = options ?? {};
  return { ...fieldsOf(openaiCompatible), ...fieldsOf(options?.[name]) };
}
