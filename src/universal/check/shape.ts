import { isObject } from "../../core/checks.ts";
import {
  type ContentPart,
  type DataOf,
  type DeltaPart,
  type ErrorData,
  type ItemData,
  type ItemDeltaData,
  type PermissionData,
  type QuestionData,
  type SessionEndedData,
  type SessionStartedData,
  type TurnEndedData,
  type TurnEndMetadata,
  type TurnStartedData,
  type TurnStartMetadata,
  UNIVERSAL_EVENT_TYPES,
  type UniversalAnswer,
  type UniversalCost,
  type UniversalEvent,
  type UniversalEventType,
  type UniversalItem,
  type UniversalQuestion,
  type UniversalStderr,
  type UniversalUsage,
  type UnparsedData,
} from "../events.ts";
import {
  any,
  boolean,
  type Field,
  list,
  literalTrue,
  matching,
  number,
  object,
  optional,
  orNull,
  string,
  tagged,
  whole,
  wholeFromOne,
  word,
} from "./fields.ts";
import { EVENT_ID, ITEM_ID, TIME } from "./patterns.ts";

/** `itm_` and a number. */
const itemId = matching('"itm_" and a number from 1', new RegExp(ITEM_ID));
const origin = word("agent", "daemon");
const visibility = word("public", "private");
const reason = optional(word("user", "policy", "cancelled", "disconnected", "timeout"));

const part = tagged<ContentPart>({
  text: object({ type: word("text"), text: string }),
  reasoning: object({ type: word("reasoning"), text: string, visibility }),
  tool_call: object({ type: word("tool_call"), name: string, arguments: string, call_id: string }),
  tool_result: object({ type: word("tool_result"), call_id: string, output: string }),
  file_ref: object({
    type: word("file_ref"),
    path: string,
    action: word("read", "write", "patch"),
    diff: orNull(string),
  }),
  image: object({ type: word("image"), path: string, mime: orNull(string) }),
  json: object({ type: word("json"), json: any }),
  status: object({ type: word("status"), label: string, detail: orNull(string) }),
});

const item = object<UniversalItem>({
  item_id: itemId,
  native_item_id: orNull(string),
  parent_id: orNull(itemId),
  kind: word("message", "tool_call", "tool_result", "system", "status", "unknown"),
  role: orNull(word("user", "assistant", "system", "tool")),
  content: list(part),
  status: word("in_progress", "completed", "failed"),
});

const itemData = object<ItemData>({ item });

const permission = object<PermissionData>({
  permission_id: string,
  action: string,
  status: word("requested", "accept", "accept_for_session", "reject"),
  metadata: any,
  item_id: optional(itemId),
  call_id: optional(string),
  reason,
});

const question = object<QuestionData>({
  question_id: string,
  prompt: string,
  options: list(string),
  response: orNull(string),
  status: word("requested", "answered", "rejected"),
  questions: optional(
    list(
      object<UniversalQuestion>({
        question: string,
        header: optional(string),
        options: list(
          object<UniversalQuestion["options"][number]>({ label: string, description: optional(string) }),
        ),
        multi_select: boolean,
      }),
    ),
  ),
  answers: optional(
    list(
      object<UniversalAnswer>({
        question_index: whole,
        selected: optional(list(string)),
        other_text: optional(string),
      }),
    ),
  ),
  metadata: optional(any),
  call_id: optional(string),
  reason,
});

const usage = object<UniversalUsage>({
  input_tokens: optional(number),
  output_tokens: optional(number),
  total_output_tokens: optional(number),
  context_tokens: optional(number),
  cache_read_tokens: optional(number),
  cache_write_tokens: optional(number),
});

const data: { readonly [Type in UniversalEventType]: Field<DataOf<Type>> } = {
  "session.started": object<SessionStartedData>({ metadata: any }),
  "session.ended": object<SessionEndedData>({
    reason: word("completed", "error", "terminated"),
    terminated_by: origin,
    message: optional(string),
    exit_code: optional(whole),
    stderr: optional(
      object<UniversalStderr>({
        head: optional(string),
        tail: optional(string),
        truncated: boolean,
        total_lines: optional(whole),
      }),
    ),
    metadata: optional(any),
  }),
  "turn.started": object<TurnStartedData>({
    phase: word("started"),
    turn_id: string,
    metadata: optional(
      object<TurnStartMetadata>({ native_turn_id: optional(string), unsolicited: optional(literalTrue) }),
    ),
  }),
  "turn.ended": object<TurnEndedData>({
    phase: word("ended"),
    turn_id: string,
    metadata: object<TurnEndMetadata>({
      status: word("completed", "failed", "cancelled"),
      stop_reason: optional(string),
      usage: optional(usage),
      cost: optional(object<UniversalCost>({ total: number, currency: string })),
      model: optional(string),
    }),
  }),
  "item.started": itemData,
  "item.completed": itemData,
  "item.delta": object<ItemDeltaData>({
    item_id: itemId,
    native_item_id: orNull(string),
    delta: string,
    part: optional(
      object<DeltaPart>({
        type: word("text", "reasoning", "tool_arguments", "tool_output"),
        visibility: optional(visibility),
      }),
    ),
  }),
  "permission.requested": permission,
  "permission.resolved": permission,
  "question.requested": question,
  "question.resolved": question,
  error: object<ErrorData>({
    message: string,
    code: orNull(string),
    details: any,
    fatal: optional(boolean),
    retryable: optional(boolean),
    turn_id: optional(string),
  }),
  "agent.unparsed": object<UnparsedData>({ error: string, location: string, raw_hash: orNull(string) }),
};

const envelope = object<Omit<UniversalEvent, "data">>({
  event_id: matching('"evt_" and a number from 1', new RegExp(EVENT_ID)),
  sequence: wholeFromOne,
  time: matching('a time such as "2026-02-10T09:00:00.000Z"', new RegExp(TIME)),
  session_id: string,
  native_session_id: orNull(string),
  synthetic: boolean,
  source: origin,
  type: word(...UNIVERSAL_EVENT_TYPES),
  raw: any,
});

const dataOf = new Map<unknown, Field<object>>(Object.entries(data));

/**
 * Says what keeps a value from being an event: a field that is missing or has another type, or a word that is not in its closed list.
 * Unknown fields are no problem.
 */
export function shapeProblem(value: unknown): string | undefined {
  const problem = envelope(value);
  if (problem !== undefined) return problem.startsWith(".") ? problem.slice(1) : `The event${problem}`;
  if (!isObject(value)) return undefined;
  const wrong = dataOf.get(value["type"])?.(value["data"]);
  return wrong && `data${wrong}`;
}

/** Whether a value has the shape of an event: all required fields, of the right types. Unknown fields are allowed. */
export function isUniversalEvent(value: unknown): value is UniversalEvent {
  return shapeProblem(value) === undefined;
}
