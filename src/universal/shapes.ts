// The shapes of events, as data for the check, the zod schemas and the JSON Schema.
import type * as U from "./events.ts";
import { UNIVERSAL_EVENT_TYPES } from "./events.ts";

/** A type as data, so that the check and both schemas cannot differ. `is` exists only for the compiler. */
export type TypeShape<T> = Form & { readonly is?: T };

export type Form =
  /** Any value except a missing one. */
  | { readonly kind: "any" }
  | { readonly kind: "boolean" }
  /** A finite number. `min`: a whole number from `min` on. `whole`: any whole number. */
  | { readonly kind: "number" | "whole"; readonly min?: number }
  /** `expects`: the pattern in words. */
  | { readonly kind: "string"; readonly pattern?: RegExp; readonly expects?: string }
  | { readonly kind: "word"; readonly words: readonly string[] }
  | { readonly kind: "true" }
  | { readonly kind: "null-or" | "list"; readonly of: Form }
  | { readonly kind: "object"; readonly fields: Forms }
  /** An object whose `type` selects its form. */
  | { readonly kind: "tagged"; readonly types: Forms };

/** `isOptional`: the field may be absent. */
export type Forms = Readonly<Record<string, Form & { readonly isOptional?: true }>>;

/** The shape of each field of an interface. The compiler refuses a missing field and a wrong type. */
type Shapes<T> = { readonly [Name in keyof T]-?: TypeShape<T[Name]> };

export const any: TypeShape<unknown> = { kind: "any" };
const boolean: TypeShape<boolean> = { kind: "boolean" };
export const number: TypeShape<number> = { kind: "number" };
const whole: TypeShape<number> = { kind: "whole" };
export const string: TypeShape<string> = { kind: "string" };
const literalTrue: TypeShape<true> = { kind: "true" };

const wholeFrom = (min: number): TypeShape<number> => ({ kind: "whole", min });

const matching = (expects: string, pattern: RegExp): TypeShape<string> => ({
  kind: "string",
  expects,
  pattern,
});

export const word = <const Word extends string>(...words: readonly Word[]): TypeShape<Word> => ({
  kind: "word",
  words,
});

const orNull = <T>(of: TypeShape<T>): TypeShape<T | null> => ({ kind: "null-or", of });

export const listShape = <T>(of: TypeShape<T>): TypeShape<readonly T[]> => ({ kind: "list", of });

export const optionalShape = <T>(of: TypeShape<T>): TypeShape<T> & { readonly isOptional: true } => ({
  ...of,
  isOptional: true,
});

export const objectShape = <T>(fields: Shapes<T>): TypeShape<T> => ({ kind: "object", fields });

/** The table's keys are the `type` values. */
export const tagged = <T extends { readonly type: string }>(
  types: { readonly [Type in T["type"]]: Shapes<Omit<Extract<T, { readonly type: Type }>, "type">> },
): TypeShape<T> => {
  const forms = Object.entries<Forms>(types).map(([type, fields]): [string, Form] => {
    return [type, { kind: "object", fields: { type: word(type), ...fields } }];
  });
  return { kind: "tagged", types: Object.fromEntries(forms) };
};

// Fields that may be absent.
const text = optionalShape(string);
const amount = optionalShape(number);
const count = optionalShape(whole);
const flag = optionalShape(boolean);

const itemId = matching('"itm_" and a number from 1', /^itm_[1-9]\d*$/);
const origin = word("agent", "daemon");
const visibility = word("public", "private");
const reason = optionalShape(word("user", "policy", "cancelled", "disconnected", "timeout"));
const callState = optionalShape(
  word("requested", "awaiting", "approved", "running", "done", "failed", "denied", "abandoned"),
);

const annotation = objectShape<U.Annotation>({
  url: text,
  path: text,
  title: text,
  start: count,
  end: count,
});

export const part = tagged<U.ContentPart>({
  text: { text: string, annotations: optionalShape(listShape(annotation)) },
  reasoning: { text: string, visibility },
  tool_call: {
    name: string,
    arguments: string,
    call_id: string,
    title: text,
    tool_kind: optionalShape(
      word("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"),
    ),
    locations: optionalShape(listShape(objectShape<U.ToolLocation>({ path: string, line: count }))),
  },
  tool_result: { call_id: string, output: string },
  file_ref: { path: string, action: word("read", "write", "patch"), diff: orNull(string) },
  image: { path: string, mime: orNull(string) },
  json: { json: any },
  status: { label: string, detail: orNull(string) },
});

export const item = objectShape<U.UniversalItem>({
  item_id: itemId,
  native_item_id: orNull(string),
  parent_id: orNull(itemId),
  kind: word("message", "tool_call", "tool_result", "system", "status", "unknown"),
  role: orNull(word("user", "assistant", "system", "tool")),
  content: listShape(part),
  status: word("in_progress", "completed", "failed"),
});

const itemData = objectShape<U.ItemData>({ item, state: callState });

const by = word("tool", "agent");
const preview = objectShape<U.ToolPreview>({
  path: string,
  diff: string,
  by,
  old_text: text,
  new_text: text,
});

const permission = objectShape<U.PermissionData>({
  permission_id: string,
  action: string,
  status: word("requested", "accept", "accept_for_session", "reject"),
  metadata: any,
  item_id: optionalShape(itemId),
  call_id: text,
  reason,
  state: callState,
  scope: optionalShape(word("once", "turn", "session")),
  preview: optionalShape(listShape(preview)),
});

const option = objectShape<U.UniversalQuestion["options"][number]>({ label: string, description: text });
const options = listShape(option);
const asked = objectShape<U.UniversalQuestion>({
  question: string,
  header: text,
  options,
  multi_select: boolean,
});

const selected = optionalShape(listShape(string));
const answer = objectShape<U.UniversalAnswer>({ question_index: whole, selected, other_text: text });

const question = objectShape<U.QuestionData>({
  question_id: string,
  prompt: string,
  options: listShape(string),
  response: orNull(string),
  status: word("requested", "answered", "rejected"),
  questions: optionalShape(listShape(asked)),
  answers: optionalShape(listShape(answer)),
  metadata: optionalShape(any),
  call_id: text,
  reason,
});

const usage = objectShape<U.UniversalUsage>({
  input_tokens: amount,
  output_tokens: amount,
  total_output_tokens: amount,
  context_tokens: amount,
  context_window: amount,
  cache_read_tokens: amount,
  cache_write_tokens: amount,
});

const stderr = objectShape<U.UniversalStderr>({
  head: text,
  tail: text,
  truncated: boolean,
  total_lines: count,
});

const turnStart = objectShape<U.TurnStartMetadata>({
  native_turn_id: text,
  unsolicited: optionalShape(literalTrue),
  prompt_id: text,
  branch_of: text,
});

/** The data shape of each event type. */
export const data: { readonly [Type in U.UniversalEventType]: TypeShape<U.DataOf<Type>> } = {
  "session.started": objectShape<U.SessionStartedData>({ metadata: any }),
  "session.ended": objectShape<U.SessionEndedData>({
    reason: word("completed", "error", "terminated"),
    terminated_by: origin,
    message: text,
    exit_code: count,
    stderr: optionalShape(stderr),
    metadata: optionalShape(any),
  }),
  "turn.started": objectShape<U.TurnStartedData>({
    phase: word("started"),
    turn_id: string,
    metadata: optionalShape(turnStart),
  }),
  "turn.ended": objectShape<U.TurnEndedData>({
    phase: word("ended"),
    turn_id: string,
    metadata: objectShape<U.TurnEndMetadata>({
      status: word("completed", "failed", "cancelled"),
      stop_reason: text,
      usage: optionalShape(usage),
      cost: optionalShape(objectShape<U.UniversalCost>({ total: number, currency: string })),
      model: text,
    }),
  }),
  "item.started": itemData,
  "item.completed": itemData,
  "item.delta": objectShape<U.ItemDeltaData>({
    item_id: itemId,
    native_item_id: orNull(string),
    delta: string,
    part: optionalShape(
      objectShape<U.DeltaPart>({
        type: word("text", "reasoning", "tool_arguments", "tool_output"),
        visibility: optionalShape(visibility),
      }),
    ),
  }),
  "permission.requested": permission,
  "permission.resolved": permission,
  "question.requested": question,
  "question.resolved": question,
  error: objectShape<U.ErrorData>({
    message: string,
    code: orNull(string),
    details: any,
    fatal: flag,
    retryable: flag,
    turn_id: text,
  }),
  "agent.unparsed": objectShape<U.UnparsedData>({
    error: string,
    location: string,
    raw_hash: orNull(string),
  }),
};

const eventOf = <Type extends U.UniversalEventType>(type: Type): Form =>
  objectShape<U.Envelope<Type, U.DataOf<Type>>>({
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
    data: data[type],
    raw: any,
  });

/** An event. Its `type` selects the shape of its data. */
export const event: TypeShape<U.UniversalEvent> = {
  kind: "tagged",
  types: Object.fromEntries(UNIVERSAL_EVENT_TYPES.map((type) => [type, eventOf(type)])),
};
