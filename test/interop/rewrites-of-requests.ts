import type { AccountRequest, Json, JsonObject } from "./account.ts";
import { isObject, rewritten, without } from "./rewrites.ts";

// Ways to rewrite the requests in an account: their tools and messages.

export const CHAT = /chat\/completions$/;
export const COUNT = /token-count$/;
export const isCount = ({ call }: AccountRequest) => COUNT.test(call);
export const isRegistry = ({ call }: AccountRequest) => call.includes("/agents/");

/** Parts of a JSON value in an account. */
export const listIn = (body: JsonObject, name: string) => (body[name] ?? []) as readonly JsonObject[];
export const textsIn = ({ content }: JsonObject) =>
  Array.isArray(content) ? content.map((part: JsonObject) => part["text"]) : [];
export const isNote = (message: JsonObject | undefined) =>
  message?.["role"] === "user" && textsIn(message).every((text) => String(text).startsWith("<system>"));

export function isThought({ role, content }: JsonObject): boolean {
  return (
    role === "assistant" &&
    Array.isArray(content) &&
    content.every((part) => isObject(part) && part["type"] === "reasoning")
  );
}

/** The tools of a chat request with other parameters. */
export function toolsOf(
  body: JsonObject,
  rewrite: (schema: JsonObject, name: string) => JsonObject,
): JsonObject {
  if (body["tools"] === undefined) return {};
  const tools = listIn(body, "tools").map((tool) => {
    const called = tool["function"] as JsonObject;
    const parameters = rewrite(called["parameters"] as JsonObject, String(called["name"]));
    return { ...tool, function: { ...called, parameters } };
  });
  return { tools };
}

export const nameOfTool = (tool: JsonObject) => (tool["function"] as JsonObject)["name"];

/** A schema without the marks that allow or forbid further fields, and without the largest of all integers as a limit. */
export function schemaWithoutMarks(schema: JsonObject): JsonObject {
  return rewritten(schema, (value) => {
    const isLimit = isObject(value) && value["maximum"] === Number.MAX_SAFE_INTEGER;
    return without(
      "$schema",
      "additionalProperties",
      "propertyNames",
      ...(isLimit ? ["maximum"] : []),
    )(value);
  }) as JsonObject;
}

/** The city of `get_weather` as the user's schema has it, without the unit. */
export function cityAlone(schema: JsonObject, name: string): JsonObject {
  if (name !== "get_weather") return schema;
  return { ...schema, properties: { city: { type: "string", minLength: 1 } } };
}

export function withoutLastMessage(agent: Json | undefined): Json {
  const state = agent as JsonObject;
  return { ...state, messageHistory: listIn(state, "messageHistory").slice(0, -1) };
}

/** Notes in a row as one message. */
export function merged(messages: readonly JsonObject[]): readonly JsonObject[] {
  const made: JsonObject[] = [];
  for (const message of messages) {
    const last = made.at(-1);
    if (last && isNote(last) && isNote(message)) {
      const content = [...listIn(last, "content"), ...listIn(message, "content")];
      made.splice(-1, 1, { ...last, content });
    } else made.push(message);
  }
  return made;
}

/** Results of one call as one message with a list. */
export function inOneResult(messages: readonly JsonObject[]): readonly JsonObject[] {
  const ids = new Set(messages.map((message) => message["tool_call_id"]));
  const lists = new Map<Json, readonly JsonObject[]>(
    [...ids].flatMap((id) =>
      id === undefined ? [] : [[id, messages.filter((each) => each["tool_call_id"] === id)]],
    ),
  );
  return messages.flatMap((message) => {
    const list = lists.get(message["tool_call_id"] ?? null) ?? [];
    if (list.length < 2) return [message];
    return list[0] === message
      ? [{ ...message, content: `[${list.map(({ content }) => content).join(",")}]` }]
      : [];
  });
}

/** Files that were read, also in a message, without lists of files that refer to them: the lists are empty. */
export function withoutEmptyReferences(value: Json): Json {
  if (typeof value === "string")
    return value.startsWith("[{") ? JSON.stringify(withoutEmptyReferences(JSON.parse(value))) : value;
  if (Array.isArray(value)) return value.map(withoutEmptyReferences);
  if (!isObject(value) || JSON.stringify(value["referencedBy"]) !== "{}") return value;
  return without("referencedBy")(value);
}

/** The id of an agent without its publisher and version. */
export function nameIn(reference: Json | undefined): string {
  return String(reference).replace(/^.*\//, "").replace(/@.*$/, "");
}
