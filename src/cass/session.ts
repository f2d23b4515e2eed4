import type { Clock } from "../core/clock.ts";
import type { AgentwireError } from "../core/errors.ts";
import { Replies } from "../core/replies.ts";
import type { StatusFrame } from "./messages.ts";

/** What the server answers in the order in which it was asked. */
export type Asked = "turn" | "ping" | "status";

/** Where a connection is on its way to being somebody's. */
export type Phase =
  | "greeting"
  | "authenticating"
  /** A fresh token is being got. */
  | "renewing"
  | "ready"
  /** The socket is gone. */
  | "over";

/** What one connection has outstanding. Gone with its socket. */
export class Session {
  sdkMode: boolean | undefined;
  /** Whether a ping was due while a turn ran. It is sent when the server is free. */
  pingIsDue = false;
  readonly pings: Replies<void>;
  readonly statuses: Replies<StatusFrame>;
  phase: Phase = "greeting";
  #order: readonly Asked[] = [];

  constructor(clock: Clock) {
    this.pings = new Replies(clock);
    this.statuses = new Replies(clock);
  }

  sent(asked: Asked): void {
    this.#order = [...this.#order, asked];
  }

  /**
   * Something was answered; returns what was asked before it and should have been answered first, if anything: once, for
   * a server that does not know a request answers everything behind it all the same.
   */
  took(asked: Asked): Asked | undefined {
    const at = this.#order.indexOf(asked);
    if (at < 0) return undefined;
    const [first] = this.#order;
    this.#order = this.#order.slice(at + 1);
    return at === 0 ? undefined : first;
  }

  /** The socket is gone: nobody gets a reply any more. */
  end(error: () => AgentwireError): void {
    this.phase = "over";
    this.pings.clear(error);
    this.statuses.clear(error);
  }
}
