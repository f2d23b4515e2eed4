// The gate's options, such as `toolPolicy` and `onToolApproval`, with their checks.
import { type Check, type Checks, checks, defined, isObject, oneOf } from "../checks.ts";
import type { Answer, Decision, Question, ToolCall } from "../values.ts";

/** A rule that decides without the user. The first matching rule counts. */
export interface ToolRule {
  /** The tool's exact name, or a pattern of names. */
  readonly tool: string | RegExp;
  /** Limits the rule to some calls. If `when` throws or returns no boolean, the call is denied. */
  readonly when?: (call: ToolCall) => boolean;
  readonly then: "allow" | "deny" | "ask";
}

/** The second argument of a callback. */
export interface AskContext {
  /** Aborted when no decision is needed: decided elsewhere, timed out, cancelled, or connection lost. */
  readonly signal: AbortSignal;
}

/**
 * Decides on the server's requests to this machine. A registered handler counts as consent for its tool only without
 * `toolPolicy` and `onToolApproval`. With either option, every call that no rule decides goes to `onToolApproval`, even
 * if it has a handler. Without `onToolApproval` such a call is denied.
 */
export interface ApprovalOptions {
  /**
   * Rules that come before every other decision. Use exact names, because a pattern may match too many tools. Even an
   * empty list ends the consent of handlers. @default none: handlers run without asking, unless `onToolApproval` is
   * given
   */
  readonly toolPolicy?: readonly ToolRule[];
  /**
   * Called for every call that no rule decides, even if the tool has a handler. With `"manual"`, the call waits for
   * `client.decide(id, decision)`. A callback that throws denies the call. The stream and other calls go on meanwhile.
   * @default none: such calls are denied. Without `toolPolicy` too, handlers run without asking
   */
  readonly onToolApproval?:
    | ((call: ToolCall, context: AskContext) => Decision | Promise<Decision>)
    | "manual";
  /**
   * Answers questions, without a rule or an approval before them. `"manual"` waits for `client.answer(id, answer)`.
   * @default none: all are refused
   */
  readonly onQuestion?: ((question: Question, context: AskContext) => Answer | Promise<Answer>) | "manual";
  /** ms until an open call or question is refused. 0: no limit. @default 0: users may be away for hours */
  readonly approvalTimeout?: number;
}

const outcome = oneOf("allow", "deny", "ask");

/** No stars: `*` matches no tool's name, so the calls would fall through to the next rule. */
const tool: Check = {
  expects: "an exact name without `*`, or a RegExp",
  holds: (value) => value instanceof RegExp || (checks.text.holds(value) && !String(value).includes("*")),
};

const RULE_CHECKS: Checks<ToolRule> = { tool, when: checks.function, then: outcome };

/** Whether the required fields are present. Their own checks report wrong values. */
function isRule(rule: unknown): boolean {
  return isObject(rule) && rule["tool"] !== undefined && rule["then"] !== undefined;
}

const asked: Check = {
  expects: 'a function or "manual"',
  holds: (value) => value === "manual" || checks.function.holds(value),
};

/** The checks of the gate's options. */
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

const NONE: ApprovalOptions = {};

/** A copy of the gate's options. */
export function approvalOf(options: ApprovalOptions): ApprovalOptions {
  const { toolPolicy, onToolApproval, onQuestion, approvalTimeout } = options;
  const given = defined({ toolPolicy, onToolApproval, onQuestion, approvalTimeout });
  return Object.keys(given).length === 0 ? NONE : given;
}
