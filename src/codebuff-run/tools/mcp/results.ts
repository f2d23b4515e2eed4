// Converts an MCP server's answer into a tool result.
import type { ToolOutput } from "../../../codebuff-events/print-mode.ts";
import { isObject } from "../../../core/checks.ts";
import { failure, json } from "../../calls/toolbox.ts";

/** Characters of a resource's text, and of an error. */
const MAX_TEXT = 100_000;

export function outputOf(result: unknown): readonly ToolOutput[] {
  const { content, structuredContent, isError }: Readonly<Record<string, unknown>> = isObject(result)
    ? result
    : {};
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  if (isError === true) return failure(cut(wordsOf(parts) || "the tool has failed without a message"));
  if (parts.length > 0) return parts.map(partOf);
  return [json(structuredContent ?? "")];
}

function wordsOf(parts: readonly unknown[]): string {
  return parts
    .flatMap((part) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
}

function partOf(part: unknown): ToolOutput {
  if (!isObject(part)) return json(JSON.stringify(part));
  const { type, text, data, mimeType, resource, uri } = part;
  if (type === "text" && typeof text === "string") return json(text);
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string")
    return { type: "media", data, mediaType: mimeType };
  if (type === "resource" && isObject(resource)) {
    const media = resourceOf(resource);
    if (media) return media;
  }
  return json(typeof uri === "string" ? uri : JSON.stringify(part));
}

/** Encodes text as Base64, like all media. */
function resourceOf({ text, blob, mimeType }: Readonly<Record<string, unknown>>): ToolOutput | undefined {
  const mediaType = typeof mimeType === "string" ? mimeType : "text/plain";
  if (typeof text === "string")
    return { type: "media", data: Buffer.from(cut(text)).toString("base64"), mediaType };
  return typeof blob === "string" ? { type: "media", data: blob, mediaType } : undefined;
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n[cut: ${text.length} characters]` : text;
}
