import { isObject } from "../../core/checks.ts";
import type { UniversalItem } from "../events.ts";
import type { Draft } from "./draft.ts";
import type { PlanEntry, TranscriptChoice, TranscriptCommand } from "./transcript.ts";

/** Status items that say how something stands: a plan, the context. They are fields of the transcript, and no parts of a message. */
const FIELDS = {
  plan: (draft, json) => {
    draft.to.plan = planIn(json["entries"]);
  },
  context: (draft, json) => {
    const { used, size } = json;
    if (typeof used === "number") draft.to.context = { used, ...(typeof size === "number" ? { size } : {}) };
  },
  mode: (draft, json) => {
    draft.to.modes = choiceIn(json);
  },
  model: (draft, json) => {
    draft.to.models = choiceIn(json);
  },
  commands: (draft, json) => {
    draft.to.commands = listIn(json["available"], command);
  },
} satisfies Record<string, (draft: Draft, json: Readonly<Record<string, unknown>>) => void>;

/** Entries of a plan, choices or commands that a transcript keeps. The longest plans of real agents have some fifty. */
export const MAX_ENTRIES = 1_000;

/** Whether the status is a field of the transcript. One without its JSON is a status like others, and is shown. */
export function isNoted(item: UniversalItem): boolean {
  return noted(item) !== undefined;
}

export function note(draft: Draft, item: UniversalItem): void {
  const found = noted(item);
  if (found) FIELDS[found.name](draft, found.json);
}

function noted({ content }: UniversalItem) {
  const [status, more] = content;
  if (status?.type !== "status" || more?.type !== "json" || !isObject(more.json)) return undefined;
  const { label } = status;
  return isField(label) ? { name: label, json: more.json } : undefined;
}

function isField(label: string): label is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, label);
}

function listIn<T>(
  value: unknown,
  read: (entry: Readonly<Record<string, unknown>>) => T | undefined,
): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ENTRIES).flatMap((entry: unknown) => {
    const made = isObject(entry) ? read(entry) : undefined;
    return made === undefined ? [] : [made];
  });
}

/** The last entry of a longer plan says how many are left out. */
function planIn(value: unknown): readonly PlanEntry[] {
  if (!Array.isArray(value) || value.length <= MAX_ENTRIES) return listIn(value, planEntry);
  const kept = value.slice(0, MAX_ENTRIES - 1);
  const content = `${value.length - kept.length} more entries are left out`;
  return [...listIn(kept, planEntry), { content, status: "pending" }];
}

function planEntry({ content, status, priority }: Readonly<Record<string, unknown>>): PlanEntry | undefined {
  if (typeof content !== "string") return undefined;
  return {
    content,
    status: status === "in_progress" || status === "completed" ? status : "pending",
    ...(priority === "high" || priority === "medium" || priority === "low" ? { priority } : {}),
  };
}

function choiceIn({ current, available }: Readonly<Record<string, unknown>>): TranscriptChoice {
  return { current: typeof current === "string" ? current : null, available: listIn(available, choice) };
}

function choice({
  id,
  name,
  description,
}: Readonly<Record<string, unknown>>): TranscriptChoice["available"][number] | undefined {
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  return { id, name, ...(typeof description === "string" ? { description } : {}) };
}

function command({
  name,
  description,
  hint,
}: Readonly<Record<string, unknown>>): TranscriptCommand | undefined {
  if (typeof name !== "string" || typeof description !== "string") return undefined;
  return { name, description, ...(typeof hint === "string" ? { hint } : {}) };
}
