// What becomes an event on a span: statuses, approvals, questions, errors. Never a text of a user, model or tool.
import type { Attributes } from "@opentelemetry/api";
import { fieldsOf } from "../core/checks.ts";
import type { PermissionData, QuestionData, UniversalItem } from "../universal/events.ts";
import { fieldsIn, labelIn } from "../universal/item-content.ts";
import { OURS } from "./names.ts";

/** An event on a span: its name and its attributes. */
export type SpanEvent = readonly [name: string, attributes: Attributes];

/** The statuses that become events. A backend chooses its labels, so the name of any other status may be a text. */
const LABELS: ReadonlySet<string> = new Set([
  "plan",
  "notice",
  "compaction",
  "recovering",
  "connection.lost",
  "connection.retrying",
  "connection.restored",
  "connection.reconnect_requested", // of Codebuff
  "connection.auth", // of Cass
]);

/** The words that the JSON of these statuses may have. Any other word may be a text. */
const WORDS: ReadonlySet<unknown> = new Set(["info", "warning", "error", "started", "completed"]);

/** The event of a status item, if it has one. */
export function ofStatus(item: UniversalItem): SpanEvent | undefined {
  const label = labelIn(item);
  if (!LABELS.has(label)) return undefined;
  const { entries, severity, state, attempt } = fieldsIn(item);
  const words = Object.entries({ severity, state }).filter(([, word]) => WORDS.has(word));
  const plan: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const done = plan.filter((entry) => fieldsOf(entry)["status"] === "completed");
  return spanEvent(label, {
    ...Object.fromEntries(words),
    ...(typeof attempt === "number" ? { attempt } : {}),
    ...(label === "plan" ? { entries: plan.length, completed: done.length } : {}),
  });
}

/** The event of a request or of its end. `id`: of the client, as `client.decide` takes it. */
export function ofRequest(
  subject: "approval" | "question",
  { status, reason, metadata }: PermissionData | QuestionData,
  fields: Attributes,
): SpanEvent {
  const id = String(fieldsOf(metadata)["request_id"]);
  const name = `${subject}.${status === "requested" ? status : "resolved"}`;
  return spanEvent(name, { id, status, reason, ...fields }, subject);
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
