// The type of an AG-UI event, and how one is made without the enum of `@ag-ui/core`, which is code.
import type { Event as CoreEvent } from "@ag-ui/core";
import { defined } from "../core/checks.ts";
import { isAgentwireError } from "../core/errors.ts";

/** An AG-UI event: a plain JSON object. */
export type AgUiEvent = CoreEvent;

/** The ids that a run's first and last event repeat. */
export interface AgUiRun {
  readonly threadId: string;
  readonly runId: string;
}

/** An event as written in this room: its type is a string, and fields may be undefined. */
type Written<Event> = Event extends { readonly type: infer Type extends string }
  ? { readonly [Key in keyof Event]: (Key extends "type" ? `${Type}` : Event[Key]) | Missing<Event, Key> }
  : never;

/** `undefined` for an optional field. */
type Missing<Event, Key extends keyof Event> =
  Partial<Pick<Event, Key>> extends Pick<Event, Key> ? undefined : never;

/** Makes an event. Leaves out undefined fields. */
export function agUi(event: Written<AgUiEvent>): AgUiEvent {
  return defined(event) as AgUiEvent; // the enum's values are these strings
}

/** Facts that AG-UI has no field for are in `metadata.agentwire` of the event. */
export function facts(own: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const found = defined(own);
  return Object.keys(found).length === 0 ? undefined : { agentwire: found };
}

/** An event that AG-UI has no type for. */
export function custom(word: string, value: unknown, subagentRunId?: string): AgUiEvent {
  return agUi({ type: "CUSTOM", name: `agentwire.${word}`, value, subagentRunId });
}

/** The version of AG-UI that these events are of. */
const PROTOCOL_VERSION = "1.0";

export function runStarted(run: AgUiRun): AgUiEvent {
  return agUi({ type: "RUN_STARTED", ...run, protocolVersion: PROTOCOL_VERSION });
}

/** The end of a run that could not begin or go on. */
export function runError(error: unknown): AgUiEvent {
  const message = error instanceof Error ? error.message : String(error);
  return runRefused(isAgentwireError(error) ? error.code : "unknown", message);
}

export function runRefused(code: string, message: string): AgUiEvent {
  return agUi({ type: "RUN_ERROR", message, code });
}

/** A title and its detail, in a row. */
export const sentences = (title: string, detail: string): string =>
  `${title.replace(/\.$/, "")}. ${detail}`.trim();
