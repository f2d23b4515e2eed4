/** One message of a capture or of the mock. `in` comes from the agent. */
export interface Passed {
  readonly dir: string;
  // biome-ignore lint/suspicious/noExplicitAny: captures hold any JSON
  readonly msg: any;
}

/** The shapes of the agent's messages: their kinds and the fields that tell agents apart, without ids and texts. */
export function shapesOf(messages: readonly Passed[]): readonly string[] {
  const asked = new Map<unknown, string>();
  const shapes = new Set<string>();
  for (const { dir, msg } of messages) {
    if (dir === "out" && msg.method !== undefined && msg.id !== undefined) asked.set(msg.id, msg.method);
    if (dir === "in") shapes.add(shapeOf(msg, asked));
  }
  return [...shapes].sort();
}

// biome-ignore lint/suspicious/noExplicitAny: captures hold any JSON
function shapeOf(msg: any, asked: ReadonlyMap<unknown, string>): string {
  const { method, params, result, error } = msg;
  if (method === "session/update") return `update ${updateOf(params.update)}`;
  if (method === "session/request_permission") {
    const kinds = params.options.map(({ kind }: { kind: string }) => kind).join(" ");
    return `request ${method} ${inputOf(params.toolCall)}: ${kinds}`;
  }
  if (method !== undefined) return `${msg.id === undefined ? "notification" : "request"} ${method}`;
  const answered = asked.get(msg.id);
  if (error) return `error ${answered} ${error.code}`;
  const fields = ["session/new", "session/load", "session/resume"].includes(answered ?? "")
    ? ` ${["configOptions", "models", "modes"].filter((name) => name in result).join(" ")}`
    : "";
  return `result ${answered}${fields}${result.stopReason ? ` ${result.stopReason}` : ""}`;
}

// biome-ignore lint/suspicious/noExplicitAny: captures hold any JSON
function updateOf(update: any): string {
  const name = update.sessionUpdate;
  if (name === "tool_call") return `${name} ${update.status} ${inputOf(update)}`;
  if (name === "tool_call_update") return `${name} ${update.status ?? "-"}`;
  if (/_chunk$/.test(name)) return `${name}${update.messageId === undefined ? "" : " with an id"}`;
  if (name === "usage_update") return `${name}${update.cost ? " with a cost" : ""}`;
  return name;
}

function inputOf({ kind, rawInput }: { readonly kind?: string; readonly rawInput?: object }): string {
  const input = rawInput === undefined ? "no" : Object.keys(rawInput).length === 0 ? "empty" : "full";
  return `${input} input${kind === undefined ? ", no kind" : ""}`;
}
