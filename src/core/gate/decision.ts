// Reads the user's decisions and answers, applies them to a call, and words denials (`denialOf`).
import { describe, isObject } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";
import { checkNames } from "../names.ts";
import type { Answers, DecidedBy, Decision, GrantScope, Question, Ruling, TurnToolCall } from "../values.ts";

const DECISIONS: ReadonlySet<unknown> = new Set(["once", "always", "reject"]);
const SCOPES: ReadonlySet<unknown> = new Set(["once", "turn", "session"]);

/** A parsed decision. `once` for the session becomes `always`. */
export type ReadDecision = Pick<Ruling, "decision" | "scope" | "tool" | "reason">;

/** @throws InvalidInputError if the value is not a decision, so that no call is approved by mistake. */
export function readDecision(value: unknown): ReadDecision {
  if (value === true) return { decision: "once" };
  if (value === false) return { decision: "reject" };
  const { decision, scope, tool, reason } = fieldsOf(value);
  const isReason = reason === undefined || typeof reason === "string";
  if (!isDecision(decision) || !isReason || !isScope(scope) || (tool !== undefined && tool !== true))
    throw new InvalidInputError(
      "the value is not a decision on a tool call.",
      'Give true, false, "once", "always", "reject", or { decision, scope, tool, reason }.',
    );
  const lasts = scope ?? (decision === "always" ? "session" : "once");
  if (decision === "reject" && (scope !== undefined || tool))
    throw mistaken(
      "a rejection applies to one call",
      "Leave `scope` and `tool` out; a rule of `toolPolicy` denies more.",
    );
  if (decision === "always" && lasts !== "session")
    throw mistaken(
      `\`always\` applies to the session, not to the scope \`${lasts}\``,
      `Give { decision: "once", scope: "${lasts}" }.`,
    );
  if (tool && lasts === "once")
    throw mistaken(
      "`tool` widens a grant, but a decision for one call makes no grant",
      'Add the scope "turn" or "session".',
    );
  const rest = { ...(tool ? ({ tool } as const) : {}), ...(reason === undefined ? {} : { reason }) };
  if (decision === "reject" || lasts === "once") return { decision, ...rest };
  return lasts === "turn" ? { decision: "once", scope: "turn", ...rest } : { decision: "always", ...rest };
}

/** Reduces a decision to `once` if the call has no subject, or no turn for a grant of the turn. */
export function lasting(
  decision: ReadDecision,
  call: { readonly turn: unknown; readonly turnId: string | undefined } | undefined,
): ReadDecision {
  const { scope, reason } = decision;
  const isOnce = scope === undefined && decision.decision !== "always";
  const isOfTurn = call?.turn !== undefined && call.turnId !== undefined;
  if (isOnce || (call && (scope !== "turn" || isOfTurn))) return decision;
  const why = call ? "the call belongs to no turn" : "the input of the call cannot be read";
  return { decision: "once", reason: reason ?? `allowed once: ${why}` };
}

function mistaken(problem: string, hint: string): InvalidInputError {
  return new InvalidInputError(`the decision contradicts itself: ${problem}.`, hint);
}

const FIELDS: Readonly<Record<keyof Exclude<Decision, boolean | string>, true>> = {
  decision: true,
  scope: true,
  tool: true,
  reason: true,
};

function fieldsOf(value: unknown): Readonly<Partial<Record<keyof typeof FIELDS, unknown>>> {
  if (!isObject(value)) return { decision: value };
  checkNames(value, FIELDS, "decision field");
  return value;
}

function isDecision(value: unknown): value is Ruling["decision"] {
  return DECISIONS.has(value);
}

function isScope(value: unknown): value is GrantScope | undefined {
  return value === undefined || SCOPES.has(value);
}

/** Applies a decision to the waiting call. */
export function decideCall(call: TurnToolCall, { decision, by, reason }: Ruling): TurnToolCall {
  if (decision !== "reject") return { ...call, state: "approved" };
  const deniedBy = isUsersWord(by) ? "user" : "policy";
  return { ...call, state: "denied", deniedBy, ...(reason === undefined ? {} : { reason }) };
}

/** Marks an approved call as running, for servers that do not report the start. */
export function inferStart(call: TurnToolCall): TurnToolCall {
  return { ...call, state: "running", startInferred: true };
}

/** Whether the user made the decision, now or by a grant. */
export function isUsersWord(by: DecidedBy): boolean {
  return by === "callback" || by === "reply" || by === "session";
}

/** @throws InvalidInputError if the value does not answer these questions. */
export function readAnswer({ questions }: Question, answer: unknown): Answers {
  if (answer === null) return undefined;
  const answers = listsOf(answer, questions.length);
  if (answers?.length === questions.length) return answers;
  if (isObject(answer) && "scope" in answer)
    throw new InvalidInputError(
      "an answer has no scope.",
      "Pass the answer alone: only a decision on a tool call has a scope.",
    );
  throw new InvalidInputError(
    `the answer does not fit ${questions.length} question${questions.length === 1 ? "" : "s"}.`,
    "Pass a list of strings for each question, a string if there is one question, or null to refuse.",
  );
}

function listsOf(answer: unknown, questions: number): Answers {
  if (typeof answer === "string") return [[answer]];
  const texts = stringsOf(answer);
  if (texts) return questions === 1 ? [texts] : texts.map((text) => [text]);
  if (!Array.isArray(answer)) return undefined;
  const lists = Array.from(answer, stringsOf);
  return lists.every((list) => list !== undefined) ? lists : undefined;
}

/** Returns a safe copy. Holes of a sparse array become `undefined`, because `every` skips holes. */
function stringsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: unknown[] = Array.from(value);
  return items.every((item) => typeof item === "string") ? items : undefined;
}

/** How many settled requests a second reply can find. Older ids are unknown, and never reused. */
export const REMEMBERED = 256;

/** The maximum length of a quoted unknown id. Real ids are shorter. */
const QUOTED = 100;

function quoted(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id.slice(0, QUOTED)) : describe(id);
}

/** The error for an id of the other type of request. */
export function askedOtherwise(id: string, what: "a question" | "a tool call"): InvalidInputError {
  const takes = what === "a question" ? "client.answer" : "client.decide";
  return new InvalidInputError(`the id ${quoted(id)} names ${what}.`, `Pass it to \`${takes}\`.`);
}

/** The error for an unknown id: it names no request, or one that was settled too long ago. */
export function neverAsked(id: unknown): InvalidInputError {
  return new InvalidInputError(
    `nothing was asked with the id ${quoted(id)}.`,
    `Pass the \`id\` of a call or question from \`client.pending\` or an event. A client remembers its last ${REMEMBERED} outcomes.`,
  );
}

/** The text of a denial, for the agent. */
export function denialOf(isUsers: boolean, why: string | undefined): string {
  const denied = isUsers ? "denied by the user" : "denied";
  if (why === undefined) return denied;
  return /^denied\b/i.test(why) ? why : `${denied}: ${why}`;
}
