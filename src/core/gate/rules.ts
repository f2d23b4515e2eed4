import { type Check, type Checks, checks, isObject, oneOf } from "../checks.ts";
import { said } from "../errors.ts";
import { Table } from "../table.ts";
import type { Answer, Decision, Question, Reply, Ruling, ToolCall } from "../values.ts";

/** A rule that decides without asking. The first that fits counts. */
export interface ToolRule {
  /** The tool's exact name, or a pattern of names. */
  readonly tool: string | RegExp;
  /** Narrows the rule to some calls. A `when` that throws, or returns anything but true or false (a promise, say), denies. */
  readonly when?: (call: ToolCall) => boolean;
  readonly then: "allow" | "deny" | "ask";
}

/** What a callback gets besides its request. */
export interface AskContext {
  /** Aborted when the decision is not needed any more: decided elsewhere, too late, cancelled, or the link is lost. */
  readonly signal: AbortSignal;
}

/**
 * Decides on what a server asks this machine to do. A handler that you register is consent for its tool only while neither
 * `toolPolicy` nor `onToolApproval` is given. With either of them every call that no rule decides is asked for, handled or
 * not, and denied without a callback.
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

/** A name with a star would match nothing, and the calls that it was to guard would fall to the next rule. */
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

/** Tells the user what their options lack. */
interface Warner {
  warn(kind: string, message: string, details?: { readonly cause?: unknown }): void;
}

/** What the rules know of a call besides its name and input. */
export interface Asked {
  /** What an `always` is said for. */
  readonly key: string;
  /** Whether the caller registered a handler for it. */
  readonly isHandled: boolean;
}

/**
 * Decides without asking the user, in this order: the first rule that fits; an `always` of this session; the consent of a
 * handler, where the options give neither `toolPolicy` nor `onToolApproval`; a denial, where `onToolApproval` is not set.
 */
export class Rules {
  readonly #warner: Warner;
  readonly #options: ApprovalOptions;
  readonly #warned = new Table<string, true>();
  #always = new Table<string, true>();

  constructor(warner: Warner, options: ApprovalOptions) {
    this.#warner = warner;
    this.#options = options;
  }

  /** What the user has said `always` to in this session. */
  get always(): Table<string, true> {
    return this.#always;
  }

  /** Another session begins: `always` was said in the last one. */
  newSession(): void {
    this.#always = new Table();
  }

  /** Whether `verdict` calls the caller's code. Untyped code may give no rule at all. */
  get haveConditions(): boolean {
    return this.#options.toolPolicy?.some((rule) => rule?.when) ?? false;
  }

  /** What the rules say of a call, if they say anything. A rule that throws denies: it might have been the one to deny. */
  verdict(call: ToolCall): ToolRule["then"] | undefined {
    try {
      const rule = ruleFor(this.#options.toolPolicy ?? [], call);
      return rule && (rule.then ?? "ask"); // untyped code may forget it, and a rule without it allows nothing
    } catch (cause) {
      this.#warner.warn("approval-failed", `a rule of \`toolPolicy\` failed: ${said(cause)}`, { cause });
      return "deny";
    }
  }

  /** How a call is decided without asking; `undefined` where the user is to be asked. */
  ruling(verdict: ToolRule["then"] | undefined, { key, isHandled }: Asked): Ruling | undefined {
    const { toolPolicy, onToolApproval } = this.#options;
    const handlerConsents = isHandled && toolPolicy === undefined && onToolApproval === undefined;
    const then = verdict ?? (handlerConsents ? "allow" : "ask");
    if (then === "allow") return { decision: "once", by: "policy" };
    if (then === "deny") return { decision: "reject", by: "policy", reason: "denied by `toolPolicy`" };
    if (this.#always.has(key)) return { decision: "always", by: "session" };
    if (isSomebody(onToolApproval)) return undefined;
    this.#warnOnce(
      "tool-denied",
      'a tool call was denied because nobody is there to ask: set `onToolApproval` (a function, or "manual") or `toolPolicy`',
    );
    return { decision: "reject", by: "policy", reason: "nobody is there to approve it" };
  }

  get answersQuestions(): boolean {
    return isSomebody(this.#options.onQuestion);
  }

  /** How a question is answered without asking; `undefined` where the user is to be asked. */
  reply(): Reply | undefined {
    if (this.answersQuestions) return undefined;
    this.#warnOnce(
      "question-refused",
      'a question was refused because nobody is there to ask: set `onQuestion` (a function, or "manual")',
    );
    return { answers: undefined, by: "policy", reason: "nobody is there to answer it" };
  }

  #warnOnce(kind: string, message: string): void {
    if (this.#warned.has(kind)) return;
    this.#warned.set(kind, true);
    this.#warner.warn(kind, message);
  }
}

/**
 * The first rule that fits a call.
 * @throws what a `when` throws, and TypeError for a `when` that returns no boolean: that rule might have denied.
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
  if (answer instanceof Promise) answer.catch(() => {}); // its result is of no use, and its rejection must not go unhandled
  throw new TypeError("`when` must return true or false");
}

/** Whether an option names a way to ask the user. */
function isSomebody(option: unknown): boolean {
  return typeof option === "function" || option === "manual";
}
