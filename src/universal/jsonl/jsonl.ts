import { InvalidInputError } from "../../core/errors.ts";
import { shapeProblem } from "../check/shape.ts";
import type { UniversalEvent } from "../events.ts";
import { type JsonlEnd, type JsonlProblem, JsonlReader } from "./jsonl-reader.ts";

/**
 * JSONL: one line for each event, each with a line feed at its end.
 * @throws InvalidInputError for an event that JSON cannot hold, such as one whose `raw` refers to itself.
 */
export function toJsonl(events: Iterable<UniversalEvent>): string {
  let text = "";
  for (const event of events) text += `${lineOf(event)}\n`;
  return text;
}

/** @throws InvalidInputError for what is no event, or has no JSON */
export function lineOf(event: UniversalEvent): string {
  const problem = shapeProblem(event);
  if (problem !== undefined)
    throw new InvalidInputError(`a value is no universal event: ${problem}.`, "Pass the events of a stream.");
  try {
    return JSON.stringify(event);
  } catch (cause) {
    const what = `event ${event.sequence} of session ${event.session_id} cannot be written as JSON.`;
    throw new InvalidInputError(what, "Leave out `raw`, or what nests too deeply.", { cause });
  }
}

/** What {@link readJsonl} found. */
export interface JsonlContent extends JsonlEnd {
  readonly events: readonly UniversalEvent[];
  readonly problems: readonly JsonlProblem[];
  /** Events that came a second time, or late: see {@link JsonlReader}. */
  readonly dropped: number;
}

/** Reads the whole of a JSONL text as {@link JsonlReader} does. Never throws for the content of `text`. */
export function readJsonl(text: string): JsonlContent {
  const reader = new JsonlReader();
  const events = reader.push(text);
  const { events: last, complete, end, separator } = reader.end();
  return {
    events: last.length === 0 ? events : [...events, ...last],
    problems: reader.problems,
    dropped: reader.dropped,
    complete,
    end,
    separator,
  };
}
