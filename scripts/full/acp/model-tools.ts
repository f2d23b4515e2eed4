/** What a script does with the project. The agent's own tools say how. */
export type Action =
  | { readonly action: "shell"; readonly command: string }
  | { readonly action: "read"; readonly file: string }
  | { readonly action: "edit"; readonly file: string; readonly old: string; readonly new: string };

export interface Tool {
  readonly name: string;
  readonly schema: Schema;
  /** Its input is text, not an object. */
  readonly isFree?: boolean;
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
}

export interface Call {
  readonly name: string;
  /** An object, or text for a free tool. */
  readonly input: object | string;
}

/** The names of agents' tools, the best first. */
const NAMES: Readonly<Record<Action["action"], readonly string[]>> = {
  shell: ["run_shell_command", "Bash", "bash", "Shell", "exec_command", "shell_command", "shell"],
  read: ["read_file", "Read", "read", "ReadFile", "view", "exec_command", "shell_command"],
  edit: ["replace", "edit", "Edit", "StrReplaceFile", "apply_patch", "exec_command", "shell_command"],
};

/** The call of a tool that does this. Undefined if the agent offers none. */
export function toolCallFor(action: Action, tools: readonly Tool[], project: string): Call | undefined {
  const name = NAMES[action.action].find((each) => tools.some((tool) => tool.name === each));
  const tool = tools.find((each) => each.name === name);
  if (!tool) return undefined;
  if (tool.name === "apply_patch") {
    const patch = patchOf(action);
    return { name: tool.name, input: tool.isFree ? patch : { input: patch } };
  }
  const isCodex = tool.name === "exec_command" || tool.name === "shell_command";
  const wanted = isCodex ? ({ action: "shell", command: commandOf(action) } as const) : action;
  const { properties = {}, required = [] } = tool.schema;
  const input: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(properties)) {
    const value = fieldFor(key, wanted, project) ?? (required.includes(key) ? blank(schema) : undefined);
    if (value !== undefined) input[key] = value;
  }
  // Codex asks only for commands that shall leave its sandbox.
  if (isCodex && action.action === "shell" && "sandbox_permissions" in properties)
    Object.assign(input, { sandbox_permissions: "require_escalated", justification: "The script says so." });
  return { name: tool.name, input };
}

/** A field of a tool's input, by its name: agents name the same thing differently. */
function fieldFor(key: string, action: Action, project: string): unknown {
  switch (key) {
    case "command":
    case "cmd":
      return action.action === "shell" ? action.command : undefined;
    case "file_path":
    case "filePath":
    case "path":
    case "absolute_path":
      return "file" in action ? `${project}/${action.file}` : undefined;
    case "old_string":
    case "oldString":
    case "old_str":
    case "old":
      return action.action === "edit" ? action.old : undefined;
    case "new_string":
    case "newString":
    case "new_str":
    case "new":
      return action.action === "edit" ? action.new : undefined;
    case "edit":
      return action.action === "edit" ? { old: action.old, new: action.new } : undefined;
    default:
      return undefined;
  }
}

/** A value for a field that a tool requires, and that means nothing here. */
function blank({ type, enum: values }: Schema): unknown {
  if (values) return values[0];
  switch (typeof type === "string" ? type : type?.[0]) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 1;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "as the script says";
  }
}

function commandOf(action: Action): string {
  switch (action.action) {
    case "shell":
      return action.command;
    case "read":
      return `cat ${action.file}`;
    case "edit":
      return `apply_patch <<'PATCH'\n${patchOf(action)}\nPATCH`;
  }
}

function patchOf(action: Action): string {
  if (action.action !== "edit") throw new Error("only an edit is a patch");
  const { file, old, new: text } = action;
  return `*** Begin Patch\n*** Update File: ${file}\n@@\n-${old}\n+${text}\n*** End Patch`;
}
