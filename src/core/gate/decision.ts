// Reads the user's decisions and answers.
import { isObject } from "../checks.ts";
import { InvalidInputError } from "../errors.ts";
import { checkNames } from "../names.ts";
import type { Answers, Decision, GrantScope, Question, Ruling } from "../values.ts";
import { quotedId } from "./outcome.ts";

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

/** The error for an id of the other type of request. */
export function askedOtherwise(id: string, what: "a question" | "a tool call"): InvalidInputError {
  const takes = what === "a question" ? "client.answer" : "client.decide";
  return new InvalidInputError(`the id ${quotedId(id)} names ${what}.`, `Pass it to \`${takes}\`.`);
}
