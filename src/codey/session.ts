import type { Clock } from "../core/clock.ts";
import type { AgentwireError } from "../core/errors.ts";
import { Recent } from "../core/recent.ts";
import { Replies } from "../core/replies.ts";
import type { History, State } from "./messages.ts";
import { UsageCount } from "./usage.ts";

/** How many ids of calls of ended turns are remembered, so that what comes late for one is not taken for a new call. */
const REMEMBERED = 256;

/** What one connection has outstanding, and what its session has used. Gone with its socket. */
export class Session {
  /** Known once the server has greeted. */
  id: string | undefined;
  readonly pings: Replies<void>;
  readonly states: Replies<State>;
  readonly histories: Replies<History>;
  readonly usage = new UsageCount();
  /** The calls of turns that are over, by agent and id. */
  readonly past = new Recent<string, true>(REMEMBERED);

  constructor(clock: Clock) {
    this.pings = new Replies(clock);
    this.states = new Replies(clock);
    this.histories = new Replies(clock);
  }

  /** The socket is gone: nobody gets a reply any more. */
  end(error: () => AgentwireError): void {
    this.pings.clear(error);
    this.states.clear(error);
    this.histories.clear(error);
  }
}
