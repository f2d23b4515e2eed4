// Checks agent definitions, and finds agents by id: the caller's own, then the registry's.
import {
  type Check,
  type Checks,
  checks,
  checkValues,
  fieldsOf,
  isObject,
  oneOf,
} from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { isForeign, markForeign } from "../calls/schema-limits.ts";
import { schemaOf, type ToolSchema } from "../calls/tool-schema.ts";
import { CodebuffRunError } from "../errors.ts";
import { MODEL_OPTION_CHECKS, type ModelOptions } from "../model/model-options.ts";
import type { AgentProgram } from "./program.ts";

/** An agent: its model, prompts and tools. */
export interface AgentDefinition extends ModelOptions {
  /** Lower-case letters, digits and dashes. */
  readonly id: string;
  readonly displayName: string;
  /** Such as `openai/gpt-5-mini`. */
  readonly model: string;
  /** As `version`, of the registry. */
  readonly publisher?: string;
  readonly version?: string;
  /**
   * Names of built-in tools and of `overrideTools`; a name without a handler is left out. The client's `tools` are always
   * offered. `write_todos`, `{ todos: [{ task, completed }] }`, makes the plan that UIs show.
   */
  readonly toolNames?: readonly string[];
  /**
   * Comes first. All three prompts may hold placeholders; a value without facts is empty, and what a value holds is never
   * replaced:
   *
   * - `{CODEBUFF_AGENT_NAME}`: `displayName`
   * - `{CODEBUFF_USER_INPUT_PROMPT}`, `{CODEBUFF_INITIAL_AGENT_PROMPT}`: the last prompt; the one that started the agent. As
   *   JSON writes them, without quotes
   * - `{CODEBUFF_REMAINING_STEPS}`: answers that are left. In the system prompt and the instructions: at the start
   * - `{CODEBUFF_FILE_TREE_PROMPT_SMALL}`, `{CODEBUFF_FILE_TREE_PROMPT}`, `{CODEBUFF_FILE_TREE_PROMPT_LARGE}`: the paths of
   *   `project` or `projectFiles`, in some 2,500, 10,000 or 190,000 tokens; the deepest are left out first
   * - `{CODEBUFF_KNOWLEDGE_FILES_CONTENTS}`: `knowledgeFiles`, and those at the root of `project` or `projectFiles`
   * - `{CODEBUFF_PROJECT_ROOT}`, `{CODEBUFF_USER_CWD}`, `{CODEBUFF_SYSTEM_INFO_PROMPT}`, `{CODEBUFF_GIT_CHANGES_PROMPT}`: what
   *   `project` has read, or the state of an earlier run knows (`sessionState.fileContext`)
   */
  readonly systemPrompt?: string;
  /** Added after each prompt. */
  readonly instructionsPrompt?: string;
  /** Added after the history in each request, marked as a reminder. Not stored in the history. */
  readonly stepPrompt?: string;
  /** `structured_output` (default with `outputSchema`): the input of `set_output`. @default "last_message" */
  readonly outputMode?: "last_message" | "all_messages" | "structured_output";
  /** JSON Schema of the output, added to the instructions. A missing output is requested once more. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** JSON Schemas of `prompt` and `params`, for a sub-agent. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** Tells other agents when and how to spawn this agent. */
  readonly spawnerPrompt?: string;
  /**
   * Ids of agents that this agent may run, by their names or through `spawn_agents`; five levels deep, 50 in one call. One
   * that fails is a result that says so.
   */
  readonly spawnableAgents?: readonly string[];
  /** Sent to the model as it is. */
  readonly reasoningOptions?: object;
  /** The agent's steps as code. Code from a server is never run. */
  readonly handleSteps?: AgentProgram;
}

export interface ResolvedAgent {
  readonly definition: AgentDefinition;
  /** The agent's name in the backend's records: its id, or `publisher/id@version`. */
  readonly recordId: string;
}

/** The registry sends `null` for missing fields. */
const orNull = (check: Check): Check => ({
  ...check,
  holds: (value) => value === null || check.holds(value),
});

const text = orNull(checks.string);
const object = orNull(checks.object);
const names = orNull({
  expects: "an array of strings",
  holds: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
});

const REQUIRED = {
  id: {
    expects: "lower-case letters, digits and dashes",
    holds: (value) => typeof value === "string" && /^[a-z0-9-]+$/.test(value),
  },
  displayName: checks.text,
  model: checks.text,
} satisfies Readonly<Record<string, Check>>;

const CHECKS: Checks<AgentDefinition> = {
  ...REQUIRED,
  publisher: text,
  version: text,
  toolNames: names,
  systemPrompt: text,
  instructionsPrompt: text,
  stepPrompt: text,
  outputMode: orNull(oneOf("last_message", "all_messages", "structured_output")),
  outputSchema: object,
  inputSchema: object,
  spawnerPrompt: text,
  spawnableAgents: names,
  reasoningOptions: object,
  temperature: orNull(MODEL_OPTION_CHECKS.temperature),
  topP: orNull(MODEL_OPTION_CHECKS.topP),
  maxOutputTokens: orNull(MODEL_OPTION_CHECKS.maxOutputTokens),
  stop: orNull(MODEL_OPTION_CHECKS.stop),
  responseFormat: orNull(MODEL_OPTION_CHECKS.responseFormat),
  providerOptions: orNull(MODEL_OPTION_CHECKS.providerOptions),
  handleSteps: orNull({ ...checks.function, expects: "a function; code in a string is never run" }),
};

/** The problem of a definition; `undefined` if it is valid. Unknown fields are allowed. */
export function definitionProblem(definition: object): string | undefined {
  const given: Readonly<Record<string, unknown>> = { ...definition };
  const missing = Object.keys(REQUIRED).find((name) => given[name] === undefined);
  if (missing !== undefined) return `\`${missing}\` is missing`;
  const { outputSchema, inputSchema } = given;
  try {
    checkValues(given, CHECKS, "field");
    // Checked early: an invalid schema would otherwise fail in the middle of a run.
    if (outputSchema != null) schemaOf(outputSchema, "set_output");
    if (isObject(inputSchema)) inputSchemaOf(inputSchema, "the agent");
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message.replace(/\.$/, "");
    throw error;
  }
}

/** The parameters of the tool that spawns an agent. @throws InvalidInputError for invalid schemas */
export function inputSchemaOf(schemas: Readonly<Record<string, unknown>>, tool: string): ToolSchema {
  const { prompt = { type: "string" }, params } = schemas;
  const properties = { prompt, ...(params == null ? {} : { params }) };
  const required = Object.keys(properties).filter((name) => schemas[name] != null); // only schemas that the agent sets
  const schema = { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
  if (Object.values(properties).some(isForeign)) markForeign(schema);
  return schemaOf(schema, tool);
}

/** The problem of a definition from a file or a server. Regular expressions in its schemas are never run. */
export function problemOfForeign(definition: Readonly<Record<string, unknown>>): string | undefined {
  const { outputSchema, inputSchema } = definition;
  for (const schema of [outputSchema, ...Object.values(fieldsOf(inputSchema))]) markForeign(schema);
  return definitionProblem(definition);
}

export function agentOfMode(costMode: string): string {
  switch (costMode) {
    case "free":
    case "lite":
      return "base-free";
    case "normal":
      return "base";
    case "max":
      return "base-max";
    case "ask":
      return "ask";
    default:
      return "base2";
  }
}

/** Gets an agent from the registry; `undefined` if it does not exist. */
export type AskRegistry = (path: string) => Promise<unknown>;

/** `publisher/id@version`; publisher and version are optional. */
const REFERENCE = /^(?:([A-Za-z0-9_.-]+)\/)?([a-z0-9-]+)(?:@([A-Za-z0-9_.-]+))?$/;

export class KnownAgents {
  readonly #own: ReadonlyMap<string, AgentDefinition>;
  readonly #ask: AskRegistry;
  readonly #asked = new Map<string, Promise<ResolvedAgent | undefined>>();

  constructor(own: readonly AgentDefinition[], ask: AskRegistry) {
    this.#own = new Map(own.map((definition) => [definition.id, definition]));
    this.#ask = ask;
  }

  own(id: string): AgentDefinition | undefined {
    return this.#own.get(id);
  }

  /** @throws CodebuffRunError `agent_not_found` or `invalid_agent` */
  async find(id: string): Promise<ResolvedAgent> {
    const own = this.#own.get(id);
    if (own) return { definition: own, recordId: id };
    let asked = this.#asked.get(id);
    if (!asked) {
      asked = this.#fetch(id);
      this.#asked.set(id, asked);
    }
    const found = await asked;
    if (found) return found;
    const names = [...this.#own.keys()].join(", ");
    const message = `Invalid agent ID: "${id}".${names === "" ? "" : ` Available agents: ${names}`}`;
    throw new CodebuffRunError({ kind: "agent_not_found", message });
  }

  /** Agents that may be spawned. Skips agents that are not found: spawning them fails later. */
  async all(ids: readonly string[]): Promise<readonly ResolvedAgent[]> {
    const found = await Promise.all(ids.map((id) => this.find(id).catch(() => undefined)));
    return found.filter((each) => each !== undefined);
  }

  async #fetch(id: string): Promise<ResolvedAgent | undefined> {
    const parts = REFERENCE.exec(id);
    if (!parts) return undefined;
    const [, publisher = "codebuff", name = "", version = "latest"] = parts;
    const record = await this.#ask([publisher, name, version].map(encodeURIComponent).join("/"));
    if (!isObject(record) || !isObject(record["data"])) return undefined;
    const { data, version: told } = record;
    if (
      !["systemPrompt", "instructionsPrompt", "stepPrompt"].every(
        (prompt) => typeof data[prompt] === "string",
      )
    )
      return undefined;
    // MCP servers are started only for agents of the caller.
    const { mcpServers: _, ...definition }: Readonly<Record<string, unknown>> = {
      displayName: name,
      ...data,
      id: name,
    };
    const problem =
      typeof definition["handleSteps"] === "string"
        ? "its steps are code from a server, which is never run; define the agent in `agentDefinitions`"
        : problemOfForeign(definition);
    if (problem !== undefined)
      throw new CodebuffRunError({
        kind: "invalid_agent",
        message: `Invalid agent config: ${id}: ${problem}`,
      });
    const resolved = typeof told === "string" ? told : version;
    return {
      definition: definition as unknown as AgentDefinition,
      recordId: `${publisher}/${name}@${resolved}`,
    };
  }
}
