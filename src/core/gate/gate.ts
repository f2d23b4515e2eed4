// The gate between a server's requests and the user's handlers. Rules decide first, then the user.
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
import { askedOtherwise, lasting, readAnswer, readDecision } from "./decision.ts";
import { type Granted, Grants } from "./grants.ts";
import { type AskingTurn, type GateHost, OpenRequest, type Prepare } from "./open-request.ts";
import { type ApprovalOptions, approvalOf, type ToolRule } from "./options.ts";
import { neverAsked, REMEMBERED } from "./outcome.ts";
import { askPreview, type TellPreview } from "./preview.ts";
import { RequestIds } from "./request-ids.ts";
import { Rules } from "./rules.ts";
import { type Subject, type SubjectRules, subjectOf } from "./subject.ts";

/** Withdraws a request that no longer needs a decision. */
export type Withdraw = (by: DecidedBy, reason: string) => void;

/** What the gate needs to know about a call. */
export interface Asking {
  readonly turn: AskingTurn | undefined;
  /** Whether the call has a handler, which is consent unless the options have rules or a callback. */
  readonly isHandled: boolean;
  /** The tool's source, if names are not unique: grants are per source. @default "": the backend's tools */
  readonly source?: string | undefined;
  /** The user has just allowed the same action in another request. Only a rule can still deny it. @default false */
  readonly isAllowed?: boolean | undefined;
  /** Replaces the table's subject. With `subject: undefined` the call gets no grant. @default the table's */
  readonly about?: { readonly subject: Subject | undefined } | undefined;
  /** Computes what the call would change, before the user is asked. @default no preview */
  readonly preview?: TellPreview | undefined;
  /** Called exactly once, perhaps before `ask` returns. An error that it throws becomes a warning. */
  readonly decided: (ruling: Ruling) => void;
}

const ALLOWED: Ruling = { decision: "once", by: "session" };

/**
 * The gate that every request of a server to this machine passes. The first matching rule, a grant, the callback or
 * reply, or an earlier end settles a request exactly once. A handler counts as consent only if the options have neither
 * `toolPolicy` nor `onToolApproval`. Requests do not wait for each other. The cost of a request does not depend on the
 * number of open ones.
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

  /** @param subjects by the backend's tools @default each call's subject is its whole input */
  constructor(host: GateHost, options: ApprovalOptions, subjects?: SubjectRules) {
    this.#host = host;
    this.#subjects = subjects;
    this.#options = approvalOf(options);
    this.#rules = new Rules(host, this.#options);
  }

  get asksUser(): boolean {
    return this.#rules.asksUser;
  }

  /** The reason for the user why a call without a handler fails, before anybody was asked. */
  unasked(why: string): string {
    return this.asksUser ? `nobody was asked: ${why}` : why;
  }

  get pending(): readonly PendingRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** Starts another session. All grants end. */
  newSession(): void {
    this.#grants = new Grants();
  }

  /** The grants, oldest first. */
  get grants(): readonly Grant[] {
    return this.#grants.list;
  }

  /** Revokes a grant. Returns false if there is no such grant. */
  revoke(id: string): boolean {
    return this.#grants.revoke(id);
  }

  /** Returns a new id at each call, even for the same server's id `native`. See {@link RequestIds}. */
  idFor(native: string): string {
    return this.#ids.make(native);
  }

  #isKnown(id: string): boolean {
    return this.#open.has(id) || this.#remembered.get(id) !== undefined;
  }

  /** Gets a decision on a call. The returned function withdraws the request, as a stopped turn must. */
  ask(
    asked: ToolCall,
    { turn, isHandled, isAllowed, source = "", about, preview, decided }: Asking,
  ): Withdraw {
    const { outbox } = this.#host;
    const { onToolApproval } = this.#options;
    const grants = this.#grants; // a decision on this call must not apply to a later session
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
        this.#rules.ruling(verdict, { granted: isAllowed ? ALLOWED : grants.rulingOn(granted), isHandled });
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

  /** Gets the answer to a question. Without `onQuestion` it is refused: see {@link answersQuestions}. */
  askQuestion(
    question: Question,
    { turn, answered }: { readonly turn: AskingTurn | undefined; readonly answered: (reply: Reply) => void },
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
   * Decides on an open call. Later decisions on the same call change nothing.
   * @returns the first ruling.
   * @throws InvalidInputError for an unknown id, the id of a question, and an invalid decision.
   */
  decide(id: string, decision: unknown): Ruling {
    const settled = this.#replied("approval", id, decision);
    if (settled?.type === "approval") return settled.ruling;
    throw this.#isKnown(id) ? askedOtherwise(id, "a question") : neverAsked(id);
  }

  /** Answers an open question, like {@link decide}. */
  answer(id: string, answer: unknown): Reply {
    const settled = this.#replied("question", id, answer);
    if (settled?.type === "question") return settled.reply;
    throw this.#isKnown(id) ? askedOtherwise(id, "a tool call") : neverAsked(id);
  }

  /** Replies to the open request with this id and type. Returns the settled request with this id. */
  #replied(type: PendingRequest["type"], id: string, value: unknown): SettledRequest | undefined {
    const open = this.#open.get(id);
    if (open?.request.type === type) open.reply(value);
    return this.#remembered.get(id);
  }

  /** Settles a request with `known()`, or asks the user, after `prepare` if there is one. */
  #begin<Outcome extends Ruling | Reply>(
    request: OpenRequest<Outcome>,
    known: () => Outcome | undefined,
    prepare?: Prepare,
  ): void {
    const { approvalTimeout = 0 } = this.#options;
    const { id } = request.request;
    if (request.isSettled) return; // a rule is the caller's code and may have stopped the turn
    const outcome = request.refusal ?? known(); // do not ask the user about a stopped turn
    if (outcome) {
      request.decide(outcome);
    } else if (prepare) {
      request.prepare(prepare, () => this.#begin(request, known)); // the user may have said `always`
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
