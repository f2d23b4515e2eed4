import type { QuestionOutcome } from "../codebuff-events/ask-user.ts";
import {
  isOptionalField,
  isPrintModeEvent,
  isPrintModeType,
  isToolOutput,
  type PrintModeEvent,
  type ToolOutput,
} from "../codebuff-events/print-mode.ts";
import { isObject } from "../core/checks.ts";
import { isTooDeep, parseJson } from "../core/text.ts";

/** A whole block of text. Some builds have told it in chunks before, and then it adds nothing. */
export type CodebuffCliText = Extract<PrintModeEvent, { readonly type: "text" }> & {
  /** What of it is the answer itself: empty for a sub-agent's, and for what was said before. */
  readonly delta: string;
};

/** A piece of the root agent's text, as some builds print it besides the events. */
export interface CodebuffCliChunk {
  readonly type: "chunk";
  /** What it adds to the answer. */
  readonly delta: string;
}

/** One part of what a tool gave back; `unknown` is of a type that is not known here, as it came. */
export type CodebuffCliToolOutput =
  | ToolOutput
  | { readonly type: "unknown"; readonly part: Readonly<Record<string, unknown>> };

/** What a tool gave back; with `answer` where it was a question of the agent, as far as the program tells what became of it. */
export type CodebuffCliToolResult = Omit<
  Extract<PrintModeEvent, { readonly type: "tool_result" }>,
  "output"
> & {
  readonly output: readonly CodebuffCliToolOutput[];
  readonly answer?: QuestionOutcome;
};

/** An agent is done; the run's own end is that of the process. */
export interface CodebuffCliFinish {
  readonly type: "finish";
  /** Credits; absent when it could not be read. */
  readonly totalCost?: number;
  /** The type of the agent. */
  readonly agentId?: string;
}

/** An event of a type that is not known here; programs get new ones. */
export interface CodebuffCliUnknown {
  readonly type: "unknown";
  readonly event: Readonly<Record<string, unknown>>;
}

/** What a turn of the program yields, in order: its events, pieces of text, and what is not known. */
export type CodebuffCliEvent =
  | Exclude<PrintModeEvent, { readonly type: "text" | "tool_result" | "finish" }>
  | CodebuffCliText
  | CodebuffCliToolResult
  | CodebuffCliFinish
  | CodebuffCliChunk
  | CodebuffCliUnknown;

/** An event as a line has it. */
export type PrintedEvent =
  | Exclude<PrintModeEvent, { readonly type: "tool_result" | "finish" }>
  | Omit<CodebuffCliToolResult, "answer">
  | CodebuffCliFinish
  | { readonly type: "chunk"; readonly text: string }
  | CodebuffCliUnknown;

/** What a line of output says. */
export type Line =
  | { readonly kind: "event"; readonly event: PrintedEvent; readonly raw: unknown }
  | { readonly kind: "blank" }
  /** The one object that says all of a run, as some builds print it. */
  | { readonly kind: "report"; readonly value: Readonly<Record<string, unknown>> }
  /** An object that says nothing of its kind: nobody has to know of it, but it is no event either. */
  | { readonly kind: "ignored" }
  | { readonly kind: "unparsed"; readonly problem: string };

const BLANK = { kind: "blank" } as const;
const IGNORED = { kind: "ignored" } as const;

/** Reads one line. Never throws: what is no event comes back as such, and the run goes on. */
export function readLine(line: string): Line {
  if (line.trim() === "") return BLANK;
  let value: unknown;
  try {
    value = parseJson(line, "null");
  } catch {
    return unparsed(isTooDeep(line) ? "a line that is nested too deeply" : "a line that is not JSON");
  }
  return readValue(value);
}

/** Reads what the JSON of a line says. */
export function readValue(value: unknown): Line {
  if (typeof value === "string") return { kind: "event", event: { type: "chunk", text: value }, raw: value };
  if (!isObject(value)) return unparsed("a line of JSON that is no event");
  return readEvent(value);
}

/** Reads one parsed event. */
export function readEvent(value: Readonly<Record<string, unknown>>): Line {
  const { type } = value;
  if (type === undefined) return isReport(value) ? { kind: "report", value } : IGNORED;
  if (typeof type !== "string") return unparsed("an event whose `type` is no text");
  if (type === "finish") return { kind: "event", event: finishOf(value), raw: value };
  if (isPrintModeEvent(value)) return { kind: "event", event: value, raw: value };
  if (!isPrintModeType(type)) return { kind: "event", event: { type: "unknown", event: value }, raw: value };
  const event = mended(value);
  return event ? { kind: "event", event, raw: value } : unparsed(`\`${type}\` with a wrong or missing field`);
}

/** Whether an object says how a run went. */
export function isReport(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value["success"] === "boolean";
}

/** The agent is done, whatever it says of that; what else it says is passed on. */
function finishOf({ totalCost, agentId, ...others }: Readonly<Record<string, unknown>>): CodebuffCliFinish {
  const isCost = typeof totalCost === "number" && totalCost >= 0 && Number.isFinite(totalCost);
  return {
    ...others,
    type: "finish",
    ...(isCost ? { totalCost } : {}),
    ...(typeof agentId === "string" ? { agentId } : {}),
  };
}

/**
 * An event that is not quite as its type says, without what is odd and means nothing: null for a field that may be absent, a
 * part of a result without its value, which is how JSON writes one that is undefined, and parts of types that are not known.
 * `undefined` where more than that is wrong. Only for the few that need it: it builds the event anew.
 */
function mended(event: Readonly<Record<string, unknown>>): PrintedEvent | undefined {
  const { type } = event;
  if (typeof type !== "string") return undefined;
  const fields = Object.entries(event).filter(
    ([name, value]) => value !== null || !isOptionalField(type, name),
  );
  const rest: Record<string, unknown> = Object.fromEntries(fields);
  if (type !== "tool_result") return known(rest);
  const { output } = rest;
  const parts = Array.isArray(output) ? output.map(partOf) : [undefined];
  const result = known({ ...rest, output: [] });
  if (result?.type !== "tool_result" || !parts.every((part) => part !== undefined)) return undefined;
  return { ...result, output: parts };
}

function known(event: unknown): PrintedEvent | undefined {
  return isPrintModeEvent(event) ? event : undefined;
}

function partOf(part: unknown): CodebuffCliToolOutput | undefined {
  if (isToolOutput(part)) return part;
  if (!isObject(part) || typeof part["type"] !== "string" || part["type"] === "media") return undefined;
  return part["type"] === "json" ? { ...part, type: "json", value: null } : { type: "unknown", part };
}

function unparsed(problem: string): Line {
  return { kind: "unparsed", problem };
}
