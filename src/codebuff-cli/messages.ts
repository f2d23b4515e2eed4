// The program's output as messages: each line as an event, with its schema.
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
import type { HotKind, Templates } from "../core/link/template.ts";
import { isTooDeep, parseJson } from "../core/text.ts";

/** A block of text. Some builds first print the same text in chunks; then the block adds nothing. */
export type CodebuffCliText = Extract<PrintModeEvent, { readonly type: "text" }> & {
  /** The new text of the answer. Empty for a sub-agent's text and for text already printed in chunks. */
  readonly delta: string;
};

/** A chunk of the root agent's text. Some builds print chunks between events. */
export interface CodebuffCliChunk {
  readonly type: "chunk";
  /** The text of the chunk. */
  readonly delta: string;
}

/** One part of a tool's output. `unknown` holds a part of an unknown type, unchanged. */
export type CodebuffCliToolOutput =
  | ToolOutput
  | { readonly type: "unknown"; readonly part: Readonly<Record<string, unknown>> };

/** The output of a tool. For a question, `answer` is the outcome, if the program reports one. */
export type CodebuffCliToolResult = Omit<
  Extract<PrintModeEvent, { readonly type: "tool_result" }>,
  "output"
> & {
  readonly output: readonly CodebuffCliToolOutput[];
  readonly answer?: QuestionOutcome;
};

/** An agent has finished. The run itself ends with its process. */
export interface CodebuffCliFinish {
  readonly type: "finish";
  /** Credits. Absent if the program's value is invalid. */
  readonly totalCost?: number;
  /** The type of the agent. */
  readonly agentId?: string;
}

/** An event of an unknown type. */
export interface CodebuffCliUnknown {
  readonly type: "unknown";
  readonly event: Readonly<Record<string, unknown>>;
}

/**
 * The events of a turn, in the order of the program's output. Unknown fields are kept; `null` in an optional field counts
 * as absent.
 */
export type CodebuffCliEvent =
  | Exclude<PrintModeEvent, { readonly type: "text" | "tool_result" | "finish" }>
  | CodebuffCliText
  | CodebuffCliToolResult
  | CodebuffCliFinish
  | CodebuffCliChunk
  | CodebuffCliUnknown;

/** An event as the program prints it. */
export type PrintedEvent =
  | Exclude<PrintModeEvent, { readonly type: "tool_result" | "finish" }>
  | Omit<CodebuffCliToolResult, "answer">
  | CodebuffCliFinish
  | { readonly type: "chunk"; readonly text: string }
  | CodebuffCliUnknown;

type Line =
  | { readonly kind: "event"; readonly event: PrintedEvent; readonly raw: unknown }
  | { readonly kind: "blank" }
  /** The report of a whole run, which some builds print as one object. */
  | { readonly kind: "report"; readonly value: Readonly<Record<string, unknown>> }
  /** An object without a type: ignored without a warning, as the spec says. */
  | { readonly kind: "ignored" }
  | { readonly kind: "unparsed"; readonly problem: string };

const BLANK = { kind: "blank" } as const;
const IGNORED = { kind: "ignored" } as const;

/** Texts, the most frequent lines. */
export const hotText: HotKind = (line) =>
  isText(line) ? { strings: [line.text], withStrings: ([text]) => ({ ...line, text }) } : undefined;

/** Reads one line, by a template if one fits. Never throws. */
export function readLine(line: string, templates?: Templates): Line {
  const known = templates?.read(line);
  if (known !== undefined) return readValue(known);
  if (line.trim() === "") return BLANK;
  let value: unknown;
  try {
    value = parseJson(line, "null");
    templates?.learn(line, value);
  } catch {
    return unparsed(isTooDeep(line) ? "a line that is nested too deeply" : "a line that is not JSON");
  }
  return readValue(value);
}

export function readValue(value: unknown): Line {
  if (isText(value)) return { kind: "event", event: value, raw: value };
  if (typeof value === "string") return { kind: "event", event: { type: "chunk", text: value }, raw: value };
  if (!isObject(value)) return unparsed("a line of JSON that is no event");
  return readEvent(value);
}

/** Fast path for the most frequent line. `isPrintModeEvent` takes several times as long. */
function isText(value: unknown): value is Extract<PrintModeEvent, { readonly type: "text" }> {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, agentId } = value as Readonly<Record<string, unknown>>;
  return (
    type === "text" && typeof text === "string" && (agentId === undefined || typeof agentId === "string")
  );
}

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

export function isReport(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value["success"] === "boolean";
}

/** Accepts any fields. Passes unknown fields on. */
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
 * Repairs an invalid event: drops null in optional fields, result parts without a value (JSON has no undefined), and
 * result parts of unknown types. Returns `undefined` if the event is still invalid.
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

/** ESC as the first byte of output: the program has opened its user interface. */
export const ESCAPE = 0x1b;
