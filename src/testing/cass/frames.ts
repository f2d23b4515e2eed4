// Parses and checks a client's frames, and writes the server's frames.
import { type Dict, isDict } from "../server/dict.ts";
import { describeFrame, type InboundFrame } from "../server/inbound.ts";
import { PythonFloat, writePythonJson } from "../server/python-json.ts";
import type { CassMockSettings, CassProfileName } from "./profiles.ts";
import type { CassMistake, CassServerFrame, CassViolationKind } from "./record.ts";

/** A parsed message, or the client's mistake. */
type CassReading =
  | { readonly message: Dict; readonly mistake?: never }
  | { readonly message?: never; readonly mistake: CassMistake };

/** Frame types that the server answers with a `response` or an `error`. */
const TURNS: ReadonlySet<unknown> = new Set(["chat", "onboarding_intro", "onboarding_demo"]);
const TYPES: ReadonlySet<unknown> = new Set([...TURNS, "auth", "ping", "status"]);

export function isTurn({ type }: Dict): boolean {
  return TURNS.has(type);
}

export function readFrame(frame: InboundFrame): CassReading {
  const detail = describeFrame(frame);
  if (typeof frame !== "string") return { mistake: { kind: "binary-frame", detail } };
  try {
    const value: unknown = JSON.parse(frame);
    return isDict(value) ? { message: value } : { mistake: { kind: "not-an-object", detail } };
  } catch {
    return { mistake: { kind: "invalid-json", detail } };
  }
}

/** Returns the mistakes in a message, without regard to other messages. */
export function mistakesInFrame(sent: Dict): readonly CassMistake[] {
  const { type, token, message, conversation_id: id = null, image = null, user_id, profile } = sent;
  const found: CassMistake[] = [];
  const blame = (kind: CassViolationKind, value: unknown, isWrong: boolean): void => {
    if (isWrong) found.push({ kind, detail: (JSON.stringify(value) ?? "none").slice(0, 100) });
  };
  blame("unknown-type", type, !TYPES.has(type));
  if (type === "auth") blame("empty-token", "auth", !token);
  if (type === "onboarding_intro" || type === "onboarding_demo")
    blame("null-profile", type, profile === null);
  if (type !== "chat") return found;
  blame("message-not-string", message, typeof message !== "string");
  blame("empty-message", message, typeof message === "string" && message.trim() === "");
  blame("bad-conversation-id", id, id !== null && (typeof id !== "string" || id === ""));
  blame("image-without-mime", "chat", image !== null && !sent["image_media_type"]);
  blame("image-data-url", image, typeof image === "string" && image.startsWith("data:"));
  blame("user-id-in-chat", user_id, user_id !== undefined);
  return found;
}

/** Fields that no published protocol version has. */
const EXTRA = { x_later: "added in a later version" };

/** Writes a frame in the server's JSON format. @param stamp returns the timestamp, for frames that have one */
export function writeFrame(
  frame: CassServerFrame,
  { chunking, extraFields }: CassMockSettings,
  profile: CassProfileName,
  stamp: () => string,
): string {
  const { type } = frame;
  const isBare = type === "auth_success" || type === "auth_error";
  const isStamped = type === "error" ? profile === "documented" : !isBare;
  const whole = "timestamp" in frame || !isStamped ? frame : { ...frame, timestamp: stamp() };
  // Escaped text has no multi-byte characters to split, so do not escape.
  const style = chunking === "splitUtf8" ? "compact" : "spaced";
  return writePythonJson(extraFields === "injected" ? withExtra(whole) : whole, style);
}

function withExtra(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtra);
  if (typeof value !== "object" || value === null || value instanceof PythonFloat) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withExtra(member)]);
  return { ...Object.fromEntries(members), ...EXTRA };
}

/** The frames that the switches inject after every frame. */
export function noiseAfterFrame(settings: CassMockSettings): readonly (string | Uint8Array)[] {
  return NOISES.flatMap((name): readonly (string | Uint8Array)[] =>
    settings[name] === "injected" ? NOISE[name] : [],
  );
}

const NOISE = {
  unknownType: ['{"type": "dream_updated", "dream": {"id": 7}}'],
  nonJson: ["", "not json", '{"type": "response", "text": '],
  jsonArray: ["[]", '[{"type": "response"}]', "null", "7", '"response"'],
  binaryFrame: [new TextEncoder().encode('{"type": "response", "text": "bytes"}')],
};
const NOISES = ["unknownType", "nonJson", "jsonArray", "binaryFrame"] as const;
