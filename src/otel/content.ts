// The texts of a turn as messages of the conventions. Only with the option `content`.
import type { ToolCallPart, UniversalItem } from "../universal/events.ts";

/** A message: https://github.com/open-telemetry/semantic-conventions/tree/v1.41.0/docs/gen-ai */
export type MessagePart =
  | { readonly type: "text" | "reasoning"; readonly content: string }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly arguments: unknown;
    };

/** The texts and calls of an item. Files, images and data are left out. */
export function messageParts({ content }: UniversalItem): readonly MessagePart[] {
  return content.flatMap((part): readonly MessagePart[] => {
    if (part.type === "text" || part.type === "reasoning") return [{ type: part.type, content: part.text }];
    return part.type === "tool_call" ? [callPart(part)] : [];
  });
}

function callPart({ call_id: id, name, arguments: text }: ToolCallPart): MessagePart {
  try {
    return { type: "tool_call", id, name, arguments: JSON.parse(text) };
  } catch {
    return { type: "tool_call", id, name, arguments: text }; // a backend from outside this library may send any text
  }
}

/** One message, as the JSON of an attribute. */
export function messagesText(
  role: "user" | "assistant",
  parts: readonly MessagePart[],
  finish?: string,
): string {
  return JSON.stringify([{ role, parts, ...(finish === undefined ? {} : { finish_reason: finish }) }]);
}

/** The output of a call. */
export function outputText({ content }: UniversalItem): string {
  return content.find((part) => part.type === "tool_result")?.output ?? "";
}
