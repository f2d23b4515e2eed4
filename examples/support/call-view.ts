import { reveal } from "agentwire/chat";
import type { CodebuffRunEvent, ToolCall } from "agentwire/codebuff-run";
import { quoted, type Screen } from "./terminal.ts";

/** Shows what a call of a tool of `nodeTools` would do; returns the question. */
export function showCall(screen: Screen, call: ToolCall): string {
  const { command, cwd, timeout_seconds: seconds } = fieldsOf(call.input);
  const { preview } = call;
  if (preview) {
    for (const { diff } of preview) screen.line(quoted(reveal(diff)), "dim");
    return `May it change ${inLine(preview.map(({ path }) => path).join(", "))}?`;
  }
  if (call.name !== "run_terminal_command") {
    screen.line(quoted(reveal(JSON.stringify(call.input))), "dim");
    return `May it call ${inLine(call.name)}?`;
  }
  screen.line(quoted(`$ ${reveal(String(command))}`), "dim");
  const where = cwd === undefined ? "" : ` in ${inLine(cwd)}`;
  const limit = Number(seconds) < 0 ? "" : `, for ${seconds} s at most`;
  return `May it run this command${where}${limit}?`;
}

/** Shows the plan of the agent, if this event has one, as a list. */
export function showPlan(screen: Screen, event: CodebuffRunEvent): void {
  if (event.type !== "tool_call" || event.toolName !== "write_todos") return;
  const { todos } = fieldsOf(event.input);
  for (const todo of Array.isArray(todos) ? todos : []) {
    const { task, completed } = fieldsOf(todo);
    screen.line(`  [${completed === true ? "x" : " "}] ${inLine(task)}`, "dim");
  }
}

/** A name within a line: a line feed in it begins no line. */
export function inLine(name: unknown): string {
  return reveal(String(name).replaceAll("\n", "\\n"));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
