// Parses a client's frames, and writes the server's frames.
import { type Dict, isDict } from "../server/dict.ts";
import type { ClientMessage, ServerMessage } from "./messages.ts";
import type { CodeyMockSettings } from "./profiles.ts";
import type { CodeyViolationKind } from "./record.ts";

/** A parsed text frame, or the client's mistake. */
type CodeyReading =
  | { readonly ok: true; readonly message: ClientMessage }
  | { readonly ok: false; readonly kind: CodeyViolationKind; readonly detail: string };

const MAX_U32 = 4_294_967_295;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Parses as strictly as the real server. The real server silently drops every frame that fails here. */
export function readMessage(text: string): CodeyReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return bad("invalid-json", text.slice(0, 100));
  }
  if (!isDict(value)) return bad("invalid-message", "not an object");
  // The server's parser rejects lone surrogates, even in unknown fields.
  if (hasLoneSurrogate(value)) return bad("lone-surrogate", text.slice(0, 100));
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
      return bad("unknown-type", JSON.stringify(type) ?? "no type");
  }
}

function readSend({ content, agent_id = null }: Dict): CodeyReading {
  if (typeof content !== "string") return bad("invalid-message", "SendMessage.content");
  if (agent_id !== null && !isU32(agent_id)) return bad("invalid-message", "SendMessage.agent_id");
  return { ok: true, message: { type: "SendMessage", content, agent_id } };
}

function readDecision({ call_id, approved }: Dict): CodeyReading {
  if (typeof call_id !== "string") return bad("invalid-message", "ToolDecision.call_id");
  if (typeof approved !== "boolean") return bad("invalid-message", "ToolDecision.approved");
  return { ok: true, message: { type: "ToolDecision", call_id, approved } };
}

function bad(kind: CodeyViolationKind, detail: string): CodeyReading {
  return { ok: false, kind, detail };
}

function isU32(value: unknown): value is number {
  return Number.isInteger(value) && typeof value === "number" && value >= 0 && value <= MAX_U32;
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return LONE_SURROGATE.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => LONE_SURROGATE.test(key) || hasLoneSurrogate(member));
}

/** A field that no published protocol version has. */
const EXTRA = '"x_later":{"added":"in a later version"}';

/** Writes a message in the server's format: compact, fields in their given order, keys within `params` sorted. */
export function writeMessage(message: ServerMessage, { extraFields }: CodeyMockSettings): string {
  return write(message, extraFields === "injected" ? [EXTRA] : [], false);
}

/** `JSON.stringify` would write numeric keys first. */
function write(value: unknown, extra: readonly string[], sorted: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, extra, sorted)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  if (sorted) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  const members = entries.map(([key, member]) => {
    const inParams = sorted || key === "params";
    return `${JSON.stringify(key)}:${write(member, inParams ? [] : extra, inParams)}`;
  });
  return `{${[...members, ...extra].join(",")}}`;
}

const UNKNOWN_TYPE = '{"type":"AgentSpawned","agent_id":7,"name":"helper"}';

/** Text that is not JSON, and JSON that is not a message. */
const BAD_JSON = [
  ...["", "not json", '{"type":"TextDelta","agent_id":0,', "null", "[]", '"Pong"', "{}"],
  '{"type":"TextDelta","agent_id":"0","content":7}',
];

/** The frames that the switches inject after every message. */
export function noiseAfterMessage({ unknownType, badJson }: CodeyMockSettings): readonly string[] {
  return [...(unknownType === "injected" ? [UNKNOWN_TYPE] : []), ...(badJson === "injected" ? BAD_JSON : [])];
}
