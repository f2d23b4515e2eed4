import { isObject } from "../../core/checks.ts";
import type { JsonPart, StatusPart, UniversalItem } from "../events.ts";
import { addPart, changePart, type Draft, finish, leaveOpen, remember } from "./draft.ts";
import { emptyList } from "./list.ts";
import type { ChatStatusPart, ChatSubagentPart } from "./message.ts";
import { isNoted } from "./notes.ts";
import { type Home, keyOf, type Spot } from "./transcript.ts";
import { recoverAnswer } from "./turns.ts";

const SUBAGENT = "subagent:";
const CONNECTION = "connection.";
const LOSSES: ReadonlySet<string> = new Set(["recovering", "connection.lost", "connection.retrying"]);

/** A status of a turn: a sub-agent, the connection, or progress. */
export function startStatus(draft: Draft, item: UniversalItem, home: () => Home): void {
  const status = statusIn(item);
  const key = keyOf.item(item.item_id);
  if (status.label.startsWith(SUBAGENT)) {
    const spot = addPart(draft, home(), agentPart(item, status));
    remember(draft, key, { kind: "agent", spot });
    leaveOpen(draft, key, spot);
  } else if (LOSSES.has(status.label)) {
    // A loss shows in the status of the message, until the answer goes on.
    recoverAnswer(draft);
  } else if (!status.label.startsWith(CONNECTION) && !isNoted(item)) {
    remember(draft, key, { kind: "status", spot: addPart(draft, home(), progressPart(item, status)) });
  }
}

export function completeAgent(draft: Draft, spot: Spot, item: UniversalItem): void {
  const { detail } = statusIn(item);
  const state = item.status === "failed" ? "failed" : "done";
  changePart(draft, spot, (part) =>
    part.type === "subagent" ? { ...part, name: detail ?? part.name, state } : part,
  );
  finish(draft, keyOf.item(item.item_id));
}

/** A status completes with the content of its start, and only a failure is news. */
export function completeStatus(draft: Draft, spot: Spot, item: UniversalItem): void {
  if (item.status !== "failed") return;
  changePart(draft, spot, (part) => (part.type === "status" ? { ...part, failed: true } : part));
}

/** Statuses that are worth a message of their own between turns. */
export function isWord(item: UniversalItem): boolean {
  return Object.hasOwn(WORDS, statusIn(item).label);
}

/** What more is shown of a status with this label. */
const WORDS = {
  notice: (part, { severity }) => ({
    ...part,
    severity: severity === "warning" || severity === "error" ? severity : "info",
  }),
  compaction: (part, { state }) => ({
    ...part,
    detail:
      part.detail ?? (state === "started" ? "The history is being shortened." : "The history was shortened."),
  }),
} satisfies Record<string, (part: ChatStatusPart, json: Fields) => ChatStatusPart>;

type Fields = Readonly<Record<string, unknown>>;

function statusIn({ content }: UniversalItem): StatusPart {
  for (const part of content) if (part.type === "status") return part;
  return { type: "status", label: "", detail: null };
}

function jsonIn({ content }: UniversalItem): JsonPart | undefined {
  return content.find((part) => part.type === "json");
}

/** A transcript of an older version has no JSON: there the label names the type. */
function agentPart(item: UniversalItem, { label, detail }: StatusPart): ChatSubagentPart {
  const { agent_type, name, prompt } = fieldsIn(item);
  const agentType = typeof agent_type === "string" ? agent_type : label.slice(SUBAGENT.length);
  return {
    type: "subagent",
    id: item.item_id,
    agentType,
    name: typeof name === "string" ? name : (detail ?? agentType),
    ...(typeof prompt === "string" ? { prompt } : {}),
    state: "running",
    parts: emptyList(),
  };
}

function progressPart(item: UniversalItem, { label, detail }: StatusPart): ChatStatusPart {
  const json = jsonIn(item);
  const part: ChatStatusPart = {
    type: "status",
    id: item.item_id,
    label,
    detail,
    ...(json ? { json: json.json } : {}),
  };
  return label === "notice" || label === "compaction" ? WORDS[label](part, fieldsIn(item)) : part;
}

function fieldsIn(item: UniversalItem): Fields {
  const json = jsonIn(item)?.json;
  return isObject(json) ? json : {};
}
