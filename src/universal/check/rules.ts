// Rules for one event that its types cannot express.
import type { ContentPart, ItemKind, ItemRole, UniversalEvent, UniversalItem } from "../events.ts";

const ROLES: Readonly<Record<ItemKind, readonly (ItemRole | null)[]>> = {
  message: ["user", "assistant"],
  tool_call: ["assistant"],
  tool_result: ["tool"],
  system: ["system"],
  status: [null],
  unknown: [null],
};

/** Returns a sentence for each broken rule. */
export function brokenRules(event: UniversalEvent): readonly string[] {
  const isNumbered = event.event_id === `evt_${event.sequence}`;
  return [...(isNumbered ? [] : ["`event_id` is not `evt_` and the sequence."]), ...dataProblems(event)];
}

function dataProblems(event: UniversalEvent): readonly string[] {
  switch (event.type) {
    case "item.started":
    case "item.completed":
      return itemProblems(event.data.item, event.type === "item.completed");
    case "permission.requested":
    case "question.requested":
      return event.data.status === "requested" ? [] : ["A request must have the status `requested`."];
    case "permission.resolved":
    case "question.resolved":
      return event.data.status === "requested" ? ["A resolved request has the status `requested`."] : [];
    case "session.ended": {
      const { reason, message, exit_code, stderr } = event.data;
      const hasCause = message !== undefined || exit_code !== undefined || stderr !== undefined;
      if (!hasCause || reason === "error") return [];
      return ["`message`, `exit_code` and `stderr` are only for the reason `error`."];
    }
    case "agent.unparsed":
      return event.synthetic ? [] : ["`agent.unparsed` must be synthetic."];
    default:
      return [];
  }
}

function itemProblems({ kind, role, status, content }: UniversalItem, completed: boolean): readonly string[] {
  const count = (type: ContentPart["type"]): number => content.filter((part) => part.type === type).length;
  const has = (type: ContentPart["type"]): boolean => content.some((part) => part.type === type);
  const first = content[0]?.type;
  const isUnknownResult = content.length === 0 && !completed; // at the start, a result has no content yet
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [
      (status !== "in_progress") !== completed,
      `The status of the item must ${completed ? "not " : ""}be \`in_progress\`.`,
    ],
    [!ROLES[kind].includes(role), `An item of kind \`${kind}\` cannot have the role \`${role}\`.`],
    [
      kind === "tool_call" && (content.length !== 1 || first !== kind),
      "The content of a tool call must be one `tool_call` part.",
    ],
    [
      kind === "tool_result" && !isUnknownResult && (count(kind) !== 1 || first !== kind),
      "The content of a tool result must be one `tool_result` part, and then parts of other types.",
    ],
    [kind !== "tool_call" && has("tool_call"), "A `tool_call` part belongs in an item of this kind."],
    [kind !== "tool_result" && has("tool_result"), "A `tool_result` part belongs in an item of this kind."],
    [
      has("reasoning") && (kind !== "message" || count("reasoning") < content.length),
      "Reasoning belongs in a message of its own.",
    ],
    [
      has("file_ref") && kind !== "message" && kind !== "tool_result",
      "A `file_ref` part belongs in a message or a tool result.",
    ],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));
}
