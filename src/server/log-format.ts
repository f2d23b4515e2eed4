// What logs are given, checked, and the JSON that they keep.
import { describe } from "../core/checks.ts";
import { ClosedError, InvalidInputError } from "../core/errors.ts";
import { isUniversalEvent } from "../universal/check/shape.ts";
import type { Json, UniversalEvent } from "../universal/events.ts";
import { lineOf } from "../universal/jsonl/jsonl.ts";
import { type CommandKind, DamagedLogError, type LogBatch, type LogCommand } from "./event-log.ts";

/** @throws InvalidInputError for an id that is no text, or that UTF-8 cannot hold: two such ids would become one */
export function checkLogId(id: string): void {
  checkName("the id of the chat", id);
}

/** @throws InvalidInputError */
export function checkKey(key: string): void {
  checkName("the key of the command", key);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function checkName(what: string, name: string): void {
  if (typeof name !== "string" || name === "")
    throw new InvalidInputError(`${what} is ${describe(name)}.`, "Pass a string that is not empty.");
  if (LONE_SURROGATE.test(name) || name.includes("\0"))
    throw new InvalidInputError(`${what} has a half character or U+0000.`, "Pass whole characters.");
}

/** The JSON of the events of an `append`. @throws InvalidInputError */
export function batchJson(events: readonly UniversalEvent[]): string {
  checkBatch(events);
  return `[${events.map(lineOf).join(",")}]`;
}

/** @throws InvalidInputError */
export function checkBatch(events: readonly UniversalEvent[]): void {
  if (!Array.isArray(events) || events.length === 0)
    throw new InvalidInputError(
      `the events are ${Array.isArray(events) ? "an empty array" : describe(events)}.`,
      "Pass an array with one universal event or more.",
    );
}

/** A batch as a log keeps it. */
export interface KeptBatch {
  readonly epoch: number;
  readonly first: number;
  readonly last: number;
  /** The JSON of the events. */
  readonly json: string;
}

/** Reads a batch, without the events up to `after`. @throws DamagedLogError */
export function readBatch(log: string, { epoch, first, last, json }: KeptBatch, after: number): LogBatch {
  const events = eventsOf(json);
  if (events?.length !== last - first + 1) throw new DamagedLogError(last);
  return cutBatch({ log, epoch, last, events }, after);
}

/** A batch without the events up to `after`. */
export function cutBatch(batch: LogBatch, after: number): LogBatch {
  const before = batch.last - batch.events.length;
  return after <= before ? batch : { ...batch, events: batch.events.slice(after - before) };
}

function eventsOf(json: string): readonly UniversalEvent[] | undefined {
  try {
    const events: unknown = JSON.parse(json);
    return Array.isArray(events) && events.every(isUniversalEvent) ? events : undefined;
  } catch {
    return undefined;
  }
}

/** @throws InvalidInputError for a value that has no JSON */
export function jsonOf(value: Json): string {
  try {
    const json: string | undefined = JSON.stringify(value);
    if (json !== undefined) return json;
  } catch (cause) {
    throw noJson(value, cause);
  }
  throw noJson(value);
}

function noJson(value: unknown, cause?: unknown): InvalidInputError {
  return new InvalidInputError(
    `the value is ${describe(value)}, which has no JSON.`,
    "Pass a JSON value.",
    cause === undefined ? {} : { cause },
  );
}

/** A command as a log keeps it. */
export interface KeptCommand {
  readonly key: string;
  /** The JSON of the value. */
  readonly json: string;
}

export function readCommand(kind: CommandKind, { key, json }: KeptCommand): LogCommand {
  const value: unknown = JSON.parse(json);
  return { key, kind, value };
}

/** The JSON of the entry `taken`. */
export function takenJson({ key, json }: KeptCommand): string {
  return `{"key":${JSON.stringify(key)},"value":${json}}`;
}

/** The keys in the order after a move. Undefined: one of the two is not there. */
export function moved(
  keys: readonly string[],
  key: string,
  before: string | null,
): readonly string[] | undefined {
  if (!keys.includes(key)) return undefined;
  if (before === key) return keys;
  const others = keys.filter((each) => each !== key);
  const at = before === null ? others.length : others.indexOf(before);
  return at < 0 ? undefined : [...others.slice(0, at), key, ...others.slice(at)];
}

/** The error of a call behind `close`. */
export function logClosed(): ClosedError {
  return new ClosedError("the log is closed");
}
