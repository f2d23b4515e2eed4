// The options of a run client and of one prompt, with checks and defaults.
import { type Check, type Checks, checks, defined, describe, isObject, oneOf } from "../core/checks.ts";
import type { LocalSettings } from "../core/client/local-core.ts";
import { LOCAL_CHECKS, type LocalClientOptions, resolveLocalOptions } from "../core/client/local-options.ts";
import { type SocketClientOptions, TURN_CHECKS } from "../core/client/options.ts";
import { ADDRESSES, assertEngine, RANDOM, TEXT } from "../core/engine.ts";
import { InvalidInputError } from "../core/errors.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../core/gate/options.ts";
import type { FetchLike } from "../core/http/fetch.ts";
import { assertPrivate } from "../core/link/private-address.ts";
import { isPromptFiles, type PromptFiles } from "../core/turn/prompt-files.ts";
import { type AgentDefinition, definitionProblem } from "./agents/agents.ts";
import { checkSources, type ToolSource } from "./calls/tool-sources.ts";
import {
  type CodebuffRunTool,
  type CodebuffRunToolHandler,
  customTools,
  overrides,
  type Tool,
  type ToolParametersByName,
} from "./calls/toolbox.ts";
import type { RunMessage, RunState } from "./messages.ts";
import { MODEL_OPTION_CHECKS, type ModelOptions, modelOptionsIn, shortJson } from "./model/model-options.ts";
import { type ModelProvider, providersCheck } from "./model/providers.ts";
import type { ReadProject } from "./project.ts";

/** Options for all runs of a client. A prompt can override them. */
export interface CodebuffRunDefaults extends ModelOptions {
  /** The agent: an id in `agentDefinitions` or the registry, or a definition. @default by `costMode` */
  readonly agent?: string | AgentDefinition;
  /**
   * Models for the run's own agent, in place of its `model`. If a model fails before its answer begins (a status that no
   * retry cured, an unknown model, no network, an empty answer before the agent has said anything), the next one is asked,
   * and keeps the rest of the run. The warning `model-failed` tells of it; the error is that of the last model. Sub-agents keep
   * their own models. Set no `model` of `openAiCompatible` then. @default the agent's `model`
   */
  readonly models?: readonly string[];
  /** Selects the default agent: `free`, `normal`, `max` or others. Sent to the backend. @default "normal" */
  readonly costMode?: string;
  /** Maximum number of model answers per run, which then stops as `max_steps`. @default 100, as in Codebuff's SDK */
  readonly maxAgentSteps?: number;
  /**
   * Tokens of the history, as the backend counts them; without it, four characters are one token. Above, the oldest turns
   * are compacted; if that is not enough, the run fails.
   * @default 80 % of the provider's `contextWindow`; none if that is unknown
   */
  readonly maxContextTokens?: number;
  /**
   * Further keys of `codebuff_metadata` in the requests to the backend, at most 64 KiB of JSON. The client's own keys
   * win. @default none
   */
  readonly extraCodebuffMetadata?: Readonly<Record<string, unknown>>;
  /**
   * What happens above `maxContextTokens`. First, results of over 2,000 characters in old turns are cut to 1,000.
   * `summary`: the same model, or the next of `models`, then sums up the oldest turns, in a request without tools; if that
   * fails, the run fails. An empty summary, and one longer than the turns, is not used. `truncate`: the oldest turns are left
   * out. The newest turns, up to a quarter of the limit, and the last turn stay; removed turns are in no later state. `false`:
   * the run fails (`context_limit`). @default "summary"
   */
  readonly compact?: "summary" | "truncate" | false;
  /** Parameters for the agent. Added to the prompt as JSON. @default none */
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * Gets the run's state after each answer of the model, before its first tool, and after each result. No tool starts
   * before it resolves; a cancelled turn does not wait for it. If it throws, the run fails (`state_not_saved`). Continue from
   * the state after a crash. What sub-agents do belongs to the call that runs them. @default none
   */
  readonly onState?: OnRunState;
}

/** Saves the state of a run. `signal` is aborted when the turn is cancelled. */
export type OnRunState = (
  state: RunState,
  context: { readonly turnId: string; readonly signal: AbortSignal },
) => void | PromiseLike<void>;

/**
 * Options of {@link CodebuffRun}. Times in ms, sizes in bytes; 0 disables a time limit.
 *
 * Fixed limits: 8 MiB in a line of a stream; 16 MiB of text, 4 MiB of arguments and 1,000 calls in an answer; 100,000
 * characters and 5 MiB of media in a result. The backend is tried three times more, after 1, 2 and 4 s, or when it says,
 * up to a minute.
 */
export interface CodebuffRunOptions<Tools extends ToolParametersByName = ToolParametersByName>
  extends CodebuffRunDefaults,
    ApprovalOptions,
    LocalClientOptions,
    Pick<SocketClientOptions, "allowInsecure"> {
  /**
   * The backend's API key. With `providers`, a key adds the backend: it records runs, counts tokens, and answers for
   * other models.
   * @default CODEBUFF_API_KEY of the environment. With `providers` none: histories go only to named servers
   */
  readonly apiKey?: string;
  /** The backend's URL. Plain `http:` only to this machine, unless `allowInsecure` is set. @default "https://www.codebuff.com" */
  readonly baseUrl?: string | URL;
  /** Headers of each request to the backend. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default the platform's, read for each request */
  readonly fetch?: FetchLike;
  /** Model providers. The client asks them before the backend. @default none */
  readonly providers?: readonly ModelProvider[];
  /**
   * Retries of a provider that answers with status 408, 429 or 5xx (500, 502, 503, 504). Once chunks have arrived,
   * there is no retry. With a backend, 429 switches to the backend for 5 minutes or until `rateLimitResetAt`, unless
   * `costMode` is `free`. After 401 and 403: `refreshAuth()`, one
   * retry, then the backend. @default 3
   */
  readonly maxRetries?: number;
  /**
   * ms that the delays before all retries may take together: random ones up to 1, 2 and 4 s, or those of `Retry-After`.
   * @default 60_000: the user is waiting
   */
  readonly maxRetryWait?: number;
  /**
   * Marks the system prompt, the last message, and the last one of the request before, for the caches of models
   * (`cache_control`): for the backend, and for models with `claude` or `anthropic` in their name, also behind OpenAI's API.
   * The AI SDK gets `providerOptions.anthropic.cacheControl`. Their servers charge less for what they find again.
   * @default true
   */
  readonly promptCaching?: boolean;
  /** Agents that runs and other agents can use by id. @default none: those of the registry, fetched once a run */
  readonly agentDefinitions?: readonly AgentDefinition[];
  /** Your own tools, by name. Every agent may call them. @default none */
  readonly tools?: { readonly [Name in keyof Tools]: CodebuffRunTool<Tools[Name]> };
  /**
   * Handlers of Codebuff's tools, by name: `read_files`, `write_file`, `str_replace`, `apply_patch`, `list_directory`,
   * `glob`, `code_search`, `run_terminal_command`, `web_search` and `read_docs`. Agents need the name in `toolNames`. The
   * backend itself runs the last two, for credits, if there is no handler. @default none
   */
  readonly overrideTools?: Readonly<Record<string, CodebuffRunToolHandler>>;
  /** Sources such as `mcpServers()`. An agent gets all their tools, or those in its `toolNames`. @default none */
  readonly toolSources?: readonly ToolSource[];
  /**
   * Read-only tools of one answer run at the same time, up to 10; results keep the order of the calls. `false`: all tools
   * run one by one. @default true
   */
  readonly parallelTools?: boolean;
  /** ms until the call of a handler fails. @default 0: no limit, because tools may run builds */
  readonly toolTimeout?: number;
  /** ms without a byte until the model is asked again. Keepalives come every 30 s. @default 120_000 */
  readonly streamTimeout?: number;
  /** ms without a part of the answer until the run fails. Keepalives do not count. @default 600_000 */
  readonly silentTimeout?: number;
  /** Reports steps to the backend one by one (`post`), or all at the end (`batch`). @default "post" */
  readonly stepReporting?: "post" | "batch";
  /** The project's files, by path. Used for placeholders in prompts and for the run state. @default none */
  readonly projectFiles?: Readonly<Record<string, string>>;
  /** Texts about the project, by path. @default `knowledge.md`, `AGENTS.md`, `CLAUDE.md` at the root of `projectFiles` */
  readonly knowledgeFiles?: Readonly<Record<string, string>>;
  /**
   * Reads what prompts may say about a project: `nodeTools({ root }).project`. Called at the first prompt of a
   * conversation, whose state then keeps it. `projectFiles` and `knowledgeFiles` come in addition. @default none
   */
  readonly project?: ReadProject;
  /**
   * The folder whose files prompts may name (`{ text, files }`): `nodeTools({ root })`. The text of a file follows the
   * prompt, and stays in the history. @default none: prompts with files are refused
   */
  readonly files?: PromptFiles;
  /** Maximum number of simultaneous runs. Others wait. @default 100: each holds a history and a connection */
  readonly maxRuns?: number;
}

/** Options of one prompt. */
export interface CodebuffRunPromptOptions extends CodebuffRunDefaults {
  /** The state of an earlier run, to continue from. `conversation()` sets its own. */
  readonly previousRun?: RunState;
  /** Results of tools that ran after the earlier run. */
  readonly extraToolResults?: readonly Extract<RunMessage, { readonly role: "tool" }>[];
}

const agent: Check = {
  expects: "an id, or a definition with `id`, `displayName` and `model`",
  holds: (value) => checks.text.holds(value) || isObject(value),
};

const names: Check = {
  expects: "an array of one or more names",
  holds: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((each) => checks.text.holds(each)),
};

const compact: Check = {
  expects: '"summary", "truncate" or false',
  holds: (value) => value === "summary" || value === "truncate" || value === false,
};

const texts: Check = {
  expects: "an object of texts by path",
  holds: (value) => isObject(value) && Object.values(value).every((field) => typeof field === "string"),
};

const DEFAULTS_CHECKS: Checks<CodebuffRunDefaults> = {
  ...MODEL_OPTION_CHECKS,
  agent,
  models: names,
  extraCodebuffMetadata: shortJson,
  costMode: checks.text,
  maxAgentSteps: checks.count,
  maxContextTokens: checks.count,
  compact,
  params: checks.object,
  onState: checks.function,
};

const CHECKS: Checks<CodebuffRunOptions> = {
  ...DEFAULTS_CHECKS,
  ...APPROVAL_CHECKS,
  ...LOCAL_CHECKS,
  apiKey: checks.text,
  baseUrl: {
    expects: "a string or a URL",
    holds: (value) => typeof value === "string" || value instanceof URL,
  },
  headers: checks.headers,
  fetch: checks.function,
  providers: providersCheck,
  maxRetries: checks.tries,
  maxRetryWait: checks.delay,
  promptCaching: checks.boolean,
  agentDefinitions: checks.objects,
  tools: checks.object,
  overrideTools: checks.object,
  toolSources: checks.objects,
  parallelTools: checks.boolean,
  toolTimeout: checks.delay,
  streamTimeout: checks.delay,
  silentTimeout: checks.delay,
  stepReporting: oneOf("post", "batch"),
  projectFiles: texts,
  knowledgeFiles: texts,
  project: checks.function,
  files: isPromptFiles,
  maxRuns: checks.count,
  allowInsecure: checks.boolean,
};

export const RUN_PROMPT_CHECKS = {
  ...TURN_CHECKS,
  ...DEFAULTS_CHECKS,
  previousRun: checks.object,
  extraToolResults: checks.objects,
} satisfies Record<string, Check>;

/** The defaults of a run, filled in. */
export type RunDefaults = CodebuffRunDefaults &
  Required<Pick<CodebuffRunDefaults, "costMode" | "maxAgentSteps" | "compact">>;

type OwnOptions = Omit<
  CodebuffRunOptions,
  keyof (CodebuffRunDefaults & ApprovalOptions & LocalClientOptions) | "apiKey" | "baseUrl" | "allowInsecure"
>;

export interface CodebuffRunSettings
  extends LocalSettings,
    Required<Omit<OwnOptions, "fetch" | "tools" | "overrideTools" | "project" | "files">> {
  readonly project: ReadProject | undefined;
  readonly files: PromptFiles | undefined;
  /** Undefined: no backend. */
  readonly backend: { readonly apiKey: string; readonly baseUrl: string } | undefined;
  readonly fetch: FetchLike | undefined;
  readonly tools: readonly Tool[];
  readonly defaults: RunDefaults;
}

/** @throws InvalidInputError for the first invalid option; UnsupportedError for a missing feature */
export function resolveOptions(options: CodebuffRunOptions): CodebuffRunSettings {
  assertEngine([RANDOM, ADDRESSES, TEXT]);
  const shared = resolveLocalOptions(options, CHECKS);
  const { agent, models, costMode = "normal", maxAgentSteps = 100, maxContextTokens } = options;
  const { compact = "summary", params, onState, extraCodebuffMetadata } = options;
  const { agentDefinitions = [], tools = {}, overrideTools = {}, providers = [] } = options;
  const { toolSources = [] } = options;
  checkSources(toolSources);
  for (const definition of agentDefinitions) checkAgent(definition);
  if (agent !== undefined) checkAgent(agent);
  const isAlone = providers.length > 0; // histories go only to servers that the caller names
  const apiKey = options.apiKey ?? (isAlone ? undefined : environmentOf("CODEBUFF_API_KEY"));
  if (apiKey === undefined && !isAlone) {
    throw new InvalidInputError(
      "there is no API key.",
      "Pass `apiKey`, set CODEBUFF_API_KEY in the environment, or pass `providers` to run without the backend.",
    );
  }
  if (apiKey !== undefined && /[^\x21-\x7e]/.test(apiKey))
    throw new InvalidInputError(
      "`apiKey` holds characters that HTTP headers do not allow.",
      "Copy the key exactly.",
    );
  const { allowInsecure = false, baseUrl = "https://www.codebuff.com" } = options;
  return {
    ...shared,
    backend:
      apiKey === undefined ? undefined : { apiKey, baseUrl: checkBaseUrl(baseUrl, true, allowInsecure) },
    headers: lowerCased(options.headers ?? {}),
    fetch: options.fetch,
    providers,
    agentDefinitions,
    tools: [...customTools(tools), ...overrides(overrideTools)],
    toolSources,
    parallelTools: options.parallelTools ?? true,
    toolTimeout: options.toolTimeout ?? 0,
    streamTimeout: options.streamTimeout ?? 120_000,
    silentTimeout: options.silentTimeout ?? 600_000,
    maxRetries: options.maxRetries ?? 3,
    maxRetryWait: options.maxRetryWait ?? 60_000,
    promptCaching: options.promptCaching ?? true,
    stepReporting: options.stepReporting ?? "post",
    projectFiles: options.projectFiles ?? {},
    knowledgeFiles: options.knowledgeFiles ?? {},
    project: options.project,
    files: options.files,
    maxRuns: options.maxRuns ?? 100,
    defaults: {
      costMode,
      maxAgentSteps,
      compact,
      ...modelOptionsIn(options),
      ...defined({ agent, models, maxContextTokens, params, onState, extraCodebuffMetadata }),
    },
  };
}

/** @throws InvalidInputError for an invalid definition */
export function checkAgent(agent: string | AgentDefinition): void {
  const problem = typeof agent === "string" ? undefined : definitionProblem(agent);
  if (problem !== undefined)
    throw new InvalidInputError(`Invalid agent config: ${problem}.`, "Correct the agent's definition.");
}

/** Normalises a base URL. @throws InvalidInputError, also if a key would travel unencrypted */
export function checkBaseUrl(value: unknown, hasSecrets: boolean, allowInsecure: boolean): string {
  const how = 'Give a string such as "https://host/v1".';
  if (typeof value !== "string" && !(value instanceof URL))
    throw new InvalidInputError(`\`baseUrl\` is ${describe(value)}.`, how);
  let url: URL;
  try {
    url = new URL(String(value));
  } catch {
    throw new InvalidInputError("`baseUrl` cannot be read.", how); // the platform's error quotes the URL
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new InvalidInputError(`\`baseUrl\` begins with ${url.protocol}.`, "Use https://.");
  if (url.username !== "" || url.password !== "")
    throw new InvalidInputError(
      "`baseUrl` holds a user name or a password.",
      "`fetch` refuses that: pass `apiKey`.",
    );
  if (hasSecrets && !allowInsecure) assertPrivate(url);
  return `${url.origin}${/^(.*[^/])?\/*$/.exec(url.pathname)?.[1] ?? ""}`;
}

/** Lower-cases header names. `fetch` would join two spellings of one name. */
export function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export function environmentOf(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, unknown>> };
  };
  const value = process?.env?.[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
