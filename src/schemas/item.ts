import * as z from "zod/mini";
import type { ITEM_ID } from "../universal/check/patterns.ts";
import type {
  ContentPart,
  FileRefPart,
  ImagePart,
  JsonPart,
  ReasoningPart,
  StatusPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UniversalItem,
} from "../universal/events.ts";
import { matching, type Shape } from "./shape.ts";

/** `itm_` and a number. */
export const itemId = matching(new RegExp("^itm_[1-9]\\d*$" satisfies typeof ITEM_ID));

export const visibility = z.enum(["public", "private"]);

export const part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() } satisfies Shape<TextPart>),
  z.looseObject({
    type: z.literal("reasoning"),
    text: z.string(),
    visibility,
  } satisfies Shape<ReasoningPart>),
  z.looseObject({
    type: z.literal("tool_call"),
    name: z.string(),
    arguments: z.string(),
    call_id: z.string(),
  } satisfies Shape<ToolCallPart>),
  z.looseObject({
    type: z.literal("tool_result"),
    call_id: z.string(),
    output: z.string(),
  } satisfies Shape<ToolResultPart>),
  z.looseObject({
    type: z.literal("file_ref"),
    path: z.string(),
    action: z.enum(["read", "write", "patch"]),
    diff: z.nullable(z.string()),
  } satisfies Shape<FileRefPart>),
  z.looseObject({
    type: z.literal("image"),
    path: z.string(),
    mime: z.nullable(z.string()),
  } satisfies Shape<ImagePart>),
  z.looseObject({ type: z.literal("json"), json: z.unknown() } satisfies Shape<JsonPart>),
  z.looseObject({
    type: z.literal("status"),
    label: z.string(),
    detail: z.nullable(z.string()),
  } satisfies Shape<StatusPart>),
]);

export const item = z.looseObject({
  item_id: itemId,
  native_item_id: z.nullable(z.string()),
  parent_id: z.nullable(itemId),
  kind: z.enum(["message", "tool_call", "tool_result", "system", "status", "unknown"]),
  role: z.nullable(z.enum(["user", "assistant", "system", "tool"])),
  content: z.array(part),
  status: z.enum(["in_progress", "completed", "failed"]),
} satisfies Shape<UniversalItem>);

/** The schema of a content part. */
export const contentPartSchema: z.ZodMiniType<ContentPart> = part;

/** The schema of an item. */
export const universalItemSchema: z.ZodMiniType<UniversalItem> = item;
