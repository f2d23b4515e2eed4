import { isObject } from "../core/checks.ts";
import {
  type ContentPart,
  type ItemKind,
  type ItemRole,
  type ItemStatus,
  UNIVERSAL_EVENT_TYPES,
  type UniversalEvent,
  type UniversalEventType,
} from "./events.ts";

/**
 * Whether `value` has the shape of a universal event, as far as readers of events rely on it: all ten fields of the envelope, and the
 * required fields of the data of its type, and the optional ones where they are given. Unknown fields are allowed. Whether a list of events makes sense is for `checkTranscript`.
 */
export function isUniversalEvent(value: unknown): value is UniversalEvent {
  return eventProblem(value) === undefined;
}

/** What keeps `value` from being an event; `undefined` for an event. Does not quote the value. */
export function eventProblem(value: unknown): string | undefined {
  if (!isObject(value)) return "it is no object";
  const wrong = wrongField(value, ENVELOPE);
  if (wrong !== undefined) return `\`${wrong}\` is missing or wrong`;
  if (value["synthetic"] === true && value["source"] !== "daemon")
    return "a synthetic event must be of the source daemon";
  const { type, data } = value;
  if (!isType(type)) return "`type` is no type of event";
  if (!isObject(data)) return "`data` is no object";
  const wrongData = wrongField(data, DATA[type]);
  return wrongData === undefined ? undefined : `\`data.${wrongData}\` is missing or wrong`;
}

type Holds = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Holds>>;

/** The first field that does not hold. */
function wrongField(value: Readonly<Record<string, unknown>>, shape: Shape): string | undefined {
  for (const name in shape) if (!shape[name]?.(value[name])) return name;
  return undefined;
}

function isType(value: unknown): value is UniversalEventType {
  return typeof value === "string" && TYPES.has(value);
}

const TYPES: ReadonlySet<string> = new Set(UNIVERSAL_EVENT_TYPES);

const text: Holds = (value) => typeof value === "string";
const textOrNull: Holds = (value) => value === null || typeof value === "string";
const flag: Holds = (value) => typeof value === "boolean";
const number: Holds = (value) => typeof value === "number";
/** Any JSON. */
const anything: Holds = (value) => value !== undefined;
const optional =
  (holds: Holds): Holds =>
  (value) =>
    value === undefined || holds(value);
const oneOf =
  (...values: readonly string[]): Holds =>
  (value) =>
    typeof value === "string" && values.includes(value);
const listOf =
  (holds: Holds): Holds =>
  (value) =>
    Array.isArray(value) && value.every(holds);
const shaped =
  (shape: Shape): Holds =>
  (value) =>
    isObject(value) && wrongField(value, shape) === undefined;

const ENVELOPE: Shape = {
  event_id: text,
  sequence: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  time: text,
  session_id: text,
  native_session_id: textOrNull,
  synthetic: flag,
  source: oneOf("agent", "daemon"),
  type: text,
  data: anything,
  raw: anything,
};

/** The required fields of each part. */
const PARTS = {
  text: { text },
  reasoning: { text, visibility: oneOf("public", "private") },
  tool_call: { name: text, arguments: text, call_id: text },
  tool_result: { call_id: text, output: text },
  file_ref: { path: text, action: oneOf("read", "write", "patch"), diff: textOrNull },
  image: { path: text, mime: textOrNull },
  json: { json: anything },
  status: { label: text, detail: textOrNull },
} as const satisfies Readonly<Record<ContentPart["type"], Shape>>;

const isPart: Holds = (value) => {
  if (!isObject(value)) return false;
  const { type } = value;
  if (typeof type !== "string" || !Object.hasOwn(PARTS, type)) return false;
  return wrongField(value, PARTS[type as keyof typeof PARTS]) === undefined;
};

const KINDS: readonly ItemKind[] = ["message", "tool_call", "tool_result", "system", "status", "unknown"];
const ROLES: readonly ItemRole[] = ["user", "assistant", "system", "tool"];
const STATUSES: readonly ItemStatus[] = ["in_progress", "completed", "failed"];
const isRole = oneOf(...ROLES);

const item = shaped({
  item_id: text,
  native_item_id: textOrNull,
  parent_id: textOrNull,
  kind: oneOf(...KINDS),
  role: (value) => value === null || isRole(value),
  content: listOf(isPart),
  status: oneOf(...STATUSES),
});

const reason = optional(oneOf("user", "policy", "cancelled", "disconnected", "timeout"));

const permission: Shape = {
  permission_id: text,
  action: text,
  status: oneOf("requested", "accept", "accept_for_session", "reject"),
  metadata: anything,
  item_id: optional(text),
  call_id: optional(text),
  reason,
};

const choice = shaped({ label: text, description: optional(text) });

const question: Shape = {
  question_id: text,
  prompt: text,
  options: listOf(text),
  response: textOrNull,
  status: oneOf("requested", "answered", "rejected"),
  questions: optional(
    listOf(shaped({ question: text, header: optional(text), options: listOf(choice), multi_select: flag })),
  ),
  answers: optional(
    listOf(shaped({ question_index: number, selected: optional(listOf(text)), other_text: optional(text) })),
  ),
  call_id: optional(text),
  reason,
};

const usage = shaped({
  input_tokens: optional(number),
  output_tokens: optional(number),
  total_output_tokens: optional(number),
  context_tokens: optional(number),
  cache_read_tokens: optional(number),
  cache_write_tokens: optional(number),
});

const end = shaped({
  status: oneOf("completed", "failed", "cancelled"),
  stop_reason: optional(text),
  usage: optional(usage),
  cost: optional(shaped({ total: number, currency: text })),
  model: optional(text),
});

const stderr = shaped({
  head: optional(text),
  tail: optional(text),
  truncated: flag,
  total_lines: optional(number),
});

const deltaPart = shaped({
  type: oneOf("text", "reasoning", "tool_arguments", "tool_output"),
  visibility: optional(oneOf("public", "private")),
});

/** The fields of the data of each type. */
const DATA = {
  "session.started": { metadata: anything },
  "session.ended": {
    reason: oneOf("completed", "error", "terminated"),
    terminated_by: oneOf("agent", "daemon"),
    message: optional(text),
    exit_code: optional(number),
    stderr: optional(stderr),
  },
  "turn.started": { phase: oneOf("started"), turn_id: text, metadata: optional(isObject) },
  "turn.ended": { phase: oneOf("ended"), turn_id: text, metadata: end },
  "item.started": { item },
  "item.completed": { item },
  "item.delta": { item_id: text, native_item_id: textOrNull, delta: text, part: optional(deltaPart) },
  "permission.requested": permission,
  "permission.resolved": permission,
  "question.requested": question,
  "question.resolved": question,
  error: {
    message: text,
    code: textOrNull,
    details: anything,
    fatal: optional(flag),
    retryable: optional(flag),
    turn_id: optional(text),
  },
  "agent.unparsed": { error: text, location: text, raw_hash: textOrNull },
} as const satisfies Readonly<Record<UniversalEventType, Shape>>;
