// Reads and checks a frame of the client, as the real server does.
import { type Dict, isDict } from "../server/dict.ts";
import { describe, type InboundFrame } from "../server/inbound.ts";
import { writePythonJson } from "../server/python-json.ts";
import { parsePythonJson } from "../server/python-json-parse.ts";
import type { CassViolationKind } from "./record.ts";

/** A violation before it is known whose. */
export interface CassMistake {
  readonly kind: CassViolationKind;
  readonly detail: string;
}

/** What the server makes of a frame. */
export type Reading =
  | { readonly message: Dict; readonly mistake?: never }
  | { readonly message?: never; readonly mistake: CassMistake };

const TYPES: ReadonlySet<unknown> = new Set([
  "auth",
  "chat",
  "ping",
  "status",
  "onboarding_intro",
  "onboarding_demo",
]);

/** Frames that the server answers with a response, or an error. */
const TURNS: ReadonlySet<unknown> = new Set(["chat", "onboarding_intro", "onboarding_demo"]);

export function isTurn({ type }: Dict): boolean {
  return TURNS.has(type);
}

/** Reads as the real server does, to which `NaN` is JSON. */
export function readFrame(frame: InboundFrame): Reading {
  if (typeof frame !== "string") return { mistake: { kind: "binary-frame", detail: describe(frame) } };
  let value: unknown;
  try {
    value = parsePythonJson(frame);
  } catch {
    return { mistake: { kind: "invalid-json", detail: describe(frame) } };
  }
  return isDict(value) ? { message: value } : { mistake: { kind: "not-an-object", detail: describe(frame) } };
}

/** What is wrong with a message by itself. */
export function mistakesIn(message: Dict): readonly CassMistake[] {
  const { type } = message;
  if (!TYPES.has(type))
    return [
      { kind: "unknown-type", detail: type === undefined ? "no type" : writePythonJson(type, "compact") },
    ];
  switch (type) {
    case "auth":
      return message["token"] ? [] : [{ kind: "empty-token", detail: "auth" }];
    case "chat":
      return mistakesInChat(message);
    case "onboarding_intro":
    case "onboarding_demo":
      return message["profile"] === null ? [{ kind: "null-profile", detail: type }] : [];
    default:
      return [];
  }
}

function mistakesInChat(chat: Dict): readonly CassMistake[] {
  const { message, conversation_id = null, image = null, image_media_type } = chat;
  const mistakes: CassMistake[] = [];
  if (typeof message !== "string")
    mistakes.push({ kind: "message-not-string", detail: message === null ? "null" : typeof message });
  else if (message.trim() === "") mistakes.push({ kind: "empty-message", detail: JSON.stringify(message) });
  if (conversation_id !== null && (typeof conversation_id !== "string" || conversation_id === ""))
    mistakes.push({ kind: "bad-conversation-id", detail: writePythonJson(conversation_id, "compact") });
  if (image !== null && !image_media_type) mistakes.push({ kind: "image-without-mime", detail: "chat" });
  if (typeof image === "string" && image.startsWith("data:"))
    mistakes.push({ kind: "image-data-url", detail: image.slice(0, 30) });
  if (chat["user_id"] !== undefined)
    mistakes.push({ kind: "user-id-in-chat", detail: String(chat["user_id"]) });
  return mistakes;
}
