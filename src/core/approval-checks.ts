import type { ApprovalOptions, ToolRule } from "./approvals.ts";
import { type Check, type Checks, checks, isObject, oneOf } from "./client-options.ts";

const outcome = oneOf("allow", "deny", "ask");

/** A name with a star would match nothing, and leave what it was to guard to whoever comes next. */
const tool: Check = {
  expects: "an exact name or a RegExp",
  holds: (value) => value instanceof RegExp || (checks.text.holds(value) && !String(value).includes("*")),
};

const RULE_CHECKS: Checks<ToolRule> = { tool, when: checks.function, then: outcome };

function isRule(rule: unknown): boolean {
  if (!isObject(rule)) return false;
  const { when } = rule;
  return (
    tool.holds(rule["tool"]) &&
    (when === undefined || checks.function.holds(when)) &&
    outcome.holds(rule["then"])
  );
}

const asked: Check = {
  expects: 'a function or "manual"',
  holds: (value) => value === "manual" || checks.function.holds(value),
};

/** What the options of the gate have to be, for every client that has one. */
export const APPROVAL_CHECKS: Checks<ApprovalOptions> = {
  toolPolicy: {
    expects:
      'an array of rules such as { tool: "read_files", then: "ask" }: `tool` is an exact name or a RegExp, ' +
      `\`then\` is ${outcome.expects}, and \`when\` is a function or left out`,
    holds: (value) => Array.isArray(value) && value.every(isRule),
    fields: RULE_CHECKS,
  },
  onToolApproval: asked,
  onQuestion: asked,
  approvalTimeout: checks.delay,
};
