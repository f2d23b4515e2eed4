import { isObject } from "../core/checks.ts";
import { parseJson } from "../core/text.ts";
import { isReport, type PrintedEvent, readEvent, readValue } from "./messages.ts";
import type { Report } from "./outcome.ts";

/** What one object says of a whole run: how it went, and what it did on the way. */
export interface ReadReport {
  readonly report: Report;
  /** Made of its traces; they have neither ids nor results. */
  readonly traces: readonly PrintedEvent[];
  /** All that the agent has said. */
  readonly text: string;
}

/** What was read of a whole output. */
export interface ReadOutput {
  /** The lines that are events by themselves: of a launcher, or of a program that prints nothing else. */
  readonly events: readonly { readonly event: PrintedEvent; readonly raw: unknown }[];
  /** Absent where lines of events are all that there is. */
  readonly report: ReadReport | undefined;
}

/** Reads an object that says how a run went. */
export function reportOf({ success, output, traces, error }: Readonly<Record<string, unknown>>): ReadReport {
  return {
    report: success === true ? { status: "success" } : { status: "failure", error: wordsOf(error) },
    traces: Array.isArray(traces) ? tracesOf(traces) : [],
    text: typeof output === "string" ? output : "",
  };
}

function wordsOf(error: unknown): string {
  const words = isObject(error) ? error["message"] : error;
  return (typeof words === "string" && words.trim()) || "the run has failed";
}

/** What of a report has not been told before it, as events. */
export function newsOf(
  { traces, text }: ReadReport,
  told: { readonly text: string; readonly calls: boolean },
): readonly PrintedEvent[] {
  const more = text.startsWith(told.text) ? text.slice(told.text.length) : text;
  return [...(told.calls ? [] : traces), ...(more === "" ? [] : [{ type: "text", text: more } as const])];
}

const UNREADABLE: ReadReport = { report: { status: "unreadable" }, traces: [], text: "" };

/**
 * How many objects over many lines may turn out to be none. To find that out may take all of the output, so it is this
 * number that keeps reading linear; words before a report that look like JSON are few.
 */
const MAX_FAILED = 8;

/** Reads the whole output of a program that says all in one object at its end. Other words, before and behind it, are skipped. */
export function readOutput(text: string): ReadOutput {
  const last = text.lastIndexOf("}") + 1;
  const lines: ReadOutput["events"][number][] = [];
  let report: Readonly<Record<string, unknown>> | undefined;
  let failed = 0;
  let rest = 0;
  for (let start = 0; start < text.length; ) {
    let end = endOfLine(text, start);
    // Only what begins its line: within an object over many lines there are others that would be read as lines.
    const isCandidate = mayBeJson(text, start);
    const value = isCandidate ? parsed(text.slice(start, end)) : undefined;
    const line = value === undefined ? undefined : readValue(value);
    if (line?.kind === "event") {
      lines.push({ event: line.event, raw: line.raw });
      rest = end;
    } else if (line?.kind === "report") {
      report = line.value;
    } else if (!line && isCandidate && text[start] === "{" && failed < MAX_FAILED) {
      const object = objectAt(text, start, last);
      if (!object) failed++;
      else if (isReport(object.value)) report = object.value;
      if (object) end = endOfLine(text, object.end);
    }
    start = end + 1;
  }
  if (!report && !isRun(lines)) {
    const object = objectAt(text, text.indexOf("{", rest), last); // with words before it on its line
    if (object && isReport(object.value)) report = object.value;
  }
  return outputOf(lines, report);
}

function endOfLine(text: string, start: number): number {
  const newline = text.indexOf("\n", start);
  return newline === -1 ? text.length : newline;
}

function outputOf(
  lines: ReadOutput["events"],
  found: Readonly<Record<string, unknown>> | undefined,
): ReadOutput {
  if (!found) return { events: lines, report: isRun(lines) ? undefined : UNREADABLE };
  const report = reportOf(found);
  // A report repeats what came in pieces, and words in quotes that a launcher has printed are none.
  const events = report.text === "" ? lines : lines.filter(({ event }) => event.type !== "chunk");
  return { events, report };
}

/** Whether lines of events tell of a run, and not only of what a launcher did. */
function isRun(lines: ReadOutput["events"]): boolean {
  return lines.some(({ event }) => event.type === "text" || event.type === "finish");
}

/** Whether a text, or an object, begins there. What a program prints to look into a value does not: its names have no quotes. */
function mayBeJson(text: string, start: number): boolean {
  BEGINNING.lastIndex = start;
  return BEGINNING.test(text);
}

const BEGINNING = /"|\{\s*"/y;

/** The object over many lines that begins at `start`; `end` is behind it. */
function objectAt(
  text: string,
  start: number,
  last: number,
): { readonly value: Readonly<Record<string, unknown>>; readonly end: number } | undefined {
  const brace = text.indexOf("\n}", start) + 2;
  // As it is printed its last brace begins a line; else there are at most words behind it, up to the `last` brace of all.
  for (const end of new Set([brace, last])) {
    if (start < 0 || end <= start) continue;
    const value = parsed(text.slice(start, end));
    if (isObject(value)) return { value, end };
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, "null");
  } catch {
    return undefined; // which says that it is no JSON
  }
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
