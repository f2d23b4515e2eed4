// The messages of a call: how it is announced, asked about and told of.
import type { Dict } from "../server/dict.ts";
import type { AcpAgentFacts } from "./agents.ts";
import type { AcpMockSettings } from "./profiles.ts";
import type { MockAcpCall } from "./script.ts";

/** A call as the agent knows it. */
export interface NamedCall {
  readonly call: MockAcpCall;
  readonly toolCallId: string;
  readonly name: string;
  readonly input: Dict;
}

export const textBlock = (text: string): Dict => ({ type: "content", content: { type: "text", text } });

export function diffBlock({ path, oldText, newText }: NonNullable<MockAcpCall["diff"]>): Dict {
  return { type: "diff", path, oldText: oldText ?? null, newText };
}

export function inputOf({ rawInput, command, diff, path, title }: MockAcpCall): Dict {
  if (rawInput) return rawInput;
  if (command !== undefined) return { command, description: title };
  if (diff) return { file_path: diff.path, old_string: diff.oldText ?? "", new_string: diff.newText };
  return path === undefined ? {} : { file_path: path };
}

/** The fields of a call without its input and state. */
function fieldsOf({ title, kind = "other", diff, path, content = [] }: MockAcpCall): Dict {
  const place = diff?.path ?? path;
  return {
    ...{ title, kind, content: [...content, ...(diff ? [diffBlock(diff)] : [])] },
    ...(place === undefined ? {} : { locations: [{ path: place }] }),
  };
}

/** A call without a state, in full: in a replay, and in a permission request. */
export function wholeCall(
  { call, input, name, toolCallId }: NamedCall,
  { rawInput }: AcpMockSettings,
  { inputOfCommands, named }: AcpAgentFacts,
): Dict {
  const { kind, ...fields } = fieldsOf(call);
  const hasInput = rawInput === "full" || rawInput === "emptyThenFull";
  const isTold = !inputOfCommands || call.command !== undefined;
  return {
    ...{ toolCallId, status: "pending", ...fields },
    ...(rawInput === "inContent" ? { content: [textBlock(JSON.stringify(input))] } : { kind }),
    ...(hasInput && isTold ? { rawInput: input } : {}),
    ...(named ? { name } : {}),
  };
}

/** The first messages of a call: a `tool_call`, and the updates that complete its input. */
export function announcement(
  named: NamedCall,
  settings: AcpMockSettings,
  facts: AcpAgentFacts,
): { readonly first: Dict; readonly updates: readonly Dict[] } {
  const { call, input, name, toolCallId } = named;
  const { rawInput, terminals } = settings;
  const json = JSON.stringify(input);
  const hasTerminal = terminals === "own" && call.command !== undefined;
  const first = {
    ...{ sessionUpdate: "tool_call", ...wholeCall(named, settings, facts) },
    status: facts.firstStatus ?? "pending",
    ...(rawInput === "inContent" ? { title: name, content: [textBlock("")] } : {}),
    ...(rawInput === "emptyThenFull" ? { rawInput: {} } : {}),
    ...(facts.named ? { _meta: { toolName: name } } : {}),
    ...(hasTerminal ? { content: [{ type: "terminal", terminalId: toolCallId }] } : {}),
    ...(hasTerminal ? { _meta: { terminal_info: { terminal_id: toolCallId } } } : {}),
  };
  if (rawInput === "emptyThenFull") return { first, updates: [{ rawInput: input, title: call.title }] };
  if (rawInput !== "inContent") return { first, updates: [] };
  const updates = [json.slice(0, Math.ceil(json.length / 2)), json].map((text) => {
    return { status: "in_progress", title: `${name}: ${call.title}`, content: [textBlock(text)] };
  });
  return { first, updates };
}
