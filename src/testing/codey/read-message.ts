// Reads a message as strictly as the real server does.
import { type Dict, isDict } from "../server/dict.ts";
import type { ClientMessage } from "./messages.ts";
import type { CodeyViolationKind } from "./record.ts";

/** What the server makes of a text frame. */
export type Reading =
  | { readonly ok: true; readonly message: ClientMessage }
  | { readonly ok: false; readonly kind: CodeyViolationKind; readonly detail: string };

const MAX_U32 = 4_294_967_295;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Reads as strictly as the real server, which drops without a word whatever fails here. */
export function readMessage(text: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, kind: "invalid-json", detail: text.slice(0, 100) };
  }
  if (!isDict(value)) return invalid("not an object");
  // Its parser refuses an escape that is half a character, in a field that it does not know too.
  if (hasLoneSurrogate(value)) return { ok: false, kind: "lone-surrogate", detail: text.slice(0, 100) };
  const { type } = value;
  switch (type) {
    case "SendMessage":
      return readSend(value);
    case "ToolDecision":
      return readDecision(value);
    case "Cancel":
    case "GetHistory":
    case "GetState":
    case "Ping":
      return { ok: true, message: { type } };
    default:
      return { ok: false, kind: "unknown-type", detail: JSON.stringify(type) ?? "no type" };
  }
}

function readSend({ content, agent_id = null }: Dict): Reading {
  if (typeof content !== "string") return invalid("SendMessage.content");
  if (agent_id !== null && !isU32(agent_id)) return invalid("SendMessage.agent_id");
  return { ok: true, message: { type: "SendMessage", content, agent_id } };
}

function readDecision({ call_id, approved }: Dict): Reading {
  if (typeof call_id !== "string") return invalid("ToolDecision.call_id");
  if (typeof approved !== "boolean") return invalid("ToolDecision.approved");
  return { ok: true, message: { type: "ToolDecision", call_id, approved } };
}

function invalid(detail: string): Reading {
  return { ok: false, kind: "invalid-message", detail };
}

function isU32(value: unknown): value is number {
  return Number.isInteger(value) && typeof value === "number" && value >= 0 && value <= MAX_U32;
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return LONE_SURROGATE.test(value);
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  if (!isDict(value)) return false;
  return Object.entries(value).some(([key, member]) => LONE_SURROGATE.test(key) || hasLoneSurrogate(member));
}
