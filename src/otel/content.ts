// The texts of a turn as messages of the conventions. Only with the option `content`.
import type { UniversalItem } from "../universal/events.ts";

/** A part of a message: https://github.com/open-telemetry/semantic-conventions/tree/v1.41.0/docs/gen-ai */
export type MessagePart =
  | { readonly type: "text" | "reasoning"; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string };

/** The texts of an item. Files, images and data are left out. */
export function textParts({ content }: UniversalItem): readonly MessagePart[] {
  return content.flatMap((part): readonly MessagePart[] =>
    part.type === "text" || part.type === "reasoning" ? [{ type: part.type, content: part.text }] : [],
  );
}

/** One message, as the JSON of an attribute. */
export function messagesText(
  role: "user" | "assistant",
  parts: readonly MessagePart[],
  finish_reason?: string,
): string {
  return JSON.stringify([{ role, parts, finish_reason }]);
}
