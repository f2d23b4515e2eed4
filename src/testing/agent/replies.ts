// Reads the user's decisions and answers on the mock agent.
import type { Answers, Question, Ruling, ToolCall } from "../../core/values.ts";
import { checkNames, InvalidMockInput } from "../names.ts";
import { isObject } from "./checks.ts";

type Read = Pick<Ruling, "decision" | "scope" | "tool" | "reason">;

type Given = Readonly<Partial<Record<keyof typeof FIELDS, unknown>>>;

const FIELDS = { decision: true, scope: true, tool: true, reason: true };

/** @throws InvalidInputError for a value that is no decision */
export function readDecision(value: unknown): Read {
  if (value === true) return { decision: "once" };
  if (value === false) return { decision: "reject" };
  if (isObject(value)) checkNames(value, FIELDS, "decision field");
  const { decision, scope, tool, reason }: Given = isObject(value) ? value : { decision: value };
  const said = {
    ...(tool === true ? ({ tool: true } as const) : {}),
    ...(typeof reason === "string" ? { reason } : {}),
  };
  const isWhole =
    (tool === undefined || tool === true) && (reason === undefined || typeof reason === "string");
  const isOnce = scope === undefined || scope === "once";
  if (isWhole && decision === "once") {
    if (isOnce && !tool) return { decision, ...said };
    if (scope === "turn") return { decision, scope, ...said };
    if (scope === "session") return { decision: "always", ...said };
  }
  if (isWhole && decision === "always" && (scope === undefined || scope === "session"))
    return { decision, ...said };
  if (isWhole && decision === "reject" && scope === undefined && !tool) return { decision, ...said };
  throw new InvalidMockInput(
    "that is no decision on a tool call.",
    'Give true, false, "once", "always", "reject", or { decision, scope, tool, reason }: `scope` and `tool` are not for a rejection, `tool` needs the scope "turn" or "session", and `always` is the scope "session".',
  );
}

/** A call whose input cannot be read gets no grant. */
export function lasting(read: Read, { grant }: ToolCall): Read {
  const isOnce = read.decision !== "always" && read.scope === undefined;
  if (isOnce || grant !== undefined) return read;
  return { decision: "once", reason: read.reason ?? "allowed once: the input of the call cannot be read" };
}

/** @throws InvalidInputError for a value that does not answer these questions */
export function readAnswer({ questions }: Question, answer: unknown): Answers {
  if (answer === null) return undefined;
  const lists = listsOf(answer, questions.length);
  if (lists?.length === questions.length) return lists;
  throw new InvalidMockInput(
    `the answer does not fit ${questions.length} question${questions.length === 1 ? "" : "s"}.`,
    "Give a list of strings for each question, a string for an only one, or null to refuse.",
  );
}

function listsOf(answer: unknown, questions: number): Answers {
  if (typeof answer === "string") return [[answer]];
  if (!Array.isArray(answer)) return undefined;
  const items: readonly unknown[] = answer;
  if (areStrings(items)) return questions === 1 ? [items] : items.map((item) => [item]);
  const lists: (readonly string[])[] = [];
  for (const item of items) {
    if (!Array.isArray(item) || !areStrings(item)) return undefined;
    lists.push(item);
  }
  return lists;
}

function areStrings(items: readonly unknown[]): items is readonly string[] {
  return items.every((item) => typeof item === "string");
}
