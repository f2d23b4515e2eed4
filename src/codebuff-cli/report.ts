// Reads the one JSON object in which some builds report a whole run.
import { isObject } from "../core/checks.ts";
import { jsonIn } from "../core/text.ts";
import { isReport, type PrintedEvent, readEvent, readValue } from "./messages.ts";
import type { RunReport } from "./outcome.ts";

export interface ReadReport {
  readonly report: RunReport;
  /** The steps of the run as events. Traces have no ids and no results. */
  readonly traces: readonly PrintedEvent[];
  readonly text: string;
}

export interface ReadOutput {
  /** The event lines, from a launcher or from the program. */
  readonly events: readonly { readonly event: PrintedEvent; readonly raw: unknown }[];
  readonly report: ReadReport | undefined;
}

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

/** The events of a report that were not emitted before. */
export function newsOf(
  { traces, text }: ReadReport,
  told: { readonly text: string; readonly calls: boolean },
): readonly PrintedEvent[] {
  const more = text.startsWith(told.text) ? text.slice(told.text.length) : text;
  return [...(told.calls ? [] : traces), ...(more === "" ? [] : [{ type: "text", text: more } as const])];
}

const UNREADABLE: ReadReport = { report: { status: "unreadable" }, traces: [], text: "" };

/** Failed attempts to parse a multi-line object. Each may read all output; the limit keeps that linear. */
const MAX_FAILED = 8;

/** Reads the output of a program that prints one object at the end. Skips text around the object. */
export function readReport(text: string): ReadOutput {
  const last = text.lastIndexOf("}") + 1;
  const lines: ReadOutput["events"][number][] = [];
  let report: Readonly<Record<string, unknown>> | undefined;
  let failed = 0;
  let rest = 0;
  for (let start = 0; start < text.length; ) {
    let end = endOfLine(text, start);
    // Only at the start of a line, because a multi-line object contains objects.
    const isCandidate = mayBeJson(text, start);
    const value = isCandidate ? jsonIn(text.slice(start, end), "null") : undefined;
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
    const object = objectAt(text, text.indexOf("{", rest), last); // other text may precede it on its line
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
  // The report repeats all chunks. A launcher's quoted text is not a chunk.
  const events = report.text === "" ? lines : lines.filter(({ event }) => event.type !== "chunk");
  return { events, report };
}

/** Whether the events come from a run, not only from a launcher. */
function isRun(lines: ReadOutput["events"]): boolean {
  return lines.some(({ event }) => event.type === "text" || event.type === "finish");
}

/** Whether a JSON string or object begins at `start`. Debug output has names without quotes. */
function mayBeJson(text: string, start: number): boolean {
  BEGINNING.lastIndex = start;
  return BEGINNING.test(text);
}

const BEGINNING = /"|\{\s*"/y;

/** The multi-line object that begins at `start`. `end` is the index after the object. */
function objectAt(
  text: string,
  start: number,
  last: number,
): { readonly value: Readonly<Record<string, unknown>>; readonly end: number } | undefined {
  const brace = text.indexOf("\n}", start) + 2;
  // A pretty-printed object ends with a brace at a line start. Otherwise try the output's `last` brace.
  for (const end of new Set([brace, last])) {
    if (start < 0 || end <= start) continue;
    const value = jsonIn(text.slice(start, end), "null");
    if (isObject(value)) return { value, end };
  }
  return undefined;
}

/** Reads traces as events. The id of a call is its number. A result belongs to the oldest call without a result. */
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
      if (calls.answered === calls.made) calls.made++; // the call of this result is not in the traces
      return eventOf({ ...trace, toolCallId: `call_${++calls.answered}`, output: [] });
    }
    if (type === "subagent_start" || type === "subagent_finish") {
      const { agentType } = trace;
      // The last started agent of this type has ended: its sub-agents have ended before.
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
