// Makes an event fit for the log: without raw messages and stacks, redacted, and not too large.
import { isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { exceedsBytes, utf8Start } from "../../core/text.ts";
import { isUniversalEvent } from "../../universal/check/shape.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { RelaySettings } from "../options.ts";

const NOTE = "\n[cut: the event was too large]";

/** The longest text in an event that was too large, from the first try to the last. */
const CUTS = [256 * 1_024, 4 * 1_024, 64];

/**
 * @throws what `redact` throws; InvalidInputError if it returns another event, or if an event cannot be made to fit. The
 * event must then not be shown.
 */
export function cleanEvent(
  event: UniversalEvent,
  { redact, maxEventBytes }: Pick<RelaySettings, "redact" | "maxEventBytes">,
): { readonly event: UniversalEvent; readonly size: number } {
  const plain = withoutInsides(event);
  const redacted = redact(plain);
  if (redacted !== plain && !isSame(plain, redacted))
    throw new InvalidInputError(
      "`redact` returned no event, or another one.",
      "Return the event with the same `type`, `session_id`, `event_id` and `sequence`.",
    );
  return fitting(redacted, maxEventBytes);
}

function isSame(before: UniversalEvent, after: UniversalEvent): boolean {
  if (!isUniversalEvent(after)) return false;
  return (["type", "session_id", "event_id", "sequence"] as const).every(
    (name) => before[name] === after[name],
  );
}

function withoutInsides(event: UniversalEvent): UniversalEvent {
  const plain = event.raw === null ? event : { ...event, raw: null };
  if (plain.type !== "error" || plain.data.details === null) return plain;
  return { ...plain, data: { ...plain.data, details: withoutStack(plain.data.details, 8) } };
}

/** @param depth how deep to look: errors are nested by `cause` */
function withoutStack(value: unknown, depth: number): unknown {
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((each) => withoutStack(each, depth - 1));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([name]) => name !== "stack");
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutStack(field, depth - 1)]));
}

function fitting(
  event: UniversalEvent,
  limit: number,
): { readonly event: UniversalEvent; readonly size: number } {
  if (event.type === "item.delta" && event.data.delta.length < limit / 8)
    return { event, size: event.data.delta.length + ENVELOPE };
  const json = JSON.stringify(event);
  if (!exceedsBytes(json, limit)) return { event, size: json.length };
  for (const length of CUTS) {
    const cut = JSON.stringify(event, (_, value: unknown) =>
      typeof value === "string" && value.length > length ? utf8Start(value, length) + NOTE : value,
    );
    const shorter: unknown = JSON.parse(cut);
    if (!exceedsBytes(cut, limit) && isUniversalEvent(shorter)) return { event: shorter, size: cut.length };
  }
  throw new InvalidInputError(
    "an event is too large, and has no long texts to cut.",
    "Raise `maxEventBytes`.",
  );
}

/** Bytes of an event without its text, about. */
const ENVELOPE = 300;
