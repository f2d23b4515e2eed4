// One request that waits for a rule or the user, and is settled once.

import type { CancelTimer, Clock } from "../clock.ts";
import { said } from "../errors.ts";
import type { Outbox } from "../tell/outbox.ts";
import type { DecidedBy, PendingRequest, SettledRequest, TurnStatus } from "../values.ts";
import type { AskContext } from "./options.ts";

/** A turn with an open request. Its idle limit pauses, and its listeners are notified. */
export interface AskingTurn {
  readonly status: TurnStatus;
  hold(): () => void;
  opened(request: PendingRequest): void;
  closed(id: string): void;
}

/** A request, and functions for its outcome. */
interface Asked<Outcome> {
  readonly request: PendingRequest;
  readonly turn: AskingTurn | undefined;
  /** Calls the callback. Undefined if only a reply can decide. */
  readonly consult: ((context: AskContext) => unknown) | undefined;
  /** Parses a decision or an answer. Throws for other values. */
  readonly read: (value: unknown, by: DecidedBy) => Outcome;
  readonly refuse: (by: DecidedBy, reason: string) => Outcome;
  /** Called once. */
  readonly settled: (outcome: Outcome) => void;
}

/** Starts work before the question, and calls `done` once. The returned function stops the work. */
export type Prepare = (done: () => void) => () => void;

/** The functions of the client that the gate calls. */
export interface GateHost {
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** Notifies the client's listeners of a new request. */
  opened(request: PendingRequest): void;
  settled(request: SettledRequest): void;
  warn(kind: string, message: string, details?: { readonly cause?: unknown }): void;
}

/**
 * A request that waits for a rule, and then perhaps for the user. The first outcome settles the request, and aborts the
 * callback's signal if another source decided.
 *
 *     new ──prepare()?──▶ prepared ──open()──▶ open ──reply, callback, timeout──▶ settled
 *      └──────────────────────┴──────────────────┴──a rule, withdraw()──────────▶
 */
export class OpenRequest<Outcome extends object> {
  readonly #asked: Asked<Outcome>;
  readonly #host: GateHost;
  readonly #controller = new AbortController();
  #release: (() => void) | undefined;
  /** Stops the work of `prepare`. */
  #stop: (() => void) | undefined;
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

  /** Waits for work on this machine, then calls `ready`. Settling the request stops the work. */
  prepare(prepare: Prepare, ready: () => void): void {
    this.#release = this.#asked.turn?.hold();
    this.#stop = prepare(() => {
      this.#stop = undefined;
      this.#release?.();
      ready();
    });
  }

  /** Asks the user: notifies the listeners and calls the callback. `timeout` in ms. 0: no limit. */
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

  /** Settles the request, with a refusal if its turn was stopped. */
  decide(outcome: Outcome): Outcome {
    return this.#settle(this.refusal ?? outcome);
  }

  /** The refusal for a stopped turn. */
  get refusal(): Outcome | undefined {
    const { turn, refuse } = this.#asked;
    const by = stopOf(turn);
    return by && refuse(by, "its turn is over");
  }

  /** @throws InvalidInputError if the value is not a decision or answer. The request then stays open. */
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

  /** Settles the request. Only the first outcome counts. */
  #settle(outcome: Outcome): Outcome {
    if (this.#outcome) return this.#outcome;
    const { request, turn, settled } = this.#asked;
    this.#outcome = outcome;
    this.#cancelTimer?.();
    this.#stop?.();
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
      if (this.#outcome) return; // the callback threw because its signal was aborted
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

/** How the turn was stopped. Undefined for a completed turn, because agents may continue after an answer. */
function stopOf(turn: AskingTurn | undefined): DecidedBy | undefined {
  if (turn?.status === "failed") return "ended";
  return turn?.status === "cancelling" || turn?.status === "cancelled" ? "cancelled" : undefined;
}
