import { withTelemetry } from "agentwire/otel";
import type { UniversalEvent } from "agentwire/universal";
import { sdk } from "./sdk.ts";
import { ToldSource } from "./told-source.ts";

/** What is exported of universal events. At the end, the client closes. */
export function exported(events: readonly UniversalEvent[], content = false) {
  const { tracer, meter, ...out } = sdk();
  let opened = 0;
  const counting: typeof tracer = {
    startSpan: (...values) => {
      opened++;
      return tracer.startSpan(...values);
    },
    startActiveSpan: tracer.startActiveSpan.bind(tracer),
  };
  const source = new ToldSource();
  withTelemetry(source, { tracer: counting, meter, content }).client();
  source.tell(events);
  source.agent.is("closed");
  return { ...out, opened };
}

/** A text that no name, id or word contains. */
export const MARK = "\u2603secret";

/** The events with a mark in each text that users, models and tools write, and in each path. */
export function marked(events: readonly UniversalEvent[]): readonly UniversalEvent[] {
  const fields = new Set([
    "text",
    "arguments",
    "output",
    "path",
    "diff",
    "detail",
    "delta",
    "message",
    "prompt",
    "response",
    "options",
    "input",
    "memories",
    "error",
  ]);
  const mark = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mark);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, fields.has(name) ? MARK : mark(field)]),
    );
  };
  return events.map((event) => ({ ...event, data: mark(event.data) }) as UniversalEvent);
}
