// Applies status items: sub-agents, progress, and known labels (plan, notice, choices, commands).
import { fieldsOf, isObject } from "../../core/checks.ts";
import type { StatusPart, UniversalItem } from "../events.ts";
import { fieldsIn, labelIn, partIn, type SubagentFacts, subagentIn } from "../item-content.ts";
import { swapped, swapsTo } from "./branches.ts";
import { addPart, changePart, type Draft, finish, leaveOpen, rearrange, remember } from "./draft.ts";
import { emptyList } from "./list.ts";
import type { ChatStatusPart, ChatSubagentPart } from "./message.ts";
import {
  type Home,
  keyOf,
  type PlanEntry,
  type Spot,
  type Transcript,
  type TranscriptChoice,
  type TranscriptCommand,
} from "./transcript.ts";
import { recoverAnswer } from "./turns.ts";

const CONNECTION = "connection.";
const LOSSES: ReadonlySet<string> = new Set(["recovering", "connection.lost", "connection.retrying"]);

export function startStatus(draft: Draft, item: UniversalItem, home: () => Home): void {
  const status = statusIn(item);
  const key = keyOf.item(item.item_id);
  const agent = subagentIn(item);
  if (agent) {
    const spot = addPart(draft, home(), agentPart(item, agent));
    remember(draft, key, { kind: "agent", spot });
    leaveOpen(draft, key, spot);
  } else if (LOSSES.has(status.label)) {
    // A lost connection shows in the message's status, until the answer continues.
    recoverAnswer(draft);
  } else if (!status.label.startsWith(CONNECTION) && !noted(item)) {
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

/** A completed status has its content from the start. Only a failure changes it. */
export function completeStatus(draft: Draft, spot: Spot, item: UniversalItem): void {
  if (item.status !== "failed") return;
  changePart(draft, spot, (part) => (part.type === "status" ? { ...part, failed: true } : part));
}

/** Statuses that make a message between turns. */
export function isWord(item: UniversalItem): boolean {
  return Object.hasOwn(WORDS, labelIn(item));
}

type Fields = Readonly<Record<string, unknown>>;

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

function statusIn(item: UniversalItem): StatusPart {
  return partIn(item, "status") ?? { type: "status", label: "", detail: null };
}

function agentPart({ item_id: id }: UniversalItem, agent: SubagentFacts): ChatSubagentPart {
  return { type: "subagent", id, ...agent, state: "running", parts: emptyList() };
}

function progressPart(item: UniversalItem, { label, detail }: StatusPart): ChatStatusPart {
  const data = partIn(item, "json");
  const part: ChatStatusPart = {
    type: "status",
    id: item.item_id,
    label,
    detail,
    ...(data ? { json: data.json } : {}),
  };
  return label === "notice" || label === "compaction" ? WORDS[label](part, fieldsIn(item)) : part;
}

/** Statuses about the current state, such as a plan. They are fields of the transcript, not parts. */
const FIELDS = {
  plan: ({ to }, json) => {
    to.plan = planIn(json["entries"]);
  },
  context: ({ to }, { used, size }) => {
    if (typeof used === "number") to.context = typeof size === "number" ? { used, size } : { used };
  },
  mode: ({ to }, json) => {
    to.modes = choiceIn(json);
  },
  model: ({ to }, json) => {
    to.models = choiceIn(json);
  },
  /** The shown branch. No branch is selected during a turn: another session's open turn was cut off. */
  branch: (draft, { selected }) => {
    const swaps = typeof selected === "string" ? swapsTo(draft.to, selected) : undefined;
    if (swaps && swaps.length > 0 && !draft.book.turn) rearrange(draft, (of) => swaps.reduce(swapped, of));
  },
  commands: ({ to }, json) => {
    to.commands = listIn(json["available"], command);
  },
} satisfies Record<string, (draft: Draft, json: Fields) => void>;

/** Maximum entries of a plan, choices or commands. The longest real plans have some fifty. */
export const MAX_STATUS_ENTRIES = 1_000;

/** What the backend says of a session at its start: the choices that statuses later change. */
export function noteChoices({ to }: Draft, metadata: unknown): void {
  Object.assign(to, choicesIn(metadata));
}

/** The modes, models and commands in the facts of a session. */
export function choicesIn(facts: unknown): Partial<Pick<Transcript, "modes" | "models" | "commands">> {
  const { modes, models, commands } = fieldsOf(facts);
  return {
    ...(isObject(modes) ? { modes: choiceIn(modes) } : {}),
    ...(isObject(models) ? { models: choiceIn(models) } : {}),
    ...(Array.isArray(commands) ? { commands: listIn(commands, command) } : {}),
  };
}

export function note(draft: Draft, item: UniversalItem): void {
  const found = noted(item);
  if (found) FIELDS[found.name](draft, found.json);
}

/** The transcript field that a status sets. A status without JSON is shown like any other. */
function noted({ content }: UniversalItem) {
  const [status, more] = content;
  if (status?.type !== "status" || more?.type !== "json" || !isObject(more.json)) return undefined;
  return isField(status.label) ? { name: status.label, json: more.json } : undefined;
}

function isField(label: string): label is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, label);
}

function listIn<T>(value: unknown, read: (entry: Fields) => T | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_STATUS_ENTRIES).flatMap((entry: unknown) => {
    const made = isObject(entry) ? read(entry) : undefined;
    return made === undefined ? [] : [made];
  });
}

/** If a plan is too long, its last entry counts the omitted ones. */
function planIn(value: unknown): readonly PlanEntry[] {
  if (!Array.isArray(value) || value.length <= MAX_STATUS_ENTRIES) return listIn(value, planEntry);
  const kept = value.slice(0, MAX_STATUS_ENTRIES - 1);
  const content = `${value.length - kept.length} more entries are left out`;
  return [...listIn(kept, planEntry), { content, status: "pending" }];
}

function planEntry({ content, status, priority }: Fields): PlanEntry | undefined {
  if (typeof content !== "string") return undefined;
  return {
    content,
    status: status === "in_progress" || status === "completed" ? status : "pending",
    ...(priority === "high" || priority === "medium" || priority === "low" ? { priority } : {}),
  };
}

function choiceIn({ current, available }: Fields): TranscriptChoice {
  return { current: typeof current === "string" ? current : null, available: listIn(available, choice) };
}

function choice({ id, name, description }: Fields): TranscriptChoice["available"][number] | undefined {
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  return { id, name, ...(typeof description === "string" ? { description } : {}) };
}

function command({ name, description, hint }: Fields): TranscriptCommand | undefined {
  if (typeof name !== "string" || typeof description !== "string") return undefined;
  return { name, description, ...(typeof hint === "string" ? { hint } : {}) };
}
