import type { Clock } from "./clock.ts";
import { InvalidInputError, said } from "./errors.ts";
import { type Answer, type Answers, type Question, readAnswer } from "./question.ts";
import { Recent } from "./recent.ts";
import type { ToolCall } from "./tool-call.ts";

/** What a callback or a reply says to a call. `true` is `once`, `false` is `reject`; `always` holds for all calls of this tool in this session. */
export type Decision =
  | boolean
  | "once"
  | "always"
  | "reject"
  | { readonly decision: "once" | "always" | "reject"; readonly reason?: string };

/** A rule that decides without asking. The first that fits counts. */
export interface ToolRule {
  /** The tool's exact name, or a pattern of names. */
  readonly tool: string | RegExp;
  /** Narrows the rule to some calls; one that throws denies. */
  readonly when?: (call: ToolCall) => boolean;
  readonly then: "allow" | "deny" | "ask";
}

/** What a callback gets besides its request. */
export interface AskContext {
  /** Aborted when the decision is not needed any more: decided elsewhere, too late, cancelled, or the link is lost. */
  readonly signal: AbortSignal;
}

/** Who decides on what a server asks this machine to do. Nobody, unless one of these says so: then it is denied. */
export interface ApprovalOptions {
  /** Rules that come before everything else. Match tools by their exact names: a pattern may fit more than you mean. */
  readonly toolPolicy?: readonly ToolRule[];
  /** Asked for every call that no rule decides; `"manual"` waits for `client.reply(id, decision)`. @default every such call is denied */
  readonly onToolApproval?:
    | ((call: ToolCall, context: AskContext) => Decision | Promise<Decision>)
    | "manual";
  /** Answers questions of the agent; `"manual"` waits for `client.reply(id, answer)`. @default none is answered */
  readonly onQuestion?: ((question: Question, context: AskContext) => Answer | Promise<Answer>) | "manual";
  /** ms until an open call is denied and an open question refused; 0 waits for ever. @default 0: people go for lunch */
  readonly approvalTimeout?: number;
}

/**
 * What brought a decision about: a rule or the lack of anybody to ask (`policy`), an earlier `always` (`session`), the
 * callback, a reply, the time limit, a callback that failed (`error`), or an end that came first: decided by the
 * server (`elsewhere`), the turn `cancelled` or over (`ended`), the link lost (`disconnected`).
 */
export type DecidedBy =
  | "policy"
  | "session"
  | "callback"
  | "reply"
  | "timeout"
  | "error"
  | "elsewhere"
  | "cancelled"
  | "ended"
  | "disconnected";

/** How a call was decided. */
export interface Ruling {
  readonly decision: "once" | "always" | "reject";
  readonly by: DecidedBy;
  readonly reason?: string;
}

/** How a question was settled. */
export interface Reply {
  /** What was selected, per question; `undefined` when it was not answered. */
  readonly answers: Answers;
  readonly by: DecidedBy;
  readonly reason?: string;
}

/** Something that waits for the user. */
export type PendingRequest =
  | { readonly type: "approval"; readonly id: string; readonly call: ToolCall }
  | { readonly type: "question"; readonly id: string; readonly question: Question };

/** A turn that waits with a request: its idle clock stands, and its listeners are told. */
export interface Waiting {
  hold(): () => void;
  opened(request: PendingRequest): void;
  closed(id: string): void;
}

/** The request is not needed any more. */
export type Withdraw = (by: DecidedBy, reason: string) => void;

export interface GateSetup {
  readonly options: ApprovalOptions;
  readonly clock: Clock;
  /** A request was opened: tell the client's listeners. */
  readonly opened: (request: PendingRequest, turn: Waiting | undefined) => void;
  readonly warn: (kind: string, message: string, details?: { readonly cause?: unknown }) => void;
}

/** How a call is brought before the gate. */
export interface Asking {
  readonly turn: Waiting | undefined;
  /** Whether the caller registered a handler for just this tool, which is as good as a rule that allows it. */
  readonly isHandled: boolean;
  /** What an `always` is said for, where names alone do not tell two tools apart. @default the tool's name */
  readonly alwaysFor?: string | undefined;
  /** Called exactly once, perhaps before `ask` returns. */
  readonly decided: (ruling: Ruling) => void;
}

/** One open request, whatever it asks for. */
interface Open<Outcome> {
  readonly request: PendingRequest;
  readonly turn: Waiting | undefined;
  /** Asks the callback; `undefined` where only a reply decides. */
  readonly consult: ((context: AskContext) => unknown) | undefined;
  /** Reads what was answered; throws what is no answer. */
  readonly read: (value: unknown, by: DecidedBy) => Outcome;
  readonly refuse: (by: DecidedBy, reason: string) => Outcome;
  readonly settled: (outcome: Outcome) => void;
}

/** Settled requests that a second reply still finds. */
const REMEMBERED = 256;

/**
 * What stands in front of everything that a server asks this machine to do. Each request is settled exactly once:
 * by the first rule that fits, by an `always` of this session, by the callback or a reply, or by an end that came
 * before. Requests do not wait for each other.
 */
export class Gate {
  readonly #setup: GateSetup;
  readonly #rules: readonly ToolRule[];
  readonly #open = new Map<
    string,
    { readonly request: PendingRequest; reply(value: unknown): Ruling | Reply }
  >();
  readonly #settled = new Recent<string, Ruling | Reply>(REMEMBERED);
  readonly #warned = new Set<string>();
  #always = new Set<string>();

  constructor(setup: GateSetup) {
    this.#setup = setup;
    this.#rules = setup.options.toolPolicy ?? [];
  }

  /** What waits for the user, oldest first. */
  get pending(): readonly PendingRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** Another session begins: `always` was said in the last one. */
  newSession(): void {
    this.#always = new Set();
  }

  /** An id for what a server calls `native`: servers use theirs again. */
  idFor(native: string): string {
    let id = native;
    for (let use = 2; this.#open.has(id) || this.#settled.get(id) !== undefined; use++)
      id = `${native}~${use}`;
    return id;
  }

  /** Has a call decided. The returned function withdraws it; after the decision it does nothing. */
  ask(call: ToolCall, { turn, isHandled, alwaysFor = call.name, decided }: Asking): Withdraw {
    const { onToolApproval } = this.#setup.options;
    const settled = (ruling: Ruling): void => {
      this.#settled.set(call.id, ruling);
      if (ruling.decision === "always") this.#always.add(alwaysFor);
      decided(ruling);
    };
    const known = this.#ruled(call, isHandled, alwaysFor);
    if (known) {
      settled(known);
      return () => {};
    }
    return this.#wait<Ruling>({
      request: { type: "approval", id: call.id, call },
      turn,
      consult: typeof onToolApproval === "function" ? (context) => onToolApproval(call, context) : undefined,
      read: (value, by) => ({ ...readDecision(value), by }),
      refuse: (by, reason) => ({ decision: "reject", by, reason }),
      settled,
    });
  }

  /** Has a question answered; like {@link ask}. Only where somebody is there to ask: see {@link answersQuestions}. */
  askQuestion(
    question: Question,
    { turn, answered }: { readonly turn: Waiting | undefined; readonly answered: (reply: Reply) => void },
  ): Withdraw {
    const { onQuestion } = this.#setup.options;
    return this.#wait<Reply>({
      request: { type: "question", id: question.id, question },
      turn,
      consult: typeof onQuestion === "function" ? (context) => onQuestion(question, context) : undefined,
      read: (value, by) => ({ answers: readAnswer(question, value), by }),
      refuse: (by, reason) => ({ answers: undefined, by, reason }),
      settled: (reply) => {
        this.#settled.set(question.id, reply);
        answered(reply);
      },
    });
  }

  get answersQuestions(): boolean {
    return this.#setup.options.onQuestion !== undefined;
  }

  /**
   * Decides what is open, whoever else was asked. For what is settled already it changes nothing.
   * @returns how the request was settled, the first time.
   * @throws InvalidInputError for an id that was never asked, and for what is no decision or answer.
   */
  reply(id: string, value: unknown): Ruling | Reply {
    const settled = this.#open.get(id)?.reply(value) ?? this.#settled.get(id);
    if (settled) return settled;
    throw new InvalidInputError(
      `nothing was asked with the id ${JSON.stringify(id)}.`,
      "Pass the `id` of a call or question from `turn.pending` or an event.",
    );
  }

  /** What is decided without asking. */
  #ruled(call: ToolCall, isHandled: boolean, alwaysFor: string): Ruling | undefined {
    const then = this.#firstRule(call) ?? (isHandled ? "allow" : "ask");
    if (then === "allow") return { decision: "once", by: "policy" };
    if (then === "deny") return { decision: "reject", by: "policy", reason: "denied by `toolPolicy`" };
    if (this.#always.has(alwaysFor)) return { decision: "always", by: "session" };
    if (this.#setup.options.onToolApproval !== undefined) return undefined;
    this.#warnOnce(
      "tool-denied",
      "a tool call was denied because nobody is there to ask: see the options `onToolApproval` and `toolPolicy`",
    );
    return { decision: "reject", by: "policy", reason: "nobody is there to approve it" };
  }

  #firstRule(call: ToolCall): ToolRule["then"] | undefined {
    try {
      return this.#rules.find((rule) => matches(rule.tool, call.name) && (rule.when?.(call) ?? true))?.then;
    } catch (cause) {
      this.#setup.warn("approval-failed", `a rule of \`toolPolicy\` threw: ${said(cause)}`, { cause });
      return "deny"; // it might have been the one to deny
    }
  }

  #wait<Outcome extends Ruling | Reply>(open: Open<Outcome>): Withdraw {
    const { clock, options, warn } = this.#setup;
    const { request, turn } = open;
    const { approvalTimeout = 0 } = options;
    const controller = new AbortController();
    const release = turn?.hold();
    let outcome: Outcome | undefined;
    const settle = (found: Outcome): Outcome => {
      if (outcome) return outcome;
      outcome = found;
      cancelTimer();
      this.#open.delete(request.id);
      release?.();
      turn?.closed(request.id);
      open.settled(found);
      return found;
    };
    const withdraw: Withdraw = (by, reason) => {
      if (outcome) return;
      settle(open.refuse(by, reason));
      controller.abort(new Error(reason));
    };
    const cancelTimer =
      approvalTimeout === 0
        ? () => {}
        : clock.setTimeout(
            () => withdraw("timeout", `nobody decided within ${approvalTimeout} ms`),
            approvalTimeout,
          );
    const reply = (value: unknown): Outcome => {
      const first = settle(open.read(value, "reply"));
      controller.abort(new Error("it was decided by a reply"));
      return first;
    };
    this.#open.set(request.id, { request, reply });
    turn?.opened(request);
    this.#setup.opened(request, turn);
    const consulted = async (consult: NonNullable<Open<Outcome>["consult"]>): Promise<void> => {
      try {
        const value = await consult({ signal: controller.signal });
        if (!outcome) settle(open.read(value, "callback"));
      } catch (cause) {
        if (outcome) return; // it was told that nobody waits, and this is how it gave up
        const name = request.type === "approval" ? "onToolApproval" : "onQuestion";
        warn("approval-failed", `\`${name}\` failed: ${said(cause)}`, { cause });
        settle(open.refuse("error", `\`${name}\` failed`));
      }
    };
    if (open.consult && !outcome) void consulted(open.consult); // a listener may have replied by now
    return withdraw;
  }

  #warnOnce(kind: string, message: string): void {
    if (this.#warned.has(kind)) return;
    this.#warned.add(kind);
    this.#setup.warn(kind, message);
  }
}

/** A pattern that remembers where it last matched would match every other time. */
function matches(tool: string | RegExp, name: string): boolean {
  return typeof tool === "string"
    ? tool === name
    : new RegExp(tool.source, tool.flags.replace(/[gy]/g, "")).test(name);
}

const DECISIONS: ReadonlySet<unknown> = new Set(["once", "always", "reject"]);

/** @throws InvalidInputError for what is no decision; nothing is approved by mistake. */
function readDecision(value: unknown): Pick<Ruling, "decision" | "reason"> {
  if (value === true) return { decision: "once" };
  if (value === false) return { decision: "reject" };
  const { decision, reason } =
    typeof value === "object" && value !== null && "decision" in value
      ? { reason: undefined, ...value }
      : { decision: value, reason: undefined };
  if (isDecision(decision) && (reason === undefined || typeof reason === "string"))
    return reason === undefined ? { decision } : { decision, reason };
  throw new InvalidInputError(
    "that is no decision on a tool call.",
    'Give true, false, "once", "always", "reject", or { decision, reason }.',
  );
}

function isDecision(value: unknown): value is Ruling["decision"] {
  return DECISIONS.has(value);
}
