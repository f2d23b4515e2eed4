import { getEventListeners } from "node:events";
import { type AgentwireError, ConnectionLostError } from "../../../src/core/errors.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import { LiveTurn } from "../../../src/core/turn/live-turn.ts";
import type { TurnResult } from "../../../src/core/turn/turn.ts";
import type { TurnSetup } from "../../../src/core/turn/turn-setup.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { codeOf, fateOf } from "./promises.ts";

/** An event is its text; one that begins with `#` adds none to the turn. */
export type TestTurn = LiveTurn<string, TurnResult>;

/** The client of turns that no layer above listens to. */
export const SILENT_CLIENT: object = {};

export const IDLE = 1_000;
export const TOTAL = 10_000;

/** A turn, and everything that it tells the protocol and the client that made it. `frame` is what one frame brings: one input. */
export function turnRig(changes: Partial<TurnSetup<string, TurnResult>> & { readonly outbox?: Outbox } = {}) {
  const clock = new ManualClock();
  const controller = new AbortController();
  const told = {
    stops: 0,
    settled: 0,
    events: [] as string[],
    statuses: [] as string[],
    thrown: [] as (readonly [unknown, string])[],
  };
  const { outbox = new Outbox(), ...others } = changes;
  const turn: TestTurn = new LiveTurn<string, TurnResult>({
    id: "turn-1",
    input: "the input",
    said: {},
    host: {
      outbox,
      client: SILENT_CLIENT,
      clock: outbox.clock(clock),
      tellEvent: (event, _, stands) => outbox.tell(() => stands() && void told.events.push(event)),
      answeredWithin: () => false,
      listenerThrew: (error, name) => void told.thrown.push([error, name]),
    },
    maxBufferedBytes: 1_000,
    maxTextBytes: 1_000,
    timeout: TOTAL,
    idleTimeout: IDLE,
    signal: controller.signal,
    read: true,
    textOf: (event) => (event.startsWith("#") ? "" : event),
    soFar: () => ({}),
    stop: (again) => {
      if (!again) told.stops++;
    },
    settled: () => void told.settled++,
    repeatable: true,
    flow: undefined,
    ...others,
  });
  turn.on("status", (status) => void told.statuses.push(status));
  const leftovers = () => ({
    timers: clock.pending,
    signalListeners: getEventListeners(controller.signal, "abort").length,
  });
  const frame = (brings: () => void): void => outbox.run(brings);
  return { clock, controller, outbox, frame, turn, told, leftovers };
}

export type TurnRig = ReturnType<typeof turnRig>;

export const NOTHING_LEFT = { timers: 0, signalListeners: 0 };

/** A failure as a protocol reports it. */
export const linkLost = () => new ConnectionLostError("the link broke");

/** Everything that a reader gets until it would wait, or until the iteration is over: `["a", "b", "ends"]`. */
export async function readAll(iterator: AsyncIterator<string>): Promise<string[]> {
  const steps: string[] = [];
  for (;;) {
    const step = await fateOf(iterator.next());
    if (step.state === "pending") return [...steps, "waits"];
    if (step.state === "rejected") return [...steps, `throws ${codeOf(step.error)}`];
    if (step.value.done) return [...steps, "ends"];
    steps.push(step.value.value);
  }
}

export const reader = (turn: AsyncIterable<string>) => turn[Symbol.asyncIterator]();

/** The outcome in short, such as `cancelled by user`, `failed turn-timeout` or `pending`. */
export async function outcomeOf(turn: TestTurn): Promise<string> {
  const fate = await fateOf(turn.outcome);
  if (fate.state !== "resolved") return fate.state;
  const { value } = fate;
  if (value.status === "failed") return `failed ${value.error.code}`;
  return value.status === "cancelled" ? `cancelled by ${value.by}` : value.status;
}

/** The error of a turn that failed. */
export async function failureOf(turn: TestTurn): Promise<AgentwireError> {
  const outcome = await turn.outcome;
  if (outcome.status !== "failed") throw new Error(`the turn ${outcome.status}`);
  return outcome.error;
}
