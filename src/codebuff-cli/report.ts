import { isObject } from "../core/client-options.ts";
import { parseFrame } from "../core/frames.ts";
import type { PrintedEvent } from "./events.ts";
import { readEvent, readLine } from "./events.ts";
import type { Report } from "./outcome.ts";

/** What a program prints that prints one object at its end: how it went, and what it did on the way. */
export interface ReadReport {
  readonly report: Report;
  /** Made of its traces and its text; they have neither ids nor results. */
  readonly events: readonly Read[];
}

const UNREADABLE: ReadReport = { report: { status: "unreadable" }, events: [] };

/** Reads the whole output. Events that a launcher has printed before it are events, and other words are skipped. */
export function readReport(output: string): ReadReport {
  const { events, rest } = cutLines(output);
  const start = rest.indexOf("{");
  const value = parsed(rest) ?? (start < 0 ? undefined : parsed(rest.slice(start)));
  if (!isObject(value) || typeof value["success"] !== "boolean") return { ...UNREADABLE, events };
  const { success, output: text, traces, error } = value;
  const made = Array.isArray(traces) ? tracesOf(traces) : [];
  for (const event of made) events.push({ event, raw: event });
  if (typeof text === "string" && text !== "") {
    const event: PrintedEvent = { type: "text", text };
    events.push({ event, raw: event });
  }
  if (success) return { report: { status: "success" }, events };
  const words = typeof error === "string" ? error : "the run has failed";
  return { report: { status: "failure", error: words }, events };
}

function parsed(text: string): unknown {
  try {
    return parseFrame(text, "null");
  } catch {
    return undefined; // which says that it is no JSON
  }
}

type Read = { readonly event: PrintedEvent; readonly raw: unknown };

/** The lines before the object that are events by themselves; the object has no `type`, and is over many lines. */
function cutLines(output: string): { readonly events: Read[]; readonly rest: string } {
  const events: Read[] = [];
  let start = 0;
  for (let end = output.indexOf("\n"); end !== -1; end = output.indexOf("\n", start)) {
    const line = readLine(output.slice(start, end));
    if (line.kind !== "event" || line.event.type === "chunk") break;
    events.push({ event: line.event, raw: line.raw });
    start = end + 1;
  }
  return { events, rest: output.slice(start) };
}

/** Calls get ids by their number, and a result is that of the oldest call that has none. */
function tracesOf(traces: readonly unknown[]): PrintedEvent[] {
  const calls = { made: 0, answered: 0 };
  const open: { readonly agentId: string; readonly agentType: unknown }[] = [];
  let agents = 0;
  return traces.flatMap((trace) => {
    if (!isObject(trace)) return [];
    const { type } = trace;
    if (type === "tool_call") {
      const toolCallId = `call_${++calls.made}`;
      return eventOf({ ...trace, toolCallId, input: trace["input"] ?? {} });
    }
    if (type === "tool_result") {
      if (calls.answered === calls.made) calls.made++; // of a call that was not told
      return eventOf({ ...trace, toolCallId: `call_${++calls.answered}`, output: [] });
    }
    if (type === "subagent_start" || type === "subagent_finish") {
      const { agentType } = trace;
      // One that ends is the last of its type that has begun, since those that it started have ended before it.
      const at = type === "subagent_finish" ? open.findLastIndex((one) => one.agentType === agentType) : -1;
      const [ended] = at < 0 ? [] : open.splice(at, 1);
      const agentId = ended?.agentId ?? `agent_${++agents}`;
      if (type === "subagent_start") open.push({ agentId, agentType });
      return eventOf({ ...trace, agentId, displayName: agentType, onlyChild: false });
    }
    return eventOf(trace);
  });
}

function eventOf(trace: Readonly<Record<string, unknown>>): PrintedEvent[] {
  const line = readEvent(trace);
  return line.kind === "event" ? [line.event] : [];
}
