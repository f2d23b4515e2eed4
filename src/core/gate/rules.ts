// The decisions that need no user: rules, grants and the consent of handlers.
import { said } from "../errors.ts";
import { Table } from "../table.ts";
import type { Reply, Ruling, ToolCall } from "../values.ts";
import type { ApprovalOptions, ToolRule } from "./options.ts";

interface Warner {
  warn(kind: string, message: string, details?: { readonly cause?: unknown }): void;
}

/** The facts about a call that rules use, besides its name and input. */
interface Asked {
  /** The ruling of a grant that covers the call, if any. */
  readonly granted: Ruling | undefined;
  /** Whether the caller registered a handler for the call. */
  readonly isHandled: boolean;
}

/**
 * Decides without the user. In this order: the first matching rule; a grant; the consent of a handler, without
 * `toolPolicy` and `onToolApproval`; a denial, without `onToolApproval`.
 */
export class Rules {
  readonly #warner: Warner;
  readonly #options: ApprovalOptions;
  readonly #warned = new Table<string, true>();

  constructor(warner: Warner, options: ApprovalOptions) {
    this.#warner = warner;
    this.#options = options;
  }

  /** Whether rules call the caller's code. Untyped code may put `undefined` into the list. */
  get haveConditions(): boolean {
    return this.#options.toolPolicy?.some((rule) => rule?.when) ?? false;
  }

  /** The verdict of the rules. Undefined if none matches. An error in a rule denies the call. */
  verdict(call: ToolCall): ToolRule["then"] | undefined {
    try {
      const rule = ruleFor(this.#options.toolPolicy ?? [], call);
      return rule && (rule.then ?? "ask"); // without `then` (untyped code), a rule asks
    } catch (cause) {
      this.#warner.warn("approval-failed", `a rule of \`toolPolicy\` failed: ${said(cause)}`, { cause });
      return "deny";
    }
  }

  /** The ruling on a call without the user. Undefined: ask the user. */
  ruling(verdict: ToolRule["then"] | undefined, { granted, isHandled }: Asked): Ruling | undefined {
    const { toolPolicy, onToolApproval } = this.#options;
    const handlerConsents = isHandled && toolPolicy === undefined && onToolApproval === undefined;
    const then = verdict ?? (handlerConsents ? "allow" : "ask");
    if (then === "allow") return { decision: "once", by: "policy" };
    if (then === "deny") return { decision: "reject", by: "policy", reason: "denied by `toolPolicy`" };
    if (granted) return granted;
    if (this.asksUser) return undefined;
    this.#warnOnce(
      "tool-denied",
      'a tool call was denied because nobody is there to ask: set `onToolApproval` (a function, or "manual") or `toolPolicy`',
    );
    return { decision: "reject", by: "policy", reason: "nobody is there to approve it" };
  }

  get asksUser(): boolean {
    return isSomebody(this.#options.onToolApproval);
  }

  get answersQuestions(): boolean {
    return isSomebody(this.#options.onQuestion);
  }

  /** The reply to a question without the user. Undefined: ask the user. */
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

/** The first rule that matches. @throws the error of a `when`, or TypeError if it returns no boolean */
export function ruleFor(rules: readonly ToolRule[], call: ToolCall): ToolRule | undefined {
  return rules.find((rule) => matches(rule.tool, call.name) && holds(rule, call));
}

/** Drops the flags `g` and `y`, with which a pattern remembers its last match and fails every other time. */
function matches(tool: string | RegExp, name: string): boolean {
  return typeof tool === "string"
    ? tool === name
    : new RegExp(tool.source, tool.flags.replace(/[gy]/g, "")).test(name);
}

function holds(rule: ToolRule, call: ToolCall): boolean {
  if (!rule.when) return true;
  const answer: unknown = rule.when(call);
  if (typeof answer === "boolean") return answer;
  if (answer instanceof Promise) answer.catch(() => {}); // avoid an unhandled rejection
  throw new TypeError("`when` must return true or false");
}

/** Whether the option makes it possible to ask the user. */
function isSomebody(option: unknown): boolean {
  return typeof option === "function" || option === "manual";
}
