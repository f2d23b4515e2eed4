// What a mock turn is made of, as types.
import type { Clock } from "../../core/clock.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import type { MockAgentEvent } from "./events.ts";
import type { Tells } from "./tells.ts";

/** Who wants to stop a turn. */
export type Stopper = "user" | "signal" | "timeout";

/** The planned end of a turn that is being stopped. `by` is undefined for a time-out. */
export interface Stop {
  readonly by: "user" | "signal" | undefined;
  readonly error: AnyAgentwireError;
}

/** The client of a turn. */
export interface TurnHost<Turn> {
  readonly client: object;
  readonly tells: Tells;
  /** Its timers are inputs. */
  readonly clock: Clock;
  readonly threw: (error: unknown, name: string) => void;
  tellEvent(event: MockAgentEvent, turn: Turn, stands: () => boolean): void;
  /** The turn is being stopped. The client calls `stopped()` once the turn has stopped. */
  stop(turn: Turn, by: Stopper): void;
  settled(turn: Turn): void;
}

export interface TurnParts<Turn> {
  readonly id: string;
  /** The caller's input. */
  readonly input: unknown;
  readonly host: TurnHost<Turn>;
  readonly options: TurnOptions;
  /** ms; 0 for none. */
  readonly idleTimeout: number;
  /** The conversation that has made the turn. */
  readonly conversation: object | undefined;
}
