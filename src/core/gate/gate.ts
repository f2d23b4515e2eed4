// Stands between a server's requests and the user's handlers: rules decide first, then the user.
import { defined } from "../checks.ts";
import { said } from "../errors.ts";
import { Recent } from "../recent.ts";
import { Table } from "../table.ts";
import type {
  DecidedBy,
  Grant,
  PendingRequest,
  Question,
  Reply,
  Ruling,
  SettledRequest,
  ToolCall,
} from "../values.ts";
import { askedOtherwise, lasting, neverAsked, REMEMBERED, readAnswer, readDecision } from "./decision.ts";
import { type Granted, Grants } from "./grants.ts";
import { type GateHost, OpenRequest, type Prepare, type Waiting } from "./open-request.ts";
import { askPreview, type TellPreview } from "./preview.ts";
import { RequestIds } from "./request-ids.ts";
import { type ApprovalOptions, Rules, type ToolRule } from "./rules.ts";
import { type Subject, type SubjectRules, subjectOf } from "./subject.ts";

/** Withdraws a request that needs no decision any more. */
export type Withdraw = (by: DecidedBy, reason: string) => void;

/** The parameters of a call that the gate decides on. */
export interface Asking {
  readonly turn: Waiting | undefined;
  /** Whether the caller registered a handler for the call. The handler is consent unless the options name rules or a callback. */
  readonly isHandled: boolean;
  /** Where the tool comes from, if its name does not identify it: a grant covers one source. @default "": the backend's own tools */
  readonly source?: string | undefined;
  /** What the call is about, if the gate's table does not say it. `undefined`: the call gets no grant. @default by the table */
  readonly about?: { readonly subject: Subject | undefined } | undefined;
  /** Tells what the call would change, before the user is asked. @default nothing is told */
  readonly preview?: TellPreview | undefined;
  /** Called exactly once, perhaps before `ask` returns. An error thrown by `decided` becomes a warning. */
  readonly decided: (ruling: Ruling) => void;
}

/**
 * The gate in front of every request of a server to this machine. Each request is settled exactly once: by the first matching rule, by a
 * grant, by the callback or a reply, or by an earlier end. The handler of a request allows the request only if the
 * options give neither `toolPolicy` nor `onToolApproval`. Requests do not wait for each other. The cost of a request does not grow with
 * the number of open requests.
 */
export class Gate {
  readonly #host: GateHost;
  readonly #options: ApprovalOptions;
  readonly #rules: Rules;
  readonly #open = new Table<string, Pick<OpenRequest<Ruling | Reply>, "request" | "reply" | "isSettled">>();
  readonly #remembered = new Recent<string, SettledRequest>(REMEMBERED);
  readonly #ids = new RequestIds();
  readonly #subjects: SubjectRules | undefined;
  #grants = new Grants();

  /** @param subjects what the calls of the backend's tools are about @default each call is about its whole input */
  constructor(host: GateHost, options: ApprovalOptions, subjects?: SubjectRules) {
    this.#host = host;
    this.#subjects = subjects;
    const { toolPolicy, onToolApproval, onQuestion, approvalTimeout } = options;
    this.#options = defined({ toolPolicy, onToolApproval, onQuestion, approvalTimeout }); // as they are now
    this.#rules = new Rules(host, this.#options);
  }

  /** Whether the user is asked about calls. */
  get asksUser(): boolean {
    return this.#rules.asksUser;
  }

  /** Why a call without a handler fails, for the user: a user who is asked about calls was not asked about this one. */
  unasked(why: string): string {
    return this.asksUser ? `nobody was asked: ${why}` : why;
  }

  /** The requests that wait for the user, oldest first. */
  get pending(): readonly PendingRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** Begins another session: the grants of the last session do not count any more. */
  newSession(): void {
    this.#grants = new Grants();
  }

  /** What the user has allowed beyond one call, oldest first. */
  get grants(): readonly Grant[] {
    return this.#grants.list;
  }

  /** Takes a grant back. Returns whether it stood. */
  revoke(id: string): boolean {
    return this.#grants.revoke(id);
  }

  /** Returns a new id for the server's id `native`, at each call: see {@link RequestIds}. */
  idFor(native: string): string {
    return this.#ids.make(native);
  }

  #isKnown(id: string): boolean {
    return this.#open.has(id) || this.#remembered.get(id) !== undefined;
  }

  /**
   * Has a call decided. The returned function withdraws the request; after the decision it does nothing. A protocol that stops a turn
   * withdraws the requests of the turn.
   */
  ask(asked: ToolCall, { turn, isHandled, source = "", about, preview, decided }: Asking): Withdraw {
    const { outbox } = this.#host;
    const { onToolApproval } = this.#options;
    const grants = this.#grants; // a decision on this call does not hold in the next session
    const { subject } = about ?? { subject: subjectOf(asked, this.#subjects) };
    const call: ToolCall = subject ? { ...asked, grant: subject.words } : asked;
    const { name: tool, turnId } = call;
    const granted: Granted | undefined = subject && { source, tool, subject, turnId, turn };
    let shown = { type: "approval", id: call.id, call } as const;
    const request = new OpenRequest<Ruling>(
      {
        get request() {
          return shown;
        },
        turn,
        consult:
          typeof onToolApproval === "function" ? (context) => onToolApproval(shown.call, context) : undefined,
        read: (value, by) => ({ ...lasting(readDecision(value), granted), by }),
        refuse: (by, reason) => ({ decision: "reject", by, reason }),
        settled: (ruling) => {
          grants.decided(granted, ruling);
          this.#settled({ type: "approval", id: call.id, call, ruling }, () => decided(ruling));
        },
      },
      this.#host,
    );
    const begin = (verdict: ToolRule["then"] | undefined): void => {
      const known = (): Ruling | undefined =>
        this.#rules.ruling(verdict, { granted: grants.rulingOn(granted), isHandled });
      this.#begin(
        request,
        known,
        preview &&
          ((done) =>
            askPreview(this.#host, call, preview, (told) => {
              if (told) shown = { ...shown, call: { ...call, preview: told } };
              done();
            })),
      );
    };
    if (this.#rules.haveConditions) {
      outbox.tell(() => {
        if (request.isSettled) return;
        const verdict = request.refusal ? undefined : this.#rules.verdict(call);
        outbox.run(() => begin(verdict));
      });
    } else begin(this.#rules.verdict(call));
    return (by, reason) => request.withdraw(by, reason);
  }

  /** Has a question answered, like {@link ask}. Without `onQuestion` the question is refused at once: see {@link answersQuestions}. */
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
   * Decides on an open call. A settled call keeps its ruling.
   * @returns the first ruling.
   * @throws InvalidInputError for an unknown id, for the id of a question, and for a value that is no decision.
   */
  decide(id: string, decision: unknown): Ruling {
    const settled = this.#replied("approval", id, decision);
    if (settled?.type === "approval") return settled.ruling;
    throw this.#isKnown(id) ? askedOtherwise(id, "a question") : neverAsked(id);
  }

  /** Answers an open question; otherwise like {@link decide}. */
  answer(id: string, answer: unknown): Reply {
    const settled = this.#replied("question", id, answer);
    if (settled?.type === "question") return settled.reply;
    throw this.#isKnown(id) ? askedOtherwise(id, "a tool call") : neverAsked(id);
  }

  /** Replies `value` to the open request of this id and type. Returns the settled request of this id. */
  #replied(type: PendingRequest["type"], id: string, value: unknown): SettledRequest | undefined {
    const open = this.#open.get(id);
    if (open?.request.type === type) open.reply(value);
    return this.#remembered.get(id);
  }

  /** Settles a request with `known()`, or lets the request wait for the user: behind `prepare`, if something comes before the question. */
  #begin<Outcome extends Ruling | Reply>(
    request: OpenRequest<Outcome>,
    known: () => Outcome | undefined,
    prepare?: Prepare,
  ): void {
    const { approvalTimeout = 0 } = this.#options;
    const { id } = request.request;
    if (request.isSettled) return; // a rule is the caller's code and has stopped the turn
    const outcome = request.refusal ?? known(); // do not ask the user for a stopped turn
    if (outcome) {
      request.decide(outcome);
    } else if (prepare) {
      request.prepare(prepare, () => this.#begin(request, known)); // the user may have said `always` meanwhile
    } else if (this.#open.has(id)) {
      const reason = "another request with its id is open"; // one reply must not decide two requests
      this.#host.warn("approval-failed", `a request was refused: ${reason}`);
      request.withdraw("error", reason);
    } else {
      this.#open.set(id, request);
      request.open(approvalTimeout);
    }
  }

  #settled(request: SettledRequest, follow: () => void): void {
    const { id } = request;
    if (this.#open.get(id)?.isSettled) this.#open.delete(id); // keep another request with the same id
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
