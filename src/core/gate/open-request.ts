import type { Outbox } from "../client/outbox.ts";
import type { CancelTimer, Clock } from "../clock.ts";
import { said } from "../errors.ts";
import type { DecidedBy, PendingRequest, SettledRequest, TurnStatus } from "../values.ts";
import type { AskContext } from "./rules.ts";

/** A turn that waits with a request: its idle clock stands, and its listeners are told. */
export interface Waiting {
  readonly status: TurnStatus;
  hold(): () => void;
  opened(request: PendingRequest): void;
  closed(id: string): void;
}

/** What a request asks for, and how to read what comes of it. */
export interface Asked<Outcome> {
  readonly request: PendingRequest;
  readonly turn: Waiting | undefined;
  /** Asks the callback; `undefined` where only a reply decides. */
  readonly consult: ((context: AskContext) => unknown) | undefined;
  /** Reads a decision or an answer; throws for anything else. */
  readonly read: (value: unknown, by: DecidedBy) => Outcome;
  readonly refuse: (by: DecidedBy, reason: string) => Outcome;
  /** Called once. */
  readonly settled: (outcome: Outcome) => void;
}

/** What the gate needs of its client. */
export interface GateHost {
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** A request waits for the user: tell the client's listeners. */
  opened(request: PendingRequest): void;
  /** A request has ended. */
  settled(request: SettledRequest): void;
  warn(kind: string, message: string, details?: { readonly cause?: unknown }): void;
}

/**
 * A request that waits for a rule, and then perhaps for the user. The first outcome settles it; the signal of the callback
 * then aborts.
 *
 *     new ──open()──▶ open ──reply, callback, timeout──▶ settled
 *      └─────────────────┴──a rule, withdraw()──────────▶
 */
export class OpenRequest<Outcome extends object> {
  readonly #asked: Asked<Outcome>;
  readonly #host: GateHost;
  readonly #controller = new AbortController();
  #release: (() => void) | undefined;
  #cancelTimer: CancelTimer | undefined;
  #outcome: Outcome | undefined;

  constructor(asked: Asked<Outcome>, host: GateHost) {
    this.#asked = asked;
    this.#host = host;
  }

  get request(): PendingRequest {
    return this.#asked.request;
  }

  get isSettled(): boolean {
    return this.#outcome !== undefined;
  }

  /** Waits for the user: tells the listeners, and asks the callback. `timeout` in ms, 0 for none. */
  open(timeout: number): void {
    const { request, turn, consult } = this.#asked;
    const { outbox, clock } = this.#host;
    this.#release = turn?.hold();
    const expire = (): void => this.withdraw("timeout", `nobody decided within ${timeout} ms`);
    if (timeout > 0) this.#cancelTimer = clock.setTimeout(expire, timeout);
    turn?.opened(request);
    this.#host.opened(request);
    if (!consult) return;
    outbox.tell(() => {
      if (!this.#outcome) void this.#consult(consult);
    });
  }

  /** Settles the request, unless its turn was stopped: then it is refused. */
  decide(outcome: Outcome): Outcome {
    return this.#settle(this.refusal ?? outcome);
  }

  /** The refusal for a turn that was stopped. */
  get refusal(): Outcome | undefined {
    const { turn, refuse } = this.#asked;
    const by = stopOf(turn);
    return by && refuse(by, "its turn is over");
  }

  /** @throws InvalidInputError for a value that is no decision or answer; the request stays open. */
  reply(value: unknown): Outcome {
    const outcome = this.decide(this.#asked.read(value, "reply"));
    this.#abort("it was decided by a reply");
    return outcome;
  }

  withdraw(by: DecidedBy, reason: string): void {
    if (this.#outcome) return;
    this.#settle(this.#asked.refuse(by, reason));
    this.#abort(reason);
  }

  /** The first outcome counts. */
  #settle(outcome: Outcome): Outcome {
    if (this.#outcome) return this.#outcome;
    const { request, turn, settled } = this.#asked;
    this.#outcome = outcome;
    this.#cancelTimer?.();
    this.#release?.();
    turn?.closed(request.id);
    settled(outcome);
    return outcome;
  }

  #abort(reason: string): void {
    this.#host.outbox.tell(() => this.#controller.abort(new Error(reason)));
  }

  async #consult(consult: (context: AskContext) => unknown): Promise<void> {
    const { request, read, refuse } = this.#asked;
    const { outbox } = this.#host;
    let outcome: Outcome;
    try {
      outcome = read(await consult({ signal: this.#controller.signal }), "callback");
    } catch (cause) {
      if (this.#outcome) return; // its signal was aborted, and it gave up by a throw
      const name = request.type === "approval" ? "onToolApproval" : "onQuestion";
      outbox.run(() => {
        this.#settle(refuse("error", `\`${name}\` failed`));
        this.#host.warn("approval-failed", `\`${name}\` failed: ${said(cause)}`, { cause });
      });
      return;
    }
    outbox.run(() => this.decide(outcome));
  }
}

/** How a turn was stopped, if it was. A completed turn was not stopped: agents may go on behind an answer. */
function stopOf(turn: Waiting | undefined): DecidedBy | undefined {
  if (turn?.status === "failed") return "ended";
  return turn?.status === "cancelling" || turn?.status === "cancelled" ? "cancelled" : undefined;
}
