import type {
  Annotation,
  ContentPart,
  DataOf,
  DeltaPart,
  Envelope,
  ErrorData,
  ItemData,
  ItemDeltaData,
  PermissionData,
  QuestionData,
  SessionEndedData,
  SessionStartedData,
  ToolLocation,
  ToolPreview,
  TurnEndedData,
  TurnEndMetadata,
  TurnStartedData,
  TurnStartMetadata,
  UniversalAnswer,
  UniversalCost,
  UniversalEvent,
  UniversalEventType,
  UniversalItem,
  UniversalQuestion,
  UniversalStderr,
  UniversalUsage,
  UnparsedData,
} from "../events.ts";
import {
  any,
  boolean,
  list,
  literalTrue,
  matching,
  number,
  object,
  optional,
  orNull,
  type Shape,
  string,
  tagged,
  whole,
  wholeFrom,
  word,
} from "./shape.ts";

/** `itm_` and a number. */
const itemId = matching('"itm_" and a number from 1', /^itm_[1-9]\d*$/);
const origin = word("agent", "daemon");
const visibility = word("public", "private");
const reason = optional(word("user", "policy", "cancelled", "disconnected", "timeout"));
const callState = optional(
  word("requested", "awaiting", "approved", "running", "done", "failed", "denied", "abandoned"),
);

const annotation = object<Annotation>({
  url: optional(string),
  path: optional(string),
  title: optional(string),
  start: optional(whole),
  end: optional(whole),
});

export const part = tagged<ContentPart>({
  text: object({ type: word("text"), text: string, annotations: optional(list(annotation)) }),
  reasoning: object({ type: word("reasoning"), text: string, visibility }),
  tool_call: object({
    type: word("tool_call"),
    name: string,
    arguments: string,
    call_id: string,
    title: optional(string),
    tool_kind: optional(
      word("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"),
    ),
    locations: optional(list(object<ToolLocation>({ path: string, line: optional(whole) }))),
  }),
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

export const item = object<UniversalItem>({
  item_id: itemId,
  native_item_id: orNull(string),
  parent_id: orNull(itemId),
  kind: word("message", "tool_call", "tool_result", "system", "status", "unknown"),
  role: orNull(word("user", "assistant", "system", "tool")),
  content: list(part),
  status: word("in_progress", "completed", "failed"),
});

const itemData = object<ItemData>({ item, state: callState });

const permission = object<PermissionData>({
  permission_id: string,
  action: string,
  status: word("requested", "accept", "accept_for_session", "reject"),
  metadata: any,
  item_id: optional(itemId),
  call_id: optional(string),
  reason,
  state: callState,
  scope: optional(word("once", "turn", "session")),
  preview: optional(
    list(
      object<ToolPreview>({
        path: string,
        diff: string,
        by: word("tool", "agent"),
        old_text: optional(string),
        new_text: optional(string),
      }),
    ),
  ),
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
  context_window: optional(number),
  cache_read_tokens: optional(number),
  cache_write_tokens: optional(number),
});

/** The data of each type of event. */
export const data: { readonly [Type in UniversalEventType]: Shape<DataOf<Type>> } = {
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
      object<TurnStartMetadata>({
        native_turn_id: optional(string),
        unsolicited: optional(literalTrue),
        prompt_id: optional(string),
        branch_of: optional(string),
      }),
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

const eventOf = <Type extends string, Data>(type: Type, data: Shape<Data>): Shape<Envelope<Type, Data>> =>
  object<Envelope<Type, Data>>({
    event_id: matching('"evt_" and a number from 1', /^evt_[1-9]\d*$/),
    sequence: wholeFrom(1),
    time: matching(
      'a time such as "2026-02-10T09:00:00.000Z"',
      /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
    ),
    session_id: string,
    native_session_id: orNull(string),
    synthetic: boolean,
    source: origin,
    type: word(type),
    data,
    raw: any,
  });

export const event = tagged<UniversalEvent>({
  "session.started": eventOf("session.started", data["session.started"]),
  "session.ended": eventOf("session.ended", data["session.ended"]),
  "turn.started": eventOf("turn.started", data["turn.started"]),
  "turn.ended": eventOf("turn.ended", data["turn.ended"]),
  "item.started": eventOf("item.started", data["item.started"]),
  "item.delta": eventOf("item.delta", data["item.delta"]),
  "item.completed": eventOf("item.completed", data["item.completed"]),
  "permission.requested": eventOf("permission.requested", data["permission.requested"]),
  "permission.resolved": eventOf("permission.resolved", data["permission.resolved"]),
  "question.requested": eventOf("question.requested", data["question.requested"]),
  "question.resolved": eventOf("question.resolved", data["question.resolved"]),
  error: eventOf("error", data.error),
  "agent.unparsed": eventOf("agent.unparsed", data["agent.unparsed"]),
});
