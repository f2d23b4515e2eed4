// Reads the user's decisions and answers, applies them to a call, and makes the text of a denial (`denialOf`).
import { describe, isObject } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";
import { checkNames } from "../names.ts";
import type { Answers, DecidedBy, Decision, GrantScope, Question, Ruling, TurnToolCall } from "../values.ts";

const DECISIONS: ReadonlySet<unknown> = new Set(["once", "always", "reject"]);
const SCOPES: ReadonlySet<unknown> = new Set(["once", "turn", "session"]);

/** A decision, read: `once` for the session is `always`. */
export type ReadDecision = Pick<Ruling, "decision" | "scope" | "tool" | "reason">;

/** @throws InvalidInputError for a value that is no decision, so no call is approved by mistake. */
export function readDecision(value: unknown): ReadDecision {
  if (value === true) return { decision: "once" };
  if (value === false) return { decision: "reject" };
  const { decision, scope, tool, reason } = fieldsOf(value);
  const isReason = reason === undefined || typeof reason === "string";
  if (!isDecision(decision) || !isReason || !isScope(scope) || (tool !== undefined && tool !== true))
    throw new InvalidInputError(
      "that is no decision on a tool call.",
      'Give true, false, "once", "always", "reject", or { decision, scope, tool, reason }.',
    );
  const lasts = scope ?? (decision === "always" ? "session" : "once");
  if (decision === "reject" && (scope !== undefined || tool))
    throw mistaken(
      "a rejection holds for one call",
      "Leave `scope` and `tool` out; a rule of `toolPolicy` denies more.",
    );
  if (decision === "always" && lasts !== "session")
    throw mistaken(
      `\`always\` holds for the session, not for the scope \`${lasts}\``,
      `Give { decision: "once", scope: "${lasts}" }.`,
    );
  if (tool && lasts === "once")
    throw mistaken(
      "`tool` widens a grant, and a decision for one call gives none",
      'Add the scope "turn" or "session".',
    );
  const rest = { ...(tool ? ({ tool } as const) : {}), ...(reason === undefined ? {} : { reason }) };
  if (decision === "reject" || lasts === "once") return { decision, ...rest };
  return lasts === "turn" ? { decision: "once", scope: "turn", ...rest } : { decision: "always", ...rest };
}

/** The decision on a call that may get a grant; a call without a subject is decided once, and one without a turn not for a turn. */
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

/** Applies a decision to a call that awaits it. */
export function decideCall(call: TurnToolCall, { decision, by, reason }: Ruling): TurnToolCall {
  if (decision !== "reject") return { ...call, state: "approved" };
  const deniedBy = isUsersWord(by) ? "user" : "policy";
  return { ...call, state: "denied", deniedBy, ...(reason === undefined ? {} : { reason }) };
}

/** For a server that does not report the start of an approved call: the start is inferred from the approval. */
export function inferStart(call: TurnToolCall): TurnToolCall {
  return { ...call, state: "running", startInferred: true };
}

/** Whether the decision is the user's, made now or by a grant. */
export function isUsersWord(by: DecidedBy): boolean {
  return by === "callback" || by === "reply" || by === "session";
}

/** @throws InvalidInputError for a value that does not answer these questions. */
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
    "Give a list of strings for each question, a string for an only one, or null to refuse.",
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

/** Returns a copy, which the caller cannot change. In the copy, holes of a sparse array are `undefined`; `every` would skip holes. */
function stringsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: unknown[] = Array.from(value);
  return items.every((item) => typeof item === "string") ? items : undefined;
}

/** The number of settled requests that a second reply still finds. The id of an older one names nothing, and never another request. */
export const REMEMBERED = 256;

/** Characters of an unknown id that an error quotes. Real ids are shorter. */
const QUOTED = 100;

function quoted(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id.slice(0, QUOTED)) : describe(id);
}

/** The error for an id of the other kind of request. */
export function askedOtherwise(id: string, what: "a question" | "a tool call"): InvalidInputError {
  const takes = what === "a question" ? "client.answer" : "client.decide";
  return new InvalidInputError(`the id ${quoted(id)} names ${what}.`, `Pass it to \`${takes}\`.`);
}

/** The error for an id that names no request, or one that was settled too long ago to be remembered. */
export function neverAsked(id: unknown): InvalidInputError {
  return new InvalidInputError(
    `nothing was asked with the id ${quoted(id)}.`,
    `Pass the \`id\` of a call or question from \`client.pending\` or an event. A client remembers its last ${REMEMBERED} outcomes.`,
  );
}

/** A denial in words, for the agent. */
export function denialOf(isUsers: boolean, why: string | undefined): string {
  const denied = isUsers ? "denied by the user" : "denied";
  if (why === undefined) return denied;
  return /^denied\b/i.test(why) ? why : `${denied}: ${why}`;
}
