import { isObject } from "../core/checks.ts";
import type { ToolFacts } from "../universal/engine/calls.ts";
import { factsOf, type KnownTool } from "../universal/engine/known-tools.ts";

/** The tools of Codebuff's agents that say what they are about, in either profile and in later SDKs. */
const TOOLS: Readonly<Record<string, KnownTool>> = {
  read_files: { kind: "read", verb: "Read", path: "paths" },
  read_subtree: { kind: "read", verb: "Read", path: "paths" },
  list_directory: { kind: "search", verb: "List", path: "path" },
  find_files: { kind: "search", verb: "Find files:", subject: "prompt" },
  glob: { kind: "search", verb: "Find", path: "cwd", subject: "pattern" },
  code_search: { kind: "search", verb: "Search for", path: "cwd", subject: "pattern" },
  write_file: { kind: "edit", verb: "Write", path: "path" },
  str_replace: { kind: "edit", verb: "Edit", path: "path" },
  create_file: { kind: "edit", verb: "Create", path: "path" },
  update_file: { kind: "edit", verb: "Edit", path: "path" },
  delete_file: { kind: "delete", verb: "Delete", path: "path" },
  run_terminal_command: { kind: "execute", verb: "Run", path: "cwd", subject: "command" },
  web_search: { kind: "fetch", verb: "Search the web for", subject: "query" },
  read_docs: { kind: "fetch", verb: "Read the docs of", subject: "libraryTitle" },
  think_deeply: { kind: "think", verb: "Think" },
  write_todos: { kind: "think", verb: "Plan" },
  ask_user: { kind: "other", verb: "Ask" },
  spawn_agents: { kind: "other", verb: "Start" },
  set_output: { kind: "other", verb: "Set" },
  end_turn: { kind: "other", verb: "End" },
  task_completed: { kind: "other", verb: "End" },
};

/** What a call of an agent's tool does. The operation of an `apply_patch` is named like a tool. */
export function toolFacts(name: string, input: unknown): ToolFacts | undefined {
  if (name !== "apply_patch") return factsOf(TOOLS, name, input);
  const operation = isObject(input) ? input["operation"] : undefined;
  const type = isObject(operation) ? operation["type"] : undefined;
  return factsOf(TOOLS, type === "delete_file" || type === "create_file" ? type : "update_file", operation);
}
