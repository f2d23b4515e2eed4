// Drops MCP messages that are nested too deeply, and fails their requests.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject } from "../../../core/checks.ts";
import { MAX_NESTING, TOO_DEEP } from "../../../core/text.ts";

/** The error that replaces a too deeply nested answer; `undefined` if the message answers no request. */
export function failureInstead({
  id,
  method,
}: Readonly<Record<string, unknown>>): JSONRPCMessage | undefined {
  if (method !== undefined || (typeof id !== "string" && typeof id !== "number")) return undefined;
  return { jsonrpc: "2.0", id, error: { code: -32_603, message: `the answer cannot be used: ${TOO_DEEP}` } };
}

/** Replaces messages that are nested too deeply: `JSON.stringify` would overflow the stack. */
export function withoutDeepMessages(transport: Transport): Transport {
  let checked: Transport["onmessage"];
  return Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => checked,
    set: (take: Transport["onmessage"]) => {
      checked =
        take &&
        ((message, extra) => {
          const given = isTooDeep(message) ? failureInstead(message) : message;
          if (given) take(given, extra);
        });
    },
  });
}

function isTooDeep(message: JSONRPCMessage): boolean {
  const open: [value: unknown, depth: number][] = [[message, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (!Array.isArray(value) && !isObject(value)) continue;
    if (depth > MAX_NESTING) return true;
    for (const field of Object.values(value)) open.push([field, depth + 1]);
  }
  return false;
}
