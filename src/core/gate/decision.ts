import { InvalidInputError } from "../errors.ts";
import { checkNames } from "../names.ts";
import type { DecidedBy, Decision, Ruling, ToolCall, TurnToolCall } from "../values.ts";
import type { ToolRule } from "./options.ts";

/**
 * The first rule that fits a call.
 * @throws what a rule throws, and for a `when` that does not say yes or no: such a rule might have been the one to deny.
 */
export function ruleFor(rules: readonly ToolRule[], call: ToolCall): ToolRule | undefined {
  return rules.find((rule) => matches(rule.tool, call.name) && holds(rule, call));
}

/** A pattern that remembers where it last matched would match every other time. */
function matches(tool: string | RegExp, name: string): boolean {
  return typeof tool === "string"
    ? tool === name
    : new RegExp(tool.source, tool.flags.replace(/[gy]/g, "")).test(name);
}

function holds(rule: ToolRule, call: ToolCall): boolean {
  if (!rule.when) return true;
  const answer: unknown = rule.when(call);
  if (typeof answer === "boolean") return answer;
  if (answer instanceof Promise) answer.catch(() => {}); // what comes of it is of no use, and nobody else awaits it
  throw new TypeError("`when` must return true or false");
}

const DECISIONS: ReadonlySet<unknown> = new Set(["once", "always", "reject"]);

/** @throws InvalidInputError for what is no decision; nothing is approved by mistake. */
export function readDecision(value: unknown): Pick<Ruling, "decision" | "reason"> {
  if (value === true) return { decision: "once" };
  if (value === false) return { decision: "reject" };
  const { decision, reason } = fieldsOf(value);
  if (isDecision(decision) && (reason === undefined || typeof reason === "string"))
    return reason === undefined ? { decision } : { decision, reason };
  throw new InvalidInputError(
    "that is no decision on a tool call.",
    'Give true, false, "once", "always", "reject", or { decision, reason }.',
  );
}

const FIELDS: Readonly<Record<keyof Exclude<Decision, boolean | string>, true>> = {
  decision: true,
  reason: true,
};

function fieldsOf(value: unknown): { readonly decision: unknown; readonly reason?: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { decision: value };
  checkNames(value, FIELDS, "decision field");
  if (!("decision" in value)) return { decision: value };
  return { decision: value.decision, reason: "reason" in value ? value.reason : undefined };
}

function isDecision(value: unknown): value is Ruling["decision"] {
  return DECISIONS.has(value);
}

/** What a decision makes of a call that awaits it. */
export function decideCall(call: TurnToolCall, { decision, by, reason }: Ruling): TurnToolCall {
  if (decision !== "reject") return { ...call, state: "approved" };
  const deniedBy = isUsersWord(by) ? "user" : "policy";
  return { ...call, state: "denied", deniedBy, ...(reason === undefined ? {} : { reason }) };
}

/** A server that does not tell when an approved call begins: its start is concluded from the approval. */
export function inferStart(call: TurnToolCall): TurnToolCall {
  return { ...call, state: "running", startInferred: true };
}

/** Whether the user has said so, now or with an earlier `always`. */
export function isUsersWord(by: DecidedBy): boolean {
  return by === "callback" || by === "reply" || by === "session";
}
