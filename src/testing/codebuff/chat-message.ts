// Reads messages of a prompt in each spelling that the servers accept.
import { type Dict, isDict } from "../server/dict.ts";
import { pythonTypeName } from "../server/python-repr.ts";
import {
  anyOf,
  type Check,
  checkModel,
  dict,
  instanceOf,
  listOf,
  type Model,
  nullable,
  optional,
  report,
  required,
  sequenceOf,
  text,
  unionOf,
} from "./pydantic.ts";

const ROLES_AS_TYPES: readonly unknown[] = ["user", "assistant", "system"];

const TEXT_PART: Model = {
  name: "MessageContentPartText",
  fields: [optional("type", text), required("text", text), optional("cache_control", nullable(dict))],
  closed: true,
};
const IMAGE_URL: Model = {
  name: "ImageURL",
  fields: [required("url", text), optional("detail", nullable(text))],
};
const IMAGE_PART: Model = {
  name: "MessageContentPartImage",
  fields: [
    optional("type", text),
    required("image_url", instanceOf(IMAGE_URL)),
    optional("cache_control", nullable(dict)),
  ],
  closed: true,
};
const AUDIO: Model = { name: "InputAudio", fields: [required("data", text), required("format", text)] };
const AUDIO_PART: Model = {
  name: "MessageContentPartAudio",
  fields: [optional("type", text), required("input_audio", instanceOf(AUDIO))],
};
const PARTS = [TEXT_PART, IMAGE_PART, AUDIO_PART];

/** What pydantic calls a sequence in the path of an issue. */
const SEQUENCE = `json-or-python[json=list[union[${PARTS.map(({ name }) => name).join(",")}]],python=chain[is-instance[Sequence],function-wrap[sequence_validator()]]]`;

const FUNCTION: Model = {
  name: "FunctionCall",
  fields: [required("name", text), required("arguments", text)],
};
const TOOL_CALL: Model = {
  name: "ToolCall",
  fields: [
    required("id", text),
    optional("type", text),
    required("function", instanceOf(FUNCTION)),
    optional("extra_content", nullable(dict)),
  ],
};

/** One message for the language model, as the proxy holds it. */
const CHAT_MESSAGE: Model = {
  name: "ChatMessage",
  fields: [
    required("role", text),
    optional("content", nullable(anyOf({ str: text, [SEQUENCE]: sequenceOf(unionOf(PARTS)) }))),
    optional("reasoning_content", nullable(text)),
    optional("name", nullable(text)),
    optional("tool_calls", nullable(listOf(instanceOf(TOOL_CALL)))),
    optional("tool_call_id", nullable(text)),
    optional("metadata", nullable(dict)),
  ],
};

/** An item of `content`, which may be spelt in several ways. */
export const contentItem: Check = (input, path) =>
  instanceOf(CHAT_MESSAGE)(isDict(input) ? speltOut(input) : input, path);

/**
 * A message with its role and its content under their own names: it may be wrapped in `message`, have its role as `type`,
 * its text as `text`, or no role at all.
 */
export function speltOut(item: Dict): Dict {
  const { message, type, text: said } = item;
  if (isDict(message)) return speltOut(message);
  const role = Object.hasOwn(item, "role") ? item["role"] : ROLES_AS_TYPES.includes(type) ? type : "user";
  return { ...item, role, content: Object.hasOwn(item, "content") ? item["content"] : said };
}

/** What the proxy has against `sessionState.messages`, which it reads to the letter; undefined for nothing. */
export function historyProblem({ messages }: Dict): string | undefined {
  if (!messages) return undefined;
  if (typeof messages === "number" || typeof messages === "boolean" || typeof messages === "bigint")
    return `'${pythonTypeName(messages)}' object is not iterable`;
  // A dictionary gives its keys.
  const items = Array.isArray(messages) ? messages : Object.keys(messages);
  for (const item of items) {
    if (!isDict(item))
      return `src.core.domain.chat.ChatMessage() argument after ** must be a mapping, not ${pythonTypeName(item)}`;
    const issues = checkModel(CHAT_MESSAGE, item);
    if (issues.length > 0) return report(CHAT_MESSAGE.name, issues);
  }
  return undefined;
}
