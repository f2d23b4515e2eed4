import { isOptionalField, isPrintModeEvent, isToolOutput } from "../codebuff-events/print-mode.ts";
import { isObject } from "../core/checks.ts";
import type { CodebuffCliToolOutput, PrintedEvent } from "./events.ts";

/**
 * An event that is not quite as its type says, without what is odd and means nothing: null for a field that may be absent, a
 * part of a result without its value, which is how JSON writes one that is undefined, and parts of types that are not known.
 * `undefined` where more than that is wrong. Only for the few that need it: it builds the event anew.
 */
export function mended(event: Readonly<Record<string, unknown>>): PrintedEvent | undefined {
  const { type } = event;
  if (typeof type !== "string") return undefined;
  const fields = Object.entries(event).filter(
    ([name, value]) => value !== null || !isOptionalField(type, name),
  );
  const rest: Record<string, unknown> = Object.fromEntries(fields);
  if (type !== "tool_result") return known(rest);
  const { output } = rest;
  const parts = Array.isArray(output) ? output.map(partOf) : [undefined];
  const result = known({ ...rest, output: [] });
  if (result?.type !== "tool_result" || !parts.every((part) => part !== undefined)) return undefined;
  return { ...result, output: parts };
}

function known(event: unknown): PrintedEvent | undefined {
  return isPrintModeEvent(event) ? event : undefined;
}

function partOf(part: unknown): CodebuffCliToolOutput | undefined {
  if (isToolOutput(part)) return part;
  if (!isObject(part) || typeof part["type"] !== "string" || part["type"] === "media") return undefined;
  return part["type"] === "json" ? { ...part, type: "json", value: null } : { type: "unknown", part };
}
