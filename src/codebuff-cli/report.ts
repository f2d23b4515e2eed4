import { isObject } from "../core/client-options.ts";
import type { PrintedEvent } from "./events.ts";
import { readEvent } from "./events.ts";
import type { Report } from "./outcome.ts";

/** What a program prints that prints one object at its end: how it went, and what it did on the way. */
export interface ReadReport {
  readonly report: Report;
  /** Made of its traces and its text; they have neither ids nor results. */
  readonly events: readonly { readonly event: PrintedEvent; readonly raw: unknown }[];
}

const UNREADABLE: ReadReport = { report: { status: "unreadable" }, events: [] };

/** Reads the whole output. What a launcher has printed before it is skipped. */
export function readReport(output: string): ReadReport {
  const start = output.indexOf("{");
  const value = parsed(output) ?? (start < 0 ? undefined : parsed(output.slice(start)));
  if (!isObject(value) || typeof value["success"] !== "boolean") return UNREADABLE;
  const { success, output: text, traces, error } = value;
  const events = (Array.isArray(traces) ? tracesOf(traces) : []).map((event) => ({ event, raw: event }));
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
    return JSON.parse(text);
  } catch {
    return undefined; // which says that it is no JSON
  }
}

/** Calls get ids by their number, and a result is that of the oldest call that has none. */
function tracesOf(traces: readonly unknown[]): PrintedEvent[] {
  const open: string[] = [];
  let calls = 0;
  let agents = 0;
  return traces.flatMap((trace) => {
    if (!isObject(trace)) return [];
    const { type } = trace;
    if (type === "tool_call") {
      const toolCallId = `call_${++calls}`;
      open.push(toolCallId);
      return eventOf({ ...trace, toolCallId, input: trace["input"] ?? {} });
    }
    if (type === "tool_result") {
      const [toolCallId = `call_${++calls}`] = open.splice(0, 1);
      return eventOf({ ...trace, toolCallId, output: [] });
    }
    if (type === "subagent_start" || type === "subagent_finish") {
      const { agentType } = trace;
      const agentId = `agent_${type === "subagent_start" ? ++agents : agents}`;
      return eventOf({ ...trace, agentId, displayName: agentType, onlyChild: false });
    }
    return eventOf(trace);
  });
}

function eventOf(trace: Readonly<Record<string, unknown>>): PrintedEvent[] {
  const line = readEvent(trace);
  return line.kind === "event" ? [line.event] : [];
}
