import { readFileSync } from "node:fs";

/** One event as JSON: free to be broken. */
export type Line = Readonly<Record<string, unknown>>;

const TEXT = readFileSync(new URL("../fixtures/universal/every-type.jsonl", import.meta.url), "utf8");

/** The transcript with one event of every type. Its event `evt_n` has the index n - 1. */
export const everyType: readonly Line[] = TEXT.trimEnd()
  .split("\n")
  .map((line): Line => JSON.parse(line));

export type Path = readonly (string | number)[];

/** A copy with another value at a path. With `undefined`, the field is gone. */
export function withValue<T>(value: T, [name, ...rest]: Path, changed: unknown): T;
export function withValue(value: unknown, [name, ...rest]: Path, changed: unknown): unknown {
  if (name === undefined) return changed;
  if (Array.isArray(value))
    return value.map((each, at) => (at === name ? withValue(each, rest, changed) : each));
  const entries = Object.entries(value ?? {});
  const old = entries.find(([each]) => each === name)?.[1];
  const field = withValue(old, rest, changed);
  const changedEntries =
    old === undefined
      ? [...entries, [name, field]]
      : entries.map(([each, kept]) => [each, each === name ? field : kept]);
  return Object.fromEntries(changedEntries.filter(([, each]) => each !== undefined));
}

/** The paths of all values in a value, except of the value itself. */
export function pathsOf(
  value: unknown,
  isClosed: (path: Path) => boolean = () => false,
  path: Path = [],
): readonly Path[] {
  if (typeof value !== "object" || value === null || isClosed(path)) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([name, each]) => [[...path, name], ...pathsOf(each, isClosed, [...path, name])]);
}

/** The lines with the sequences 1, 2, 3, ... */
export const numbered = (lines: readonly Line[]): readonly Line[] =>
  lines.map((line, at) => ({ ...line, event_id: `evt_${at + 1}`, sequence: at + 1 }));

/** An event of the session of `everyType`. */
export const line = (type: string, data: Line, envelope: Line = {}): Line => ({
  event_id: "evt_1",
  sequence: 1,
  time: "2026-02-10T09:00:00.000Z",
  session_id: "ses_1",
  native_session_id: "run_7f",
  synthetic: true,
  source: "daemon",
  type,
  data,
  raw: null,
  ...envelope,
});
