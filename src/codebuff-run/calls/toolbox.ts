// The tools of an agent: built-in, the caller's own, and those of sources.
import { isToolOutput, type PrintModeEvent, type ToolOutput } from "../../codebuff-events/print-mode.ts";
import { type Checks, checkFields, checks, describe, isObject } from "../../core/checks.ts";
import { InvalidInputError, said } from "../../core/errors.ts";
import type { ToolCall, ToolPreview } from "../../core/values.ts";
import { type AgentDefinition, inputSchemaOf } from "../agents/agents.ts";
import type { ChatTool } from "../messages.ts";
import { CONTROLS, type ControlName, handledBuiltIn, isControl } from "./builtins.ts";
import { schemaOf, type ToolInputOf, type ToolParameters, type ToolSchema } from "./tool-schema.ts";

/** A call of a tool, with an input that fits its parameters. */
export interface CodebuffRunToolCall<Input = Readonly<Record<string, unknown>>> extends ToolCall {
  /** With the defaults of the parameters, and as a Standard Schema has changed it. */
  readonly input: Input;
  readonly turnId: string;
  /** The event of the call. */
  readonly raw: Extract<PrintModeEvent, { readonly type: "tool_call" }>;
}

export interface CodebuffRunToolContext {
  /** Aborted when the result is not wanted any more: the turn was cancelled, or the tool has taken too long. End what the tool has started. */
  readonly signal: AbortSignal;
  /** Tells output while the tool runs, as `tool_progress`. The result should hold it too. */
  readonly onProgress: (output: string) => void;
}

/**
 * Runs a tool on this machine. What it throws becomes the tool's failure, which the agent sees.
 * @returns one part for most tools: `[{ type: "json", value: { ... } }]`.
 */
export interface CodebuffRunToolHandler<Input = Readonly<Record<string, unknown>>> {
  (
    call: CodebuffRunToolCall<Input>,
    context: CodebuffRunToolContext,
  ): readonly ToolOutput[] | Promise<readonly ToolOutput[]>;
  /** Tells what a call would change, for its approval. Called before the user is asked, for 2 s at most. Handlers of `nodeTools` that edit have it. */
  readonly preview?: (
    call: CodebuffRunToolCall<Input>,
    context: Pick<CodebuffRunToolContext, "signal">,
  ) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;
}

/**
 * A tool of the caller's own. In a constant: `CodebuffRunTool`, or with the type of a Standard Schema, whose output is then the type of
 * `input`: `CodebuffRunTool<typeof schema>`. In the options of a client the type is found by itself.
 */
export interface CodebuffRunTool<Parameters extends ToolParameters = ToolParameters> {
  /** What the tool does, for the model. */
  readonly description: string;
  readonly parameters: Parameters;
  /** For Codebuff's own SDK, which keeps it with the tool. It changes nothing in a run: the agent goes on behind each of your tools. @default true */
  readonly endsAgentStep?: boolean;
  /**
   * What a call is about, in words for the user, such as "mails to a@b.org": a decision for the turn or the session covers the calls of the
   * tool with the same words. Name all that makes a difference. A call for which it throws, or returns no words, gets no grant.
   * @default the whole input
   */
  grant?(input: ToolInputOf<Parameters>): string;
  /** As a {@link CodebuffRunToolHandler}. A method, so that tools with different inputs fit into one list. */
  execute(
    call: CodebuffRunToolCall<ToolInputOf<Parameters>>,
    context: CodebuffRunToolContext,
  ): readonly ToolOutput[] | Promise<readonly ToolOutput[]>;
}

/** The parameters of tools, by their names. */
export type ToolParametersByName = Readonly<Record<string, ToolParameters>>;

const TOOL_CHECKS: Checks<CodebuffRunTool> = {
  description: checks.string,
  parameters: checks.any,
  endsAgentStep: checks.boolean,
  grant: checks.function,
  execute: checks.function,
};

/** A tool as a run uses it. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly schema: ToolSchema;
  /** Whether events name the main agent as its caller, as those of Codebuff's own tools do. */
  readonly isBuiltIn: boolean;
  /** Where a tool of a source comes from. `path` is its name in `toolNames`. */
  readonly origin?: { readonly source: string; readonly path: string };
} & (
  | { readonly kind: "control"; readonly control: ControlName }
  | {
      readonly kind: "handled";
      readonly handler: CodebuffRunToolHandler;
      readonly endsAgentStep?: boolean;
      /** Of {@link CodebuffRunTool}. */
      readonly grant?: ((input: Readonly<Record<string, unknown>>) => unknown) | undefined;
    }
  /** Runs an agent; a short form of `spawn_agents`. */
  | { readonly kind: "agent"; readonly agentId: string }
);

/** Whether the tool tells what a call would change. */
export function tellsPreview(tool: Tool): boolean {
  return tool.kind === "handled" && tool.handler.preview !== undefined;
}

/** Two underscores are for the tools of sources, such as MCP servers. */
const NAME = /^(?!.*__)[A-Za-z0-9_-]{1,64}$/;

/** @throws InvalidInputError for a tool that cannot be offered. */
export function customTools(tools: Readonly<Record<string, CodebuffRunTool>>): readonly Tool[] {
  return Object.entries(tools).map(([name, tool]) => {
    if (!NAME.test(name))
      throw new InvalidInputError(
        `\`${name}\` is no name of a tool.`,
        "Use at most 64 letters, digits, `_` and `-`, and no two `_` in a row.",
      );
    if (isControl(name))
      throw new InvalidInputError(`\`${name}\` is a tool of this library.`, "Give your tool another name.");
    return customTool(name, tool);
  });
}

/** @throws InvalidInputError for a tool that cannot be offered, whatever its name. */
export function customTool(name: string, tool: CodebuffRunTool): Tool {
  if (!isObject(tool as unknown))
    throw new InvalidInputError(
      `the tool \`${name}\` is ${describe(tool)}.`,
      "Pass { description, parameters, execute }.",
    );
  checkFields(tool, TOOL_CHECKS, `field of the tool \`${name}\``);
  for (const field of ["description", "parameters", "execute"] as const)
    if ((tool[field] as unknown) === undefined)
      throw new InvalidInputError(
        `the tool \`${name}\` has no \`${field}\`.`,
        "Pass { description, parameters, execute }.",
      );
  const { description, parameters, endsAgentStep = true, grant, execute } = tool;
  return {
    kind: "handled",
    name,
    description,
    schema: schemaOf(parameters, name),
    endsAgentStep,
    isBuiltIn: false,
    grant,
    handler: execute,
  };
}

/** @throws InvalidInputError for a name that is no tool of agents. */
export function overrides(handlers: Readonly<Record<string, CodebuffRunToolHandler>>): readonly Tool[] {
  return Object.entries(handlers).map(([name, handler]) => {
    const builtIn = handledBuiltIn(name) ?? (name === "ask_user" ? CONTROLS.ask_user : undefined);
    if (!builtIn)
      throw new InvalidInputError(
        `\`overrideTools\` has \`${name}\`, which is no tool of Codebuff's agents.`,
        "Tools of your own go into `tools`, with their parameters.",
      );
    if (typeof handler !== "function")
      throw new InvalidInputError(`the handler of \`${name}\` is ${describe(handler)}.`, "Pass a function.");
    const { description, parameters } = builtIn;
    return {
      kind: "handled",
      name,
      description,
      schema: schemaOf(parameters, name),
      isBuiltIn: true,
      handler,
    };
  });
}

/** The schemas of this library's own tools, made when they are first used. */
const CONTROL_TOOLS = new Map<ControlName, Tool>();

function controlTool(control: ControlName): Tool {
  const made = CONTROL_TOOLS.get(control);
  if (made) return made;
  const { description, parameters } = CONTROLS[control];
  const tool: Tool = {
    kind: "control",
    name: control,
    control,
    description,
    schema: schemaOf(parameters, control),
    isBuiltIn: true,
  };
  CONTROL_TOOLS.set(control, tool);
  return tool;
}

/** The tools of one agent. */
export class Toolbox {
  /** In the order in which the model sees them. */
  readonly #offered = new Map<string, Tool>();
  readonly #own: readonly Tool[];

  /**
   * @param own the caller's tools and overrides, and the tools of sources
   * @param spawnable the agents that the agent may run
   * @param canAsk whether somebody answers questions
   */
  constructor(
    agent: AgentDefinition,
    own: readonly Tool[],
    spawnable: readonly AgentDefinition[],
    canAsk: boolean,
  ) {
    this.#own = own;
    const { toolNames = [] } = agent;
    for (const name of toolNames) {
      const tool = this.#known(name);
      const isAsked = tool?.kind !== "control" || tool.control !== "ask_user" || canAsk;
      if (tool && (tool.isBuiltIn || tool.origin) && isAsked) this.#offer(tool);
    }
    if (agent.outputSchema || agent.outputMode === "structured_output")
      this.#offer(controlTool("set_output"));
    for (const tool of own) if (!tool.isBuiltIn && !isLeftOut(tool, toolNames)) this.#offer(tool);
    for (const each of spawnable) this.#offer(agentTool(each));
  }

  #offer(tool: Tool): void {
    if (!this.#offered.has(tool.name)) this.#offered.set(tool.name, tool);
  }

  /** The tool with this name, if the agent may call it. */
  get(name: string): Tool | undefined {
    return this.#offered.get(name);
  }

  /** The tool with this name, for a program of the agent: it need not be offered to the model. */
  any(name: string): Tool | undefined {
    return this.#offered.get(name) ?? this.#known(name);
  }

  #known(name: string): Tool | undefined {
    const own = this.#own.find((tool) => tool.name === name || tool.origin?.path === name);
    return own ?? (isControl(name) ? controlTool(name) : undefined);
  }

  /** As the model sees them. */
  get wire(): readonly ChatTool[] {
    return [...this.#offered.values()].map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema.json },
    }));
  }

  /** As the state of a run keeps them. */
  get definitions(): Readonly<
    Record<string, { readonly description: string; readonly inputSchema: object }>
  > {
    return Object.fromEntries(
      [...this.#offered.values()].map(({ name, description, schema }) => [
        name,
        { description, inputSchema: schema.json },
      ]),
    );
  }
}

/** An agent that names tools of a source, in either form, gets these alone; otherwise it gets all. */
function isLeftOut({ origin }: Tool, toolNames: readonly string[]): boolean {
  if (!origin) return false;
  const { source } = origin;
  return toolNames.some((name) => name.startsWith(`${source}/`) || name.startsWith(`${source}__`));
}

function agentTool({ id, displayName, spawnerPrompt, inputSchema = {} }: AgentDefinition): Tool {
  return {
    kind: "agent",
    name: id,
    agentId: id,
    description: spawnerPrompt ?? `Runs the agent ${displayName}.`,
    schema: inputSchemaOf(inputSchema, id),
    isBuiltIn: true,
  };
}

/** What a handler returned, as a JSON value of our own: the handler may change its objects. @throws InvalidInputError for anything else */
export function readOutput(output: unknown): readonly ToolOutput[] {
  if (!Array.isArray(output)) throw wrongOutput(`the handler returned ${describe(output)}`);
  return output.map((part: unknown, at) => {
    const read = readPart(part);
    if (typeof read === "string") throw wrongOutput(`part ${at} of what the handler returned ${read}`);
    return read;
  });
}

function wrongOutput(problem: string): InvalidInputError {
  return new InvalidInputError(
    `${problem}.`,
    'Return an array of parts: { type: "json", value } or { type: "media", data, mediaType }.',
  );
}

/** A copy of a part; or what is wrong with it. */
function readPart(part: unknown): ToolOutput | string {
  if (!isObject(part)) return `is ${describe(part)}`;
  const { type, value } = part;
  if (type !== "json" && type !== "media")
    return `has the type ${typeof type === "string" ? `"${type}"` : describe(type)}`;
  if (type === "media")
    return isToolOutput(part) && part.type === "media"
      ? { type, data: part.data, mediaType: part.mediaType }
      : "has no `data` (base64) or no `mediaType`";
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? `has a \`value\` that is ${describe(value)}` : json(JSON.parse(text));
  } catch (error) {
    return `has a \`value\` that JSON cannot write: ${said(error)}`;
  }
}

/** Characters of one text in a result. A model reads less. */
const MAX_TEXT = 100_000;

/** Bytes of one picture or sound in a result. */
const MAX_MEDIA = 5 * 1_048_576;

/** A result within the limits: longer texts are cut, a larger picture is left out. */
export function limited(output: readonly ToolOutput[]): readonly ToolOutput[] {
  return output.map((part) => {
    if (part.type === "media")
      return part.data.length * 0.75 > MAX_MEDIA
        ? json({ errorMessage: "The file is larger than 5 MiB." })
        : part;
    return typeof part.value === "string" && part.value.length > MAX_TEXT
      ? json(`${part.value.slice(0, MAX_TEXT)}\n[cut: ${part.value.length} characters]`)
      : part;
  });
}

export function json(value: unknown): ToolOutput {
  return { type: "json", value };
}

export function failure(errorMessage: string): readonly ToolOutput[] {
  return [json({ errorMessage })];
}
