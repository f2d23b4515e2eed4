import type { CassAnimation } from "agentwire/cass";
import type { ChatPart } from "agentwire/chat";

/** Animations of one answer that are shown: more than a model writes. */
const MAX_ANIMATIONS = 200;

const KNOWN = new WeakMap<object, readonly CassAnimation[]>();
const NONE: readonly CassAnimation[] = [];

/** The gestures and emotes in a part. The same array for the same part; empty for a part that holds none. */
export function animationsIn(part: ChatPart | undefined): readonly CassAnimation[] {
  if (part?.type !== "data") return NONE;
  const known = KNOWN.get(part);
  if (known) return known;
  const found = readAnimations(part.json);
  KNOWN.set(part, found);
  return found;
}

function readAnimations(json: unknown): readonly CassAnimation[] {
  const list: unknown = isObject(json) ? json["animations"] : undefined;
  return Array.isArray(list) ? list.filter(isAnimation).slice(0, MAX_ANIMATIONS) : NONE;
}

function isAnimation(value: unknown): value is CassAnimation {
  if (!isObject(value)) return false;
  const { type, name, index, intensity, delay, offset } = value;
  return (
    (type === "gesture" || type === "emote") &&
    typeof name === "string" &&
    typeof index === "number" &&
    typeof intensity === "number" &&
    (delay === undefined || typeof delay === "number") &&
    (offset === undefined || typeof offset === "number")
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
