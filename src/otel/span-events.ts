// What becomes an event on a span: statuses, approvals, questions, errors. Never a text of a user, model or tool.
import type { Attributes } from "@opentelemetry/api";
import { fieldsOf } from "../core/checks.ts";
import type { ErrorData, PermissionData, QuestionData, UniversalItem } from "../universal/events.ts";
import { GEN_AI, OURS } from "./names.ts";

/** An event on a span. */
export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

type Fields = Readonly<Record<string, unknown>>;

/** The statuses that become events, by label, each with its attributes. Other labels and all details are left out. */
const STATUSES: Readonly<Record<string, (json: Fields) => Fields>> = {
  plan: ({ entries }) => {
    if (!Array.isArray(entries)) return {};
    const done = entries.filter((entry: unknown) => fieldsOf(entry)["status"] === "completed");
    return { entries: entries.length, completed: done.length };
  },
  notice: ({ severity }) => oneOfThese({ severity }, "info", "warning", "error"),
  compaction: ({ state }) => oneOfThese({ state }, "started", "completed"),
  recovering: () => ({}),
  "connection.lost": () => ({}),
  "connection.retrying": ({ attempt }) => (typeof attempt === "number" ? { attempt } : {}),
  "connection.restored": () => ({}),
};

/** The fields with a known word. Any other word may be a text. */
function oneOfThese(fields: Fields, ...words: readonly unknown[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, word]) => words.includes(word)));
}

/** The event of a status item, if it has one. */
export function ofStatus(item: UniversalItem): SpanEvent | undefined {
  const label = labelOf(item);
  const fieldsIn = Object.hasOwn(STATUSES, label) ? STATUSES[label] : undefined;
  return fieldsIn && eventOf(label, fieldsIn(jsonOf(item)));
}

/** The label of a status item. Blank for other items. */
export function labelOf({ kind, content }: UniversalItem): string {
  if (kind !== "status") return "";
  return content.find((part) => part.type === "status")?.label ?? "";
}

/** The JSON of a status item. */
export function jsonOf({ content }: UniversalItem): Fields {
  return fieldsOf(content.find((part) => part.type === "json")?.json);
}

export function ofApproval({
  permission_id,
  action,
  status,
  metadata,
  reason,
  scope,
}: PermissionData): SpanEvent {
  const { request_id: id = permission_id } = fieldsOf(metadata);
  const isOpen = status === "requested";
  const { name, attributes } = eventOf(
    isOpen ? "approval.requested" : "approval.decided",
    isOpen ? { id } : { id, decision: status, reason, scope },
    "approval",
  );
  return { name, attributes: { ...attributes, [GEN_AI.toolName]: action } };
}

export function ofQuestion({ question_id, status, metadata, reason }: QuestionData): SpanEvent {
  const { request_id: id = question_id } = fieldsOf(metadata);
  const isOpen = status === "requested";
  return eventOf(
    isOpen ? "question.requested" : "question.answered",
    isOpen ? { id } : { id, status, reason },
    "question",
  );
}

/** `type`: the value of `error.type`. */
export function ofError({ code, retryable }: ErrorData): SpanEvent & { readonly type: string } {
  const { name, attributes } = eventOf("error", { retryable });
  const type = errorTypeOf(code);
  return { name, attributes: { ...attributes, [GEN_AI.errorType]: type }, type };
}

/** The value that the conventions have for an error without a type. */
const OTHER = "_OTHER";

export function errorTypeOf(code: string | null | undefined): string {
  return code || OTHER;
}

/** Attributes with our prefix: `agentwire.<subject>.<field>`. Fields without a plain value are left out. */
export function ours(subject: string, fields: Fields): Attributes {
  const attributes: Attributes = {};
  for (const [field, value] of Object.entries(fields))
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      attributes[`${OURS}${subject}.${field}`] = value;
  return attributes;
}

export function eventOf(name: string, fields: Fields = {}, subject = name): SpanEvent {
  return { name: OURS + name, attributes: ours(subject, fields) };
}
