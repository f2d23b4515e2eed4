// The tools of Codebuff's agents by name (kind, title, touched files), for universal events.
import { isObject } from "../core/checks.ts";

/** The known tools of Codebuff's agents, also those of later SDKs. */
export const AGENT_TOOLS = {
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
} as const;

/** The key and input to look up in `AGENT_TOOLS`. An `apply_patch` call is looked up by its operation. */
export function inTable(name: string, input: unknown): readonly [name: string, input: unknown] {
  if (name !== "apply_patch") return [name, input];
  const operation = isObject(input) ? input["operation"] : undefined;
  const type = isObject(operation) ? operation["type"] : undefined;
  return [type === "delete_file" || type === "create_file" ? type : "update_file", operation];
}
