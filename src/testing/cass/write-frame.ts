// Writes a frame in the server's JSON style.
import { PythonFloat, writePythonJson } from "../server/python-json.ts";
import type { ProfileName, Settings } from "./profiles.ts";
import type { CassServerFrame } from "./server-frame.ts";

/** Fields that no published version of the protocol has. */
const EXTRA = { x_later: "added in a later version" };

/** Writes a frame as the server does. */
export function writeFrame(
  frame: CassServerFrame,
  { chunking, extraFields }: Settings,
  profile: ProfileName,
  stamp: () => string,
): string {
  const stamped =
    "timestamp" in frame || !isStamped(frame.type, profile) ? frame : { ...frame, timestamp: stamp() };
  const whole = extraFields === "injected" ? withExtra(stamped) : stamped;
  // Escaped text has no characters of several bytes.
  return writePythonJson(whole, chunking === "splitUtf8" ? "compact" : "spaced");
}

function isStamped(type: string, profile: ProfileName): boolean {
  switch (type) {
    case "auth_success":
    case "auth_error":
      return false;
    case "error":
      return profile === "documented";
    default:
      return true;
  }
}

function withExtra(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtra);
  if (typeof value !== "object" || value === null || value instanceof PythonFloat) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withExtra(member)]);
  return { ...Object.fromEntries(members), ...EXTRA };
}

/** What follows every frame. */
export function noiseAfterFrame(settings: Settings): readonly (string | Uint8Array)[] {
  const { unknownType, nonJson, jsonArray, binaryFrame } = settings;
  return [
    ...(unknownType === "injected" ? ['{"type": "dream_updated", "dream": {"id": 7}}'] : []),
    ...(nonJson === "injected" ? ["", "not json", '{"type": "response", "text": '] : []),
    ...(jsonArray === "injected" ? ["[]", '[{"type": "response"}]', "null", "7", '"response"'] : []),
    ...(binaryFrame === "injected"
      ? [new TextEncoder().encode('{"type": "response", "text": "bytes"}')]
      : []),
  ];
}
