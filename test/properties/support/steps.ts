import fc from "fast-check";
import type { Reader } from "./watched-turn.ts";

/** What the settings of the worlds of one session share. */
export interface SessionSetting {
  /** Whether the server answers before `send` returns, as one in the same process can. */
  readonly instant: boolean;
  /** Sockets as in browsers, which cannot be cut. */
  readonly browser: boolean;
  readonly reconnect: boolean;
  readonly keepalive: boolean;
  readonly idleTimeout: number;
  readonly maxBufferedBytes: number;
  readonly maxQueuedTurns: number;
  readonly random: number;
  /** Whether the first connection stands before the first step. */
  readonly warm: boolean;
  /** Whether the server serves all that is left before the client is closed. */
  readonly recovers: boolean;
}

/** Things that happen to a client of any protocol. Numbers pick from what there is at that time. */
export type SessionStep<Moment, Deed> =
  | { readonly do: "cancel" | "read" | "leave" | "abort"; readonly turn: number }
  | { readonly do: "connect" | "abortClient" }
  | { readonly do: "when"; readonly moment: Moment; readonly deed: Deed }
  | { readonly do: "opens" | "beginsToClose" | "refusesFrame" }
  | { readonly do: "ends"; readonly socket: number; readonly code: number }
  | { readonly do: "late"; readonly socket: number }
  | { readonly do: "advance"; readonly ms: number };

/** One of these, as often as it is named. */
export const one = <Value>(...values: readonly Value[]) => fc.constantFrom<Value[]>(...values);
/** Mostly one of the first, which are the ones under way. */
export const which = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(20) });
/** Mostly the newest socket. */
export const whichSocket = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(5));
export const sessionReader = one<Reader>("loop", "loop", "text", "two", "slow", "nobody");
/** True once in `n` times. */
export const rarely = (n: number) => fc.nat(n - 1).map((drawn) => drawn === 0);

type Fields<Step, Do> = {
  [Key in Exclude<keyof (Step & { readonly do: Do }), "do">]: fc.Arbitrary<unknown>;
};

/** Makers of arbitrary steps: `record` for a step with fields, `plain` for steps of a name alone. */
export function stepsOf<Step extends { readonly do: string }>() {
  return {
    record<Do extends Step["do"]>(name: Do | fc.Arbitrary<Do>, fields: Fields<Step, Do>): fc.Arbitrary<Step> {
      const kind = typeof name === "string" ? fc.constant(name) : name;
      return fc.record({ do: kind, ...fields }) as unknown as fc.Arbitrary<Step>;
    },
    plain: (...names: readonly Step["do"][]): fc.Arbitrary<Step> =>
      fc.record({ do: one(...names) }) as unknown as fc.Arbitrary<Step>,
  };
}
