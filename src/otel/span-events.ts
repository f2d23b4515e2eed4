// What becomes an event on a span: statuses, approvals, questions, errors. Never a text of a user, model or tool.
import type { AttributeValue as AnyValue, Attributes } from "@opentelemetry/api";
import { fieldsOf } from "../core/checks.ts";
import type { PermissionData, QuestionData, UniversalItem } from "../universal/events.ts";
import { OURS } from "./names.ts";

/** An event on a span: its name and its attributes. */
export type SpanEvent = readonly [name: string, attributes: Attributes];

/** The labels of the statuses that become events. */
const LABELS: ReadonlySet<string> = new Set([
  "plan",
  "notice",
  "compaction",
  "recovering",
  "connection.lost",
  "connection.retrying",
  "connection.restored",
]);

/** The words that the JSON of these statuses may have. Any other word may be a text. */
const WORDS: ReadonlySet<string> = new Set(["info", "warning", "error", "started", "completed"]);

const known = (value: unknown): AnyValue =>
  typeof value === "number" || (typeof value === "string" && WORDS.has(value)) ? value : undefined;

/** The event of a status item, if it has one. */
export function ofStatus(item: UniversalItem): SpanEvent | undefined {
  const label = labelOf(item);
  if (!LABELS.has(label)) return undefined;
  const { entries, severity, state, attempt } = jsonOf(item);
  const plan: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const done = plan.filter((entry) => fieldsOf(entry)["status"] === "completed");
  return spanEvent(label, {
    ...(label === "plan" ? { entries: plan.length, completed: done.length } : {}),
    severity: known(severity),
    state: known(state),
    attempt: known(attempt),
  });
}

/** The label of a status item. Blank for other items. */
export function labelOf({ content }: UniversalItem): string {
  return content.find((part) => part.type === "status")?.label ?? "";
}

/** The JSON of a status item. */
export function jsonOf({ content }: UniversalItem): Readonly<Record<string, unknown>> {
  return fieldsOf(content.find((part) => part.type === "json")?.json);
}

/** The event of a request or its decision. `id`: of the client, as `client.decide` takes it. */
export function ofRequest(subject: "approval" | "question", data: PermissionData | QuestionData): SpanEvent {
  const { status, reason, metadata } = data;
  const { action: tool, scope } = "action" in data ? data : {};
  const id = String(fieldsOf(metadata)["request_id"]);
  const name = `${subject}.${status === "requested" ? status : "resolved"}`;
  return spanEvent(name, { id, tool, status, reason, scope }, subject);
}

export function spanEvent(name: string, fields: Attributes, subject = name): SpanEvent {
  return [OURS + name, ours(subject, fields)];
}

/** Attributes with our prefix: `agentwire.<subject>.<field>`. SDKs leave out undefined ones. */
export function ours(subject: string, fields: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [`${OURS}${subject}.${field}`, value]),
  );
}
