import { defined } from "../checks.ts";
import { said } from "../errors.ts";
import { Recent } from "../recent.ts";
import { Table } from "../table.ts";
import type {
  DecidedBy,
  PendingRequest,
  Question,
  Reply,
  Ruling,
  SettledRequest,
  ToolCall,
} from "../values.ts";
import { askedOtherwise, neverAsked, readAnswer, readDecision } from "./decision.ts";
import { type GateHost, OpenRequest, type Waiting } from "./open-request.ts";
import { type ApprovalOptions, Rules, type ToolRule } from "./rules.ts";

/** The request is not needed any more. */
export type Withdraw = (by: DecidedBy, reason: string) => void;

/** How a call is brought before the gate. */
export interface Asking {
  readonly turn: Waiting | undefined;
  /** Whether the caller registered a handler for it, which is consent unless the options name rules or a callback. */
  readonly isHandled: boolean;
  /**
   * The key of an `always`, where the request is not a call of the tool of this name. The key begins with its kind, such as
   * `mcp:`. It never equals the key of a tool, whatever name the server gives the tool. @default the tool's name
   */
  readonly alwaysFor?: string | undefined;
  /** Called exactly once, perhaps before `ask` returns. An error that it throws becomes a warning. */
  readonly decided: (ruling: Ruling) => void;
}

/** Settled requests that a second reply still finds. */
const REMEMBERED = 256;

/** Upper bound on remembered ids. A server that counts anew repeats far fewer. */
const COUNTED = 1_024;

/**
 * The gate in front of every request of a server to this machine. Each request is settled exactly once: by the first
 * rule that fits, by an `always` of this session, by the callback or a reply, or by an earlier end. A handler of the
 * request allows it only where the options give neither `toolPolicy` nor `onToolApproval`. Requests do not wait for
 * each other, and the cost of a request does not grow with the number of open requests.
 */
export class Gate {
  readonly #host: GateHost;
  readonly #options: ApprovalOptions;
  readonly #rules: Rules;
  readonly #open = new Table<string, Pick<OpenRequest<Ruling | Reply>, "request" | "reply" | "isSettled">>();
  readonly #remembered = new Recent<string, SettledRequest>(REMEMBERED);
  readonly #uses = new Recent<string, number>(COUNTED);
  /** The highest number appended to any id. Higher numbers are free, unless a server itself sends such an id. */
  #highest = 0;

  constructor(host: GateHost, options: ApprovalOptions) {
    this.#host = host;
    const { toolPolicy, onToolApproval, onQuestion, approvalTimeout } = options;
    this.#options = defined({ toolPolicy, onToolApproval, onQuestion, approvalTimeout }); // as they are now
    this.#rules = new Rules(host, this.#options);
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
    this.#rules.newSession();
  }

  /**
   * A new id for what a server calls `native`, each time: servers use theirs again, and a late reply to an old request
   * must not decide another.
   */
  idFor(native: string): string {
    let use = this.#uses.get(native) ?? (this.#isTaken(native) ? this.#highest : 0);
    let id: string;
    do id = ++use === 1 ? native : `${native}~${use}`;
    while (this.#isTaken(id));
    this.#highest = Math.max(this.#highest, use);
    this.#uses.set(native, use);
    if (id !== native) this.#uses.set(id, 1); // a server may call something just that
    return id;
  }

  #isTaken(id: string): boolean {
    return this.#uses.get(id) !== undefined || this.#isKnown(id);
  }

  #isKnown(id: string): boolean {
    return this.#open.has(id) || this.#remembered.get(id) !== undefined;
  }

  /**
   * Has a call decided. The returned function withdraws the request; after the decision it does nothing. A protocol that stops
   * a turn withdraws its requests.
   */
  ask(call: ToolCall, { turn, isHandled, alwaysFor, decided }: Asking): Withdraw {
    const { outbox } = this.#host;
    const { onToolApproval } = this.#options;
    const { always } = this.#rules; // whatever is said to this call says nothing of the next session
    const key = alwaysFor === undefined ? `tool:${call.name}` : `other:${alwaysFor}`;
    const request = new OpenRequest<Ruling>(
      {
        request: { type: "approval", id: call.id, call },
        turn,
        consult:
          typeof onToolApproval === "function" ? (context) => onToolApproval(call, context) : undefined,
        read: (value, by) => ({ ...readDecision(value), by }),
        refuse: (by, reason) => ({ decision: "reject", by, reason }),
        settled: (ruling) => {
          if (ruling.decision === "always") always.set(key, true);
          this.#settled({ type: "approval", id: call.id, call, ruling }, () => decided(ruling));
        },
      },
      this.#host,
    );
    const begin = (verdict: ToolRule["then"] | undefined): void =>
      this.#begin(request, () => this.#rules.ruling(verdict, { key, isHandled }));
    if (this.#rules.haveConditions) {
      outbox.tell(() => {
        if (request.isSettled) return;
        const verdict = request.refusal ? undefined : this.#rules.verdict(call);
        outbox.run(() => begin(verdict));
      });
    } else begin(this.#rules.verdict(call));
    return (by, reason) => request.withdraw(by, reason);
  }

  /** Has a question answered; like {@link ask}. Without `onQuestion` it is refused at once: see {@link answersQuestions}. */
  askQuestion(
    question: Question,
    { turn, answered }: { readonly turn: Waiting | undefined; readonly answered: (reply: Reply) => void },
  ): Withdraw {
    const { onQuestion } = this.#options;
    const request = new OpenRequest<Reply>(
      {
        request: { type: "question", id: question.id, question },
        turn,
        consult: typeof onQuestion === "function" ? (context) => onQuestion(question, context) : undefined,
        read: (value, by) => ({ answers: readAnswer(question, value), by }),
        refuse: (by, reason) => ({ answers: undefined, by, reason }),
        settled: (reply) =>
          this.#settled({ type: "question", id: question.id, question, reply }, () => answered(reply)),
      },
      this.#host,
    );
    this.#begin(request, () => this.#rules.reply());
    return (by, reason) => request.withdraw(by, reason);
  }

  get answersQuestions(): boolean {
    return this.#rules.answersQuestions;
  }

  /**
   * Decides on an open call. For a settled call it changes nothing.
   * @returns how the call was settled, the first time.
   * @throws InvalidInputError for an unknown id, for the id of a question, and for a value that is no decision.
   */
  decide(id: string, decision: unknown): Ruling {
    const settled = this.#replied("approval", id, decision);
    if (settled?.type === "approval") return settled.ruling;
    throw this.#isKnown(id) ? askedOtherwise(id, "a question") : neverAsked(id);
  }

  /** Answers a question that is open; otherwise like {@link decide}. */
  answer(id: string, answer: unknown): Reply {
    const settled = this.#replied("question", id, answer);
    if (settled?.type === "question") return settled.reply;
    throw this.#isKnown(id) ? askedOtherwise(id, "a tool call") : neverAsked(id);
  }

  /** How the request of this id was settled, by `value` if it is open and of this type. */
  #replied(type: PendingRequest["type"], id: string, value: unknown): SettledRequest | undefined {
    const open = this.#open.get(id);
    if (open?.request.type === type) open.reply(value);
    return this.#remembered.get(id);
  }

  /** Settles a request as `known` says, or has it wait for the user. */
  #begin<Outcome extends Ruling | Reply>(
    request: OpenRequest<Outcome>,
    known: () => Outcome | undefined,
  ): void {
    const { approvalTimeout = 0 } = this.#options;
    const { id } = request.request;
    if (request.isSettled) return; // a rule, which is the caller's code, has stopped the turn
    const outcome = request.refusal ?? known(); // a turn that was stopped asks no user
    if (outcome) {
      request.decide(outcome);
    } else if (this.#open.has(id)) {
      const reason = "another request with its id is open"; // one reply must not decide two
      this.#host.warn("approval-failed", `a request was refused: ${reason}`);
      request.withdraw("error", reason);
    } else {
      this.#open.set(id, request);
      request.open(approvalTimeout);
    }
  }

  #settled(request: SettledRequest, follow: () => void): void {
    const { id } = request;
    if (this.#open.get(id)?.isSettled) this.#open.delete(id); // and not another request of its id
    this.#remembered.set(id, request);
    this.#host.settled(request);
    try {
      follow();
    } catch (cause) {
      const message = `what follows from a decision failed: ${said(cause)}`;
      this.#host.warn("approval-failed", message, { cause });
    }
  }
}
