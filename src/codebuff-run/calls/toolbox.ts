// The tools of an agent: built-in, the caller's, and those of sources.
import { isToolOutput, type PrintModeEvent, type ToolOutput } from "../../codebuff-events/print-mode.ts";
import { type Checks, checkFields, checks, describe, isObject } from "../../core/checks.ts";
import { InvalidInputError, said } from "../../core/errors.ts";
import type { ToolCall, ToolPreview } from "../../core/values.ts";
import { type AgentDefinition, inputSchemaOf } from "../agents/agents.ts";
import type { ChatTool } from "../messages.ts";
import { CONTROLS, type ControlName, handledBuiltIn, isControl } from "./builtins.ts";
import { schemaOf, type ToolInputOf, type ToolParameters, type ToolSchema } from "./tool-schema.ts";

/** A tool call whose input fits the tool's parameters. */
export interface CodebuffRunToolCall<Input = Readonly<Record<string, unknown>>> extends ToolCall {
  /** The checked input, with defaults, without unlisted fields, and transformed by a Standard Schema. */
  readonly input: Input;
  readonly turnId: string;
  /** The call's event. */
  readonly raw: Extract<PrintModeEvent, { readonly type: "tool_call" }>;
}

export interface CodebuffRunToolContext {
  /** Aborted when the turn is cancelled or the tool times out. Stop all work of the tool. */
  readonly signal: AbortSignal;
  /** Emits output while the tool runs, as `tool_progress`. The result should hold the output, too. */
  readonly onProgress: (output: string) => void;
}

/**
 * Runs a tool on this machine. The agent sees a thrown error as the tool's failure.
 * @returns usually one part: `[{ type: "json", value: { ... } }]`
 */
export interface CodebuffRunToolHandler<Input = Readonly<Record<string, unknown>>> {
  (
    call: CodebuffRunToolCall<Input>,
    context: CodebuffRunToolContext,
  ): readonly ToolOutput[] | Promise<readonly ToolOutput[]>;
  /** Shows what a call would change, for approval. Limited to 2 s. `nodeTools` has it for edits. */
  readonly preview?: (
    call: CodebuffRunToolCall<Input>,
    context: Pick<CodebuffRunToolContext, "signal">,
  ) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;
  /** As `readOnly` of {@link CodebuffRunTool}. Set for the reading tools of `nodeTools`. */
  readonly readOnly?: boolean;
}

/** A tool of the caller. For a constant with a Standard Schema, use `CodebuffRunTool<typeof schema>`. */
export interface CodebuffRunTool<Parameters extends ToolParameters = ToolParameters> {
  /** The tool's description, for the model. */
  readonly description: string;
  readonly parameters: Parameters;
  /** Only for Codebuff's own SDK. Here the agent continues after each tool. @default true */
  readonly endsAgentStep?: boolean;
  /**
   * The tool changes nothing: such calls of one answer run at the same time (`parallelTools`). Approvals stay the same.
   * @default false
   */
  readonly readOnly?: boolean;
  /**
   * Describes a call for grants, such as "mails to a@b.org". A grant covers all calls with the same text, so name
   * everything that matters. Without a text, or if it throws, there is no grant, and a warning.
   * @default the whole input
   */
  grant?(input: ToolInputOf<Parameters>): string;
  /** Like {@link CodebuffRunToolHandler}. A method, so that one list can hold tools with different inputs. */
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
  readOnly: checks.boolean,
  grant: checks.function,
  execute: checks.function,
};

export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly schema: ToolSchema;
  /** Whether events name the main agent as the caller, as for Codebuff's own tools. */
  readonly isBuiltIn: boolean;
  /** Set for a tool of a source. `path`: its name in `toolNames`. */
  readonly origin?: { readonly source: string; readonly path: string };
} & (
  | { readonly kind: "control"; readonly control: ControlName }
  | {
      readonly kind: "handled";
      readonly handler: CodebuffRunToolHandler;
      readonly isReadOnly: boolean;
      readonly endsAgentStep?: boolean;
      readonly grant?: ((input: Readonly<Record<string, unknown>>) => unknown) | undefined;
    }
  /** Spawns one agent; short for `spawn_agents`. */
  | { readonly kind: "agent"; readonly agentId: string }
);

export function tellsPreview(tool: Tool): boolean {
  return tool.kind === "handled" && tool.handler.preview !== undefined;
}

/** Two underscores are reserved for tools of sources. */
const NAME = /^(?!.*__)[A-Za-z0-9_-]{1,64}$/;

/** @throws InvalidInputError for an invalid tool */
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

/** @throws InvalidInputError for an invalid tool. Does not check the name. */
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
  const { description, parameters, endsAgentStep = true, readOnly = false, grant, execute } = tool;
  return {
    kind: "handled",
    name,
    description,
    schema: schemaOf(parameters, name),
    endsAgentStep,
    isReadOnly: readOnly,
    isBuiltIn: false,
    grant,
    handler: execute,
  };
}

/** @throws InvalidInputError for an unknown tool name */
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
      isReadOnly: handler.readOnly === true,
      handler,
    };
  });
}

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

export class Toolbox {
  readonly #offered = new Map<string, Tool>();
  readonly #own: readonly Tool[];

  /** @param canAsk whether the app answers questions */
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

  get(name: string): Tool | undefined {
    return this.#offered.get(name);
  }

  /** Whether the arguments of a tool's calls are told as they arrive. Calls of sub-agents get another form first. */
  streams(name: string): boolean {
    const tool = this.#offered.get(name);
    return tool !== undefined && tool.kind !== "agent";
  }

  /** The tool for the agent's program, even if it is not offered to the model. */
  any(name: string): Tool | undefined {
    return this.#offered.get(name) ?? this.#known(name);
  }

  #known(name: string): Tool | undefined {
    const own = this.#own.find((tool) => tool.name === name || tool.origin?.path === name);
    return own ?? (isControl(name) ? controlTool(name) : undefined);
  }

  get wire(): readonly ChatTool[] {
    return [...this.#offered.values()].map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema.json },
    }));
  }

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

/** An agent that names some tools of a source gets only these; otherwise it gets all. */
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

/** Checks and copies a result: the handler may change it later. @throws InvalidInputError */
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

/** Characters of one text in a result. */
const MAX_TEXT = 100_000;

/** Bytes of one image or sound in a result. */
const MAX_MEDIA = 5 * 1_048_576;

/** Enforces the limits: cuts long texts, and replaces large media. */
export function withinLimits(output: readonly ToolOutput[]): readonly ToolOutput[] {
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
