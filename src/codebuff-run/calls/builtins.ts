// The built-in tools: their descriptions and parameters, as a model sees them.
import type { JsonSchema } from "./tool-schema.ts";

export interface BuiltIn {
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Characters of `publisher/id@version`. Events and results repeat this name. */
const MAX_AGENT_TYPE = 256;

const text = { type: "string" };
const filled = { type: "string", minLength: 1 };
const object = (properties: object, ...required: string[]): JsonSchema => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
});
const list = (items: object): object => ({ type: "array", items });
const filledList = (items: object): object => ({ ...list(items), minItems: 1 });

/** Replacements per call. Each one reads the whole file, up to 10 MiB, several times. */
export const MAX_REPLACEMENTS = 100;

/** Later SDKs name the texts `oldString` and `newString`. */
const replacement = {
  ...object({
    old: filled,
    new: text,
    oldString: filled,
    newString: text,
    allowMultiple: { type: "boolean", default: false },
  }),
  anyOf: [{ required: ["old", "new"] }, { required: ["oldString", "newString"] }],
};

const readable = {
  anyOf: [
    filled,
    object(
      { path: filled, offset: { type: "integer", minimum: 1 }, limit: { type: "integer", minimum: 1 } },
      "path",
    ),
  ],
};

const change = (type: string) =>
  object({ type: { type: "string", const: type }, path: filled, diff: filled }, "type", "path", "diff");

const question = object(
  {
    question: text,
    header: { type: "string", maxLength: 18 },
    options: list(object({ label: text, description: text }, "label")),
    multiSelect: { type: "boolean", default: false },
    validation: object({
      minLength: { type: "number" },
      maxLength: { type: "number" },
      pattern: text,
      patternError: text,
    }),
  },
  "question",
  "options",
);

/** Tools that this library runs itself. Only `spawn_agents` has effects outside of the run. */
export const CONTROLS = {
  end_turn: { description: "Ends your turn. The user can answer then.", parameters: object({}) },
  task_completed: {
    description: "Says that the whole task is done, and ends your turn.",
    parameters: object({}),
  },
  think_deeply: {
    description: "Notes your thoughts before a hard step. Nobody answers.",
    parameters: object({ thought: filled }, "thought"),
  },
  set_output: {
    description: "Sets the result of your work, as an object.",
    parameters: { type: "object", properties: { data: { type: "object" } }, additionalProperties: true },
  },
  write_todos: {
    description: "Writes down the steps of the task, and which of them are done.",
    parameters: object(
      { todos: list(object({ task: text, completed: { type: "boolean" } }, "task", "completed")) },
      "todos",
    ),
  },
  ask_user: {
    description: "Asks the user one or more questions, each with options to choose from.",
    parameters: object({ questions: filledList(question) }, "questions"),
  },
  spawn_agents: {
    description: "Runs other agents, all at once, and waits for their results.",
    parameters: object(
      {
        agents: list(
          object(
            {
              agent_type: { type: "string", maxLength: MAX_AGENT_TYPE },
              prompt: text,
              params: { type: "object" },
            },
            "agent_type",
          ),
        ),
      },
      "agents",
    ),
  },
} satisfies Readonly<Record<string, BuiltIn>>;

export type ControlName = keyof typeof CONTROLS;

/** Tools that need a handler in `overrideTools`. With a backend, `web_search` and `read_docs` have one. */
export const HANDLED = {
  write_file: {
    description: "Writes a whole file, new or not.",
    parameters: object(
      { path: filled, instructions: text, content: text },
      "path",
      "instructions",
      "content",
    ),
  },
  str_replace: {
    description: `Replaces up to ${MAX_REPLACEMENTS} texts in a file. Each \`old\` must stand there exactly once, unless \`allowMultiple\` is set.`,
    parameters: object(
      { path: filled, replacements: { ...filledList(replacement), maxItems: MAX_REPLACEMENTS } },
      "path",
      "replacements",
    ),
  },
  apply_patch: {
    description: "Creates, changes or deletes a file by a diff.",
    parameters: object(
      {
        operation: {
          oneOf: [
            change("create_file"),
            change("update_file"),
            object({ type: { type: "string", const: "delete_file" }, path: filled }, "type", "path"),
          ],
        },
      },
      "operation",
    ),
  },
  read_files: {
    description:
      "Reads files of the project. For some lines of a file: { path, offset, limit }, where offset is the first line, from 1.",
    parameters: object({ paths: list(readable) }, "paths"),
  },
  list_directory: {
    description: "Lists a folder of the project.",
    parameters: object({ path: text }, "path"),
  },
  glob: {
    description: "Finds files by a pattern, such as **/*.ts.",
    parameters: object({ pattern: filled, cwd: text, max_results: { type: "integer" } }, "pattern"),
  },
  code_search: {
    description: "Searches the project for a regular expression.",
    parameters: object(
      {
        pattern: filled,
        flags: text,
        cwd: text,
        maxResults: { type: "integer", exclusiveMinimum: 0, default: 15 },
      },
      "pattern",
    ),
  },
  web_search: {
    description: "Searches the web, and sums up what it finds.",
    parameters: object(
      { query: filled, depth: { type: "string", enum: ["standard", "deep"], default: "standard" } },
      "query",
    ),
  },
  read_docs: {
    description: "Gets the documentation of a library, such as React, on a topic.",
    parameters: object(
      { libraryTitle: filled, topic: text, max_tokens: { type: "integer", exclusiveMinimum: 0 } },
      "libraryTitle",
    ),
  },
  run_terminal_command: {
    description: "Runs a command in a shell, and waits for its end.",
    parameters: object(
      {
        command: filled,
        process_type: { type: "string", enum: ["SYNC", "BACKGROUND"], default: "SYNC" },
        cwd: text,
        timeout_seconds: { type: "number", default: 30 },
      },
      "command",
    ),
  },
} satisfies Readonly<Record<string, BuiltIn>>;

export function isControl(name: string): name is ControlName {
  return Object.hasOwn(CONTROLS, name);
}

export function handledBuiltIn(name: string): BuiltIn | undefined {
  const all: Readonly<Record<string, BuiltIn>> = HANDLED;
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
