import { type Check, type Checks, checks, isObject, oneOf } from "../checks.ts";
import type { Answer, Decision, Question, ToolCall } from "../values.ts";

/** A rule that decides without asking. The first that fits counts. */
export interface ToolRule {
  /** The tool's exact name, or a pattern of names. */
  readonly tool: string | RegExp;
  /** Narrows the rule to some calls; one that throws, or gives anything but true or false (a promise, say), denies. */
  readonly when?: (call: ToolCall) => boolean;
  readonly then: "allow" | "deny" | "ask";
}

/** What a callback gets besides its request. */
export interface AskContext {
  /** Aborted when the decision is not needed any more: decided elsewhere, too late, cancelled, or the link is lost. */
  readonly signal: AbortSignal;
}

/**
 * Who decides on what a server asks this machine to do. A handler that you register is consent for its tool only while neither
 * `toolPolicy` nor `onToolApproval` is given. With either of them every call that no rule decides is asked for, handled or
 * not, and denied where nobody is there to ask.
 */
export interface ApprovalOptions {
  /**
   * Rules that come before everything else. Match tools by their exact names: a pattern may fit more than you mean. Also an
   * empty list ends the consent of handlers. @default none: handlers run without asking, unless `onToolApproval` is given
   */
  readonly toolPolicy?: readonly ToolRule[];
  /**
   * Asked for every call that no rule decides, also where a handler is registered for its tool; `"manual"` waits for
   * `client.decide(id, decision)`. @default nobody: every such call is denied; without `toolPolicy` too, handlers run without asking
   */
  readonly onToolApproval?:
    | ((call: ToolCall, context: AskContext) => Decision | Promise<Decision>)
    | "manual";
  /** Answers questions of the agent; `"manual"` waits for `client.answer(id, answer)`. @default none is answered */
  readonly onQuestion?: ((question: Question, context: AskContext) => Answer | Promise<Answer>) | "manual";
  /** ms until an open call is denied and an open question refused; 0 waits for ever. @default 0: people go for lunch */
  readonly approvalTimeout?: number;
}

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
