// Reads the content of items and requests: a part, the JSON, a status, a sub-agent, what an approval is about.
import { fieldsOf } from "../core/checks.ts";
import { parseJson } from "../core/text.ts";
import type { ContentPart, PermissionData, ToolCallPart, UniversalItem } from "./events.ts";

type Content = Pick<UniversalItem, "content">;

/** The first part of a type. */
export function partIn<Type extends ContentPart["type"]>({ content }: Content, type: Type) {
  return content.find((part): part is Extract<ContentPart, { readonly type: Type }> => part.type === type);
}

/** The input of a call. Arguments that are incomplete, or no JSON, are shown as text. */
export function callInputOf({ arguments: text }: Pick<ToolCallPart, "arguments">): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The fields of the JSON of an item. */
export function fieldsIn(item: Content): Readonly<Record<string, unknown>> {
  return fieldsOf(partIn(item, "json")?.json);
}

/** The label of a status item. Blank for other items. */
export function labelIn(item: Content): string {
  return partIn(item, "status")?.label ?? "";
}

/** The beginning of the label of a sub-agent's status item. The type of the agent follows. */
const SUBAGENT = "subagent:";

/** What a status item says of a sub-agent. */
export interface SubagentFacts {
  readonly agentType: string;
  readonly name: string;
  readonly prompt?: string;
}

/** The sub-agent of a status item. Undefined for other items. A transcript of an older version has no JSON. */
export function subagentIn(item: Content): SubagentFacts | undefined {
  const { label, detail } = partIn(item, "status") ?? { label: "", detail: null };
  if (!label.startsWith(SUBAGENT)) return undefined;
  const { agent_type, name, prompt } = fieldsIn(item);
  const agentType = typeof agent_type === "string" ? agent_type : label.slice(SUBAGENT.length);
  return {
    agentType,
    name: typeof name === "string" ? name : (detail ?? agentType),
    ...(typeof prompt === "string" ? { prompt } : {}),
  };
}

/** What an approval is about: the input of the call, the words for its grant, and the agent that asks. */
export interface PermissionFacts {
  readonly input: unknown;
  readonly words: { readonly grant?: string; readonly agent?: string };
}

export function permissionFacts({ metadata }: Pick<PermissionData, "metadata">): PermissionFacts {
  const { input, grant, agent } = fieldsOf(metadata);
  return {
    input,
    words: {
      ...(typeof grant === "string" ? { grant } : {}),
      ...(typeof agent === "string" ? { agent } : {}),
    },
  };
}
