import type { CancelTimer, Clock } from "../core/clock.ts";
import type { AgentwireError } from "../core/errors.ts";
import { Replies } from "../core/replies.ts";
import type { StatusFrame } from "./messages.ts";

/** What the server answers in the order in which it was asked. */
export type Asked = "turn" | "ping" | "status";

/** Where a connection is on its way to being somebody's. */
export type Phase =
  | { readonly name: "greeting" }
  /** `cancelTimer` ends the wait for the answer to `auth`. */
  | { readonly name: "authenticating"; readonly cancelTimer: CancelTimer }
  /** A fresh token is being got. */
  | { readonly name: "renewing" }
  | { readonly name: "ready" };

/** What one connection has outstanding. Gone with its socket. */
export class Session {
  sdkMode: boolean | undefined;
  readonly pings: Replies<void>;
  readonly statuses: Replies<StatusFrame>;
  #phase: Phase = { name: "greeting" };
  readonly #order = new Set<{ readonly asked: Asked }>();

  constructor(clock: Clock) {
    this.pings = new Replies(clock);
    this.statuses = new Replies(clock);
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Goes on to the next phase, and ends what belonged to the last. */
  enter(phase: Phase): void {
    this.#leave();
    this.#phase = phase;
  }

  sent(asked: Asked): void {
    this.#order.add({ asked });
  }

  /** Something was answered; returns what was asked before it and should have been answered first, if anything. */
  took(asked: Asked): Asked | undefined {
    let overtaken: Asked | undefined;
    for (const entry of this.#order) {
      if (entry.asked === asked) {
        this.#order.delete(entry);
        return overtaken;
      }
      overtaken ??= entry.asked;
    }
    return undefined;
  }

  /** While a turn is under way the server reads nothing else: nobody's time runs. */
  hold(isBusy: boolean): void {
    this.pings.hold(isBusy);
    this.statuses.hold(isBusy);
  }

  /** The socket is gone: nobody gets a reply any more. */
  end(error: () => AgentwireError): void {
    this.#leave();
    this.pings.clear(error);
    this.statuses.clear(error);
  }

  #leave(): void {
    if (this.#phase.name === "authenticating") this.#phase.cancelTimer();
  }
}
