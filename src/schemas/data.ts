import * as z from "zod/mini";
import type {
  DataOf,
  DeltaPart,
  ErrorData,
  ItemData,
  ItemDeltaData,
  PermissionData,
  QuestionData,
  SessionEndedData,
  SessionStartedData,
  TurnEndedData,
  TurnEndMetadata,
  TurnStartedData,
  TurnStartMetadata,
  UniversalAnswer,
  UniversalCost,
  UniversalEventType,
  UniversalQuestion,
  UniversalStderr,
  UniversalUsage,
  UnparsedData,
} from "../universal/events.ts";
import { item, itemId, visibility } from "./item.ts";
import type { Shape } from "./shape.ts";

export const origin = z.enum(["agent", "daemon"]);

const text = z.exactOptional(z.string());
const tokens = z.exactOptional(z.number());
const reason = z.exactOptional(z.enum(["user", "policy", "cancelled", "disconnected", "timeout"]));

const sessionStarted = z.looseObject({ metadata: z.unknown() } satisfies Shape<SessionStartedData>);

const sessionEnded = z.looseObject({
  reason: z.enum(["completed", "error", "terminated"]),
  terminated_by: origin,
  message: text,
  exit_code: z.exactOptional(z.int()),
  stderr: z.exactOptional(
    z.looseObject({
      head: text,
      tail: text,
      truncated: z.boolean(),
      total_lines: z.exactOptional(z.int()),
    } satisfies Shape<UniversalStderr>),
  ),
  metadata: z.exactOptional(z.unknown()),
} satisfies Shape<SessionEndedData>);

const turnStarted = z.looseObject({
  phase: z.literal("started"),
  turn_id: z.string(),
  metadata: z.exactOptional(
    z.looseObject({
      native_turn_id: text,
      unsolicited: z.exactOptional(z.literal(true)),
    } satisfies Shape<TurnStartMetadata>),
  ),
} satisfies Shape<TurnStartedData>);

const usage = z.looseObject({
  input_tokens: tokens,
  output_tokens: tokens,
  total_output_tokens: tokens,
  context_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
} satisfies Shape<UniversalUsage>);

const cost = z.looseObject({ total: z.number(), currency: z.string() } satisfies Shape<UniversalCost>);

const turnEnded = z.looseObject({
  phase: z.literal("ended"),
  turn_id: z.string(),
  metadata: z.looseObject({
    status: z.enum(["completed", "failed", "cancelled"]),
    stop_reason: text,
    usage: z.exactOptional(usage),
    cost: z.exactOptional(cost),
    model: text,
  } satisfies Shape<TurnEndMetadata>),
} satisfies Shape<TurnEndedData>);

const itemData = z.looseObject({ item } satisfies Shape<ItemData>);

const itemDelta = z.looseObject({
  item_id: itemId,
  native_item_id: z.nullable(z.string()),
  delta: z.string(),
  part: z.exactOptional(
    z.looseObject({
      type: z.enum(["text", "reasoning", "tool_arguments", "tool_output"]),
      visibility: z.exactOptional(visibility),
    } satisfies Shape<DeltaPart>),
  ),
} satisfies Shape<ItemDeltaData>);

const permission = z.looseObject({
  permission_id: z.string(),
  action: z.string(),
  status: z.enum(["requested", "accept", "accept_for_session", "reject"]),
  metadata: z.unknown(),
  item_id: z.exactOptional(itemId),
  call_id: text,
  reason,
} satisfies Shape<PermissionData>);

const option = z.looseObject({ label: z.string(), description: text } satisfies Shape<
  UniversalQuestion["options"][number]
>);

const questionItem = z.looseObject({
  question: z.string(),
  header: text,
  options: z.array(option),
  multi_select: z.boolean(),
} satisfies Shape<UniversalQuestion>);

const answer = z.looseObject({
  question_index: z.int(),
  selected: z.exactOptional(z.array(z.string())),
  other_text: text,
} satisfies Shape<UniversalAnswer>);

const question = z.looseObject({
  question_id: z.string(),
  prompt: z.string(),
  options: z.array(z.string()),
  response: z.nullable(z.string()),
  status: z.enum(["requested", "answered", "rejected"]),
  questions: z.exactOptional(z.array(questionItem)),
  answers: z.exactOptional(z.array(answer)),
  metadata: z.exactOptional(z.unknown()),
  call_id: text,
  reason,
} satisfies Shape<QuestionData>);

const error = z.looseObject({
  message: z.string(),
  code: z.nullable(z.string()),
  details: z.unknown(),
  fatal: z.exactOptional(z.boolean()),
  retryable: z.exactOptional(z.boolean()),
  turn_id: text,
} satisfies Shape<ErrorData>);

const unparsed = z.looseObject({
  error: z.string(),
  location: z.string(),
  raw_hash: z.nullable(z.string()),
} satisfies Shape<UnparsedData>);

export const data = {
  "session.started": sessionStarted,
  "session.ended": sessionEnded,
  "turn.started": turnStarted,
  "turn.ended": turnEnded,
  "item.started": itemData,
  "item.delta": itemDelta,
  "item.completed": itemData,
  "permission.requested": permission,
  "permission.resolved": permission,
  "question.requested": question,
  "question.resolved": question,
  error,
  "agent.unparsed": unparsed,
} satisfies Record<UniversalEventType, z.ZodMiniType>;

/** The schema of the data of each type of event. */
export const eventDataSchemas: { readonly [Type in UniversalEventType]: z.ZodMiniType<DataOf<Type>> } = data;
