// Content of messages and tool calls: its types, and how it is read from an agent.
import { fieldsOf, isObject } from "../core/checks.ts";

/** A part of a prompt or of a message. */
export type AcpContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string; readonly uri?: string }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
      readonly description?: string;
    }
  | {
      readonly type: "resource";
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string;
        readonly text?: string;
        readonly blob?: string;
      };
    };

/** A block of a type that the client does not know, unchanged. */
export interface AcpUnknownBlock {
  readonly type: "unknown";
  readonly block: unknown;
}

/** Content of a tool call. A `diff` may be a whole file or a part of one: show it, never apply it. */
export type AcpToolContent =
  | { readonly type: "content"; readonly content: AcpContentBlock | AcpUnknownBlock }
  | {
      readonly type: "diff";
      readonly path: string;
      readonly oldText: string | null;
      readonly newText: string;
    }
  | { readonly type: "terminal"; readonly terminalId: string };

export function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === "string" ? value : otherwise;
}

/** The fields that are strings, by name. */
export function textFields<const Name extends string>(
  value: Readonly<Record<string, unknown>>,
  ...names: readonly Name[]
): { readonly [K in Name]?: string } {
  const found = names.flatMap((name) => {
    const field = value[name];
    return typeof field === "string" ? [[name, field] as const] : [];
  });
  return Object.fromEntries(found) as { readonly [K in Name]?: string };
}

export function numberFields<const Name extends string>(
  value: Readonly<Record<string, unknown>>,
  ...names: readonly Name[]
): { readonly [K in Name]?: number } {
  const found = names.flatMap((name) => {
    const field = value[name];
    return typeof field === "number" && Number.isFinite(field) ? [[name, field] as const] : [];
  });
  return Object.fromEntries(found) as { readonly [K in Name]?: number };
}

/** The items of a list that can be read. Of no list: none. */
export function readList<T>(value: unknown, read: (item: unknown) => T | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const known = read(item);
    return known === undefined ? [] : [known];
  });
}

export function readBlock(value: unknown): AcpContentBlock | AcpUnknownBlock {
  const block = fieldsOf(value);
  const { type, text, data, mimeType, uri } = block;
  switch (type) {
    case "text":
      if (typeof text === "string") return { type, text };
      break;
    case "image":
    case "audio":
      if (typeof data === "string" && typeof mimeType === "string")
        return { type, data, mimeType, ...(type === "image" ? textFields(block, "uri") : {}) };
      break;
    case "resource_link":
      if (typeof uri === "string")
        return {
          type,
          uri,
          name: textOr(block["name"], uri),
          ...textFields(block, "mimeType", "description"),
        };
      break;
    case "resource": {
      const resource = fieldsOf(block["resource"]);
      const at = resource["uri"];
      if (typeof at === "string")
        return { type, resource: { uri: at, ...textFields(resource, "mimeType", "text", "blob") } };
      break;
    }
  }
  return { type: "unknown", block: value };
}

export function readToolContent(value: unknown): AcpToolContent | undefined {
  const item = fieldsOf(value);
  const { type, path, newText, oldText, terminalId } = item;
  if (type === "diff" && typeof path === "string" && typeof newText === "string")
    return { type, path, oldText: textOr(oldText, null), newText };
  if (type === "terminal" && typeof terminalId === "string") return { type, terminalId };
  if (type === "content" && isObject(item["content"])) return { type, content: readBlock(item["content"]) };
  return isObject(value) ? { type: "content", content: { type: "unknown", block: value } } : undefined;
}

/** The text of a call's content, block by block. Diffs and terminals have none. */
export function textOfContent(content: readonly AcpToolContent[]): string {
  return content
    .flatMap((item) => (item.type === "content" && item.content.type === "text" ? [item.content.text] : []))
    .join("\n");
}
