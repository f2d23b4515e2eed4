import type { StatusPart, UniversalItem } from "../events.ts";
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
    const spot = addPart(draft, home(), agentPart(item.item_id, status));
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

function statusIn({ content }: UniversalItem): StatusPart {
  for (const part of content) if (part.type === "status") return part;
  return { type: "status", label: "", detail: null };
}

function agentPart(id: string, { label, detail }: StatusPart): ChatSubagentPart {
  const agentType = label.slice(SUBAGENT.length);
  return { type: "subagent", id, agentType, name: detail ?? agentType, state: "running", parts: emptyList() };
}

function progressPart(
  { item_id: id, content }: UniversalItem,
  { label, detail }: StatusPart,
): ChatStatusPart {
  for (const part of content) {
    if (part.type === "json") return { type: "status", id, label, detail, json: part.json };
  }
  return { type: "status", id, label, detail };
}
