// Converts any value to the content of items: text, JSON and media.
import type { ContentPart, Json } from "../events.ts";

/** The JSON of a value. A value without JSON becomes null, such as `undefined` or an infinite number. */
export function toJsonText(value: Json): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "null"; // a cycle, a BigInt, or too much depth: never from a wire
  }
}

/** Replaces numbers that are not finite by null. Returns the same object if there are none. */
export function finiteJson(value: Json): Json {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(finiteJson);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const fields = Object.entries(value);
  const finite = fields.map(([name, field]): [string, Json] => [name, finiteJson(field)]);
  const isSame = finite.every(([, field], index) => field === fields[index]?.[1]);
  return isSame ? value : Object.fromEntries(finite);
}

/** The text of a part: for a file its path, for a status its detail or label. Empty for data. */
export function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool_call":
      return part.arguments;
    case "tool_result":
      return part.output;
    case "file_ref":
    case "image":
      return part.path;
    case "status":
      return part.detail === null ? part.label : part.detail;
    case "json":
      return "";
    default:
      return part satisfies never;
  }
}

/** One value of a tool's output, as Codebuff's agents send it. */
interface OutputValue {
  readonly type: string;
  readonly value?: Json;
  readonly data?: unknown;
  readonly mediaType?: unknown;
}

/** The content of a tool result: text, then JSON values and media. */
export interface ToolOutputContent {
  readonly output: string;
  readonly parts: readonly ContentPart[];
}

export function contentOfValues(values: readonly OutputValue[]): ToolOutputContent {
  const texts: Json[] = [];
  const parts: ContentPart[] = [];
  for (const { type, value, data, mediaType } of values) {
    if (type === "media" && typeof data === "string") {
      const mime = typeof mediaType === "string" ? mediaType : null;
      texts.push(`[media: ${mime ?? "unknown"}]`);
      parts.push({ type: "image", path: `data:${mime ?? ""};base64,${data}`, mime });
    } else {
      const json = finiteJson(type === "json" ? (value ?? null) : { type, value, data, mediaType });
      texts.push(json);
      parts.push({ type: "json", json });
    }
  }
  const said = texts.length === 1 ? texts[0] : texts; // a single string stays a string
  return { output: typeof said === "string" ? said : toJsonText(said), parts };
}

/** Cuts a text to `max` characters, never inside a character. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join("");
}
