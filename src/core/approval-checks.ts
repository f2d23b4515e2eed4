import type { ApprovalOptions } from "./approvals.ts";
import { type Check, checks, isObject, oneOf } from "./client-options.ts";

const outcome = oneOf("allow", "deny", "ask");

/** A name with a star would match nothing, and leave what it was to guard to whoever comes next. */
function isRule(rule: unknown): boolean {
  if (!isObject(rule)) return false;
  const { tool, when, then } = rule;
  const isNamed = tool instanceof RegExp || (checks.text.holds(tool) && !String(tool).includes("*"));
  return isNamed && (when === undefined || checks.function.holds(when)) && outcome.holds(then);
}

const asked: Check = {
  expects: 'a function or "manual"',
  holds: (value) => value === "manual" || checks.function.holds(value),
};

/** What the options of the gate have to be, for every client that has one. */
export const APPROVAL_CHECKS: { readonly [Option in keyof ApprovalOptions]-?: Check } = {
  toolPolicy: {
    expects:
      'an array of rules such as { tool: "read_files", then: "ask" }: `tool` is an exact name or a RegExp, ' +
      `\`then\` is ${outcome.expects}, and \`when\` is a function or left out`,
    holds: (value) => Array.isArray(value) && value.every(isRule),
  },
  onToolApproval: asked,
  onQuestion: asked,
  approvalTimeout: checks.delay,
};
