// The options of a run client and of one prompt, with their checks and defaults.
import { type Check, type Checks, checks, defined, describe, isObject, oneOf } from "../core/checks.ts";
import type { LocalSettings } from "../core/client/local-core.ts";
import { LOCAL_CHECKS, type LocalClientOptions, resolveLocalOptions } from "../core/client/local-options.ts";
import { type SocketClientOptions, TURN_CHECKS } from "../core/client/options.ts";
import { ADDRESSES, assertEngine, RANDOM, TEXT } from "../core/engine.ts";
import { InvalidInputError } from "../core/errors.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../core/gate/rules.ts";
import type { FetchLike } from "../core/http/fetch.ts";
import { assertPrivate } from "../core/link/private-address.ts";
import { type AgentDefinition, problemOf } from "./agents/agents.ts";
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
import { type ModelProvider, providersCheck } from "./model/providers.ts";

/** Options of a run that the client sets for all runs, and a prompt for itself. */
export interface CodebuffRunDefaults {
  /** The agent: an id of `agentDefinitions` or of the registry, or a definition. @default the agent of `costMode` */
  readonly agent?: string | AgentDefinition;
  /** Chooses the agent where none is named: `free`, `normal`, `max` and others. Sent with each request. @default "normal" */
  readonly costMode?: string;
  /** Answers of the model in one run. Raise the limit for long tasks. @default 100, as in Codebuff's own SDK */
  readonly maxAgentSteps?: number;
  /** Tokens of the history at which a run fails instead of asking the model. @default none: the count is only told */
  readonly maxContextTokens?: number;
  /** Parameters of the agent, which follow the prompt as JSON. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Options of {@link CodebuffRun}. Times are in ms, sizes in bytes; 0 turns a time limit off. `Tools` is found by itself. */
export interface CodebuffRunOptions<Tools extends ToolParametersByName = ToolParametersByName>
  extends CodebuffRunDefaults,
    ApprovalOptions,
    LocalClientOptions,
    Pick<SocketClientOptions, "allowInsecure"> {
  /**
   * The key of the backend. Beside `providers`, pass it to use the backend as well: it records runs, counts histories, and answers for
   * models that no provider supports. @default CODEBUFF_API_KEY of the environment; with `providers` none, so that no history goes to a
   * server that was not named
   */
  readonly apiKey?: string;
  /** The backend. @default "https://www.codebuff.com" */
  readonly baseUrl?: string | URL;
  /** Sent with each request to the backend. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default the platform's, read at each call */
  readonly fetch?: FetchLike;
  /** Sources of models that are asked before the backend. @default none */
  readonly providers?: readonly ModelProvider[];
  /**
   * Further tries of a provider that answers with 408, 429, 500, 502, 503 or 504, before the first part of its answer. With a backend, a rate limit
   * makes the backend answer instead. @default 3
   */
  readonly maxRetries?: number;
  /** ms that all waits before these tries may take together. @default 60_000: somebody waits for the answer */
  readonly maxRetryWait?: number;
  /** Agents that runs and other agents can name. */
  readonly agentDefinitions?: readonly AgentDefinition[];
  /** Tools of your own, by name. Each agent may call them. */
  readonly tools?: { readonly [Name in keyof Tools]: CodebuffRunTool<Tools[Name]> };
  /** Handlers of Codebuff's own tools, such as `read_files`, by name. An agent may call the ones that its `toolNames` lists. */
  readonly overrideTools?: Readonly<Record<string, CodebuffRunToolHandler>>;
  /**
   * Sources of tools that take time to start: `mcpServers()` makes some. An agent may call all tools of a source. An agent whose `toolNames` names
   * tools of the source may call these alone. The client closes its sources.
   */
  readonly toolSources?: readonly ToolSource[];
  /** ms until a tool of yours has failed. @default 0: no limit, since tools may run builds */
  readonly toolTimeout?: number;
  /**
   * ms without a byte of the model's answer until it counts as broken off; it is asked again. The server sends a sign of life every 30 s.
   * @default 120_000
   */
  readonly streamTimeout?: number;
  /**
   * ms without a part of the model's answer until the run fails: signs of life do not count. @default 600_000: a model that thinks for longer
   * may be lost behind a proxy that goes on sending them
   */
  readonly silentTimeout?: number;
  /** Whether steps are reported to the backend one by one, or all at the end. @default "post" */
  readonly stepReporting?: "post" | "batch";
  /** The project's files, by path: for the placeholders in prompts of agents, and for the state of a run. */
  readonly projectFiles?: Readonly<Record<string, string>>;
  /** Texts for agents about the project, by path. @default `knowledge.md`, `AGENTS.md` and `CLAUDE.md` at the root of `projectFiles` */
  readonly knowledgeFiles?: Readonly<Record<string, string>>;
  /** Runs at once; others wait. @default 100: each holds a history and a connection */
  readonly maxRuns?: number;
}

/** Options of one prompt. */
export interface CodebuffRunPromptOptions extends CodebuffRunDefaults {
  /** The state of an earlier run to go on from. `conversation()` passes its own. */
  readonly previousRun?: RunState;
  /** Results of tools that ran since the earlier run. */
  readonly extraToolResults?: readonly Extract<RunMessage, { readonly role: "tool" }>[];
}

const agent: Check = {
  expects: "an id, or a definition with `id`, `displayName` and `model`",
  holds: (value) => checks.text.holds(value) || isObject(value),
};

const texts: Check = {
  expects: "an object of texts by path",
  holds: (value) => isObject(value) && Object.values(value).every((field) => typeof field === "string"),
};

const DEFAULTS_CHECKS: Checks<CodebuffRunDefaults> = {
  agent,
  costMode: checks.text,
  maxAgentSteps: checks.count,
  maxContextTokens: checks.count,
  params: checks.object,
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
  agentDefinitions: checks.objects,
  tools: checks.object,
  overrideTools: checks.object,
  toolSources: checks.objects,
  toolTimeout: checks.delay,
  streamTimeout: checks.delay,
  silentTimeout: checks.delay,
  stepReporting: oneOf("post", "batch"),
  projectFiles: texts,
  knowledgeFiles: texts,
  maxRuns: checks.count,
  allowInsecure: checks.boolean,
};

export const PROMPT_CHECKS = {
  ...TURN_CHECKS,
  ...DEFAULTS_CHECKS,
  previousRun: checks.object,
  extraToolResults: checks.objects,
} satisfies Record<string, Check>;

/** The options of a client, checked and with every default. */
export interface CodebuffRunSettings extends LocalSettings {
  /** Undefined: there is no backend. */
  readonly backend: { readonly apiKey: string; readonly baseUrl: string } | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike | undefined;
  readonly providers: readonly ModelProvider[];
  readonly agentDefinitions: readonly AgentDefinition[];
  /** The caller's tools and overrides. */
  readonly tools: readonly Tool[];
  readonly toolSources: readonly ToolSource[];
  readonly toolTimeout: number;
  readonly streamTimeout: number;
  readonly silentTimeout: number;
  readonly maxRetries: number;
  readonly maxRetryWait: number;
  readonly stepReporting: "post" | "batch";
  readonly projectFiles: Readonly<Record<string, string>>;
  readonly knowledgeFiles: Readonly<Record<string, string>>;
  readonly maxRuns: number;
  readonly defaults: CodebuffRunDefaults & Required<Pick<CodebuffRunDefaults, "costMode" | "maxAgentSteps">>;
}

/** @throws InvalidInputError for the first option that does not exist or is wrong; UnsupportedError where the engine lacks something. */
export function resolveOptions(options: CodebuffRunOptions): CodebuffRunSettings {
  assertEngine([RANDOM, ADDRESSES, TEXT]);
  const shared = resolveLocalOptions(options, CHECKS);
  const { agent, costMode = "normal", maxAgentSteps = 100, maxContextTokens, params } = options;
  const { agentDefinitions = [], tools = {}, overrideTools = {}, providers = [] } = options;
  const { toolSources = [] } = options;
  checkSources(toolSources);
  for (const definition of agentDefinitions) checkAgent(definition);
  if (agent !== undefined) checkAgent(agent);
  const isAlone = providers.length > 0; // histories go to no server that the caller has not named
  const apiKey = options.apiKey ?? (isAlone ? undefined : environmentOf("CODEBUFF_API_KEY"));
  if (apiKey === undefined && !isAlone) {
    throw new InvalidInputError(
      "there is no API key.",
      "Pass `apiKey`, set CODEBUFF_API_KEY in the environment, or pass `providers` to run without the backend.",
    );
  }
  if (apiKey !== undefined && /[^\x21-\x7e]/.test(apiKey))
    throw new InvalidInputError(
      "`apiKey` holds characters that no header takes.",
      "Pass it as it was given out.",
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
    toolTimeout: options.toolTimeout ?? 0,
    streamTimeout: options.streamTimeout ?? 120_000,
    silentTimeout: options.silentTimeout ?? 600_000,
    maxRetries: options.maxRetries ?? 3,
    maxRetryWait: options.maxRetryWait ?? 60_000,
    stepReporting: options.stepReporting ?? "post",
    projectFiles: options.projectFiles ?? {},
    knowledgeFiles: options.knowledgeFiles ?? {},
    maxRuns: options.maxRuns ?? 100,
    defaults: { costMode, maxAgentSteps, ...defined({ agent, maxContextTokens, params }) },
  };
}

/** @throws InvalidInputError for a wrong definition. */
export function checkAgent(agent: string | AgentDefinition): void {
  const problem = typeof agent === "string" ? undefined : problemOf(agent);
  if (problem !== undefined)
    throw new InvalidInputError(`Invalid agent config: ${problem}.`, "Correct the agent's definition.");
}

/**
 * The address without a slash at its end.
 * @throws InvalidInputError for an address that cannot work, and for a key that would travel unencrypted.
 */
export function checkBaseUrl(value: unknown, hasSecrets: boolean, allowInsecure: boolean): string {
  const how = 'Give a string such as "https://host/v1".';
  if (typeof value !== "string" && !(value instanceof URL))
    throw new InvalidInputError(`\`baseUrl\` is ${describe(value)}.`, how);
  let url: URL;
  try {
    url = new URL(String(value));
  } catch {
    throw new InvalidInputError("`baseUrl` cannot be read.", how); // the platform's error quotes the address
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

/** Headers by names in lower case: `fetch` would send two spellings of one name as one header with both values. */
export function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A variable of the process's environment, on platforms that have one. */
export function environmentOf(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, unknown>> };
  };
  const value = process?.env?.[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
