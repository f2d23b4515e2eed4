import type { CancelTimer, Clock } from "../clock.ts";
import { said } from "../errors.ts";
import type { DecidedBy, PendingRequest, TurnStatus } from "../values.ts";
import type { AskContext } from "./options.ts";

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
  /** How it is settled without asking anybody. */
  readonly known: Outcome | undefined;
  /** Asks the callback; `undefined` where only a reply decides. */
  readonly consult: ((context: AskContext) => unknown) | undefined;
  /** Reads what was answered; throws what is no answer. */
  readonly read: (value: unknown, by: DecidedBy) => Outcome;
  readonly refuse: (by: DecidedBy, reason: string) => Outcome;
  readonly settled: (outcome: Outcome) => void;
}

export interface RequestSetup {
  readonly clock: Clock;
  /** A request was opened: tell the client's listeners. */
  readonly opened: (request: PendingRequest) => void;
  readonly warn: (kind: string, message: string, details?: { readonly cause?: unknown }) => void;
}

/** A request that waits for the user: whoever comes first settles it, and the others are told that nobody waits. */
export class OpenRequest<Outcome extends object> {
  readonly #asked: Asked<Outcome>;
  readonly #setup: RequestSetup;
  readonly #controller = new AbortController();
  readonly #release: (() => void) | undefined;
  readonly #cancelTimer: CancelTimer | undefined;
  #outcome: Outcome | undefined;

  /** `timeout` in ms, 0 for none. */
  constructor(asked: Asked<Outcome>, setup: RequestSetup, timeout: number) {
    this.#asked = asked;
    this.#setup = setup;
    this.#release = asked.turn?.hold();
    if (timeout === 0) return;
    const expire = (): void => this.withdraw("timeout", `nobody decided within ${timeout} ms`);
    this.#cancelTimer = setup.clock.setTimeout(expire, timeout);
  }

  get request(): PendingRequest {
    return this.#asked.request;
  }

  /**
   * Tells the listeners, and asks the callback. Until this returns nobody else holds what withdraws the request, so
   * it is withdrawn here when one of them stops its turn.
   */
  begin(): void {
    const { request, turn, consult } = this.#asked;
    turn?.opened(request);
    if (!this.#outcome) this.#setup.opened(request); // the turn's listeners may have replied by now
    this.#withdrawIfStopped();
    if (this.#outcome || !consult) return;
    void this.#consult(consult);
    this.#withdrawIfStopped();
  }

  /** @throws InvalidInputError for what is no decision or answer; the request stays open. */
  reply(value: unknown): Outcome {
    const read = this.#asked.read(value, "reply");
    this.#withdrawIfStopped(); // its protocol learns of a stop after those who listen to the turn
    const outcome = this.#settle(read);
    this.#controller.abort(new Error("it was decided by a reply"));
    return outcome;
  }

  withdraw(by: DecidedBy, reason: string): void {
    if (this.#outcome) return;
    this.#settle(this.#asked.refuse(by, reason));
    this.#controller.abort(new Error(reason));
  }

  #withdrawIfStopped(): void {
    const by = stopOf(this.#asked.turn);
    if (by) this.withdraw(by, STOPPED);
  }

  async #consult(consult: (context: AskContext) => unknown): Promise<void> {
    const { request, read, refuse } = this.#asked;
    let outcome: Outcome;
    try {
      outcome = read(await consult({ signal: this.#controller.signal }), "callback");
    } catch (cause) {
      if (this.#outcome) return; // it was told that nobody waits, and this is how it gave up
      const name = request.type === "approval" ? "onToolApproval" : "onQuestion";
      this.#settle(refuse("error", `\`${name}\` failed`));
      this.#setup.warn("approval-failed", `\`${name}\` failed: ${said(cause)}`, { cause });
      return;
    }
    this.#withdrawIfStopped();
    this.#settle(outcome);
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
}

/** Why a request of a turn that was stopped is refused. */
export const STOPPED = "its turn is over";

/** How a turn was stopped, if it was. One that completed was not: agents may go on behind an answer. */
export function stopOf(turn: Waiting | undefined): DecidedBy | undefined {
  if (turn?.status === "failed") return "ended";
  return turn?.status === "cancelling" || turn?.status === "cancelled" ? "cancelled" : undefined;
}
