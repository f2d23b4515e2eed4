import { setTimeout } from "node:timers/promises";
import type { TurnOptions, TurnOutcome, TurnResult } from "../../src/core/turn/turn.ts";
import { countingController } from "../helpers/codebuff.ts";
import type { Ending, Reading, TurnFacts } from "./book.ts";
import type { SoakTurn } from "./driver.ts";
import { promptOf, type TurnPlan } from "./plan.ts";

/** Events after which a reader leaves early. */
const FEW = 2;

/** The user's part in a turn. */
type UserPlan = Pick<TurnPlan, "number" | "reader" | "stop">;

/** How the user begins a turn. */
export type Ask = (options: TurnOptions) => SoakTurn;

/** Begins a turn and plays the user's part in it. @returns when it has settled and its reader is done */
export function play(plan: UserPlan, facts: TurnFacts, ask: Ask, textOf: (event: unknown) => string): Played {
  const { controller, listeners } = countingController();
  const { signal } = controller;
  const { stop } = plan;
  const turn = ask({
    signal,
    ...(stop?.by === "timeout" ? { timeout: stop.afterMs + 1 } : {}),
  });
  const settled = watch(turn, facts, textOf);
  const halt = (): void => {
    if (facts.endings.length > 0 || facts.stopped !== "no") return;
    if (isOver(turn)) {
      // An event is told when its frame is handled, which may have ended the turn. A cancel only empties its buffer then.
      if (facts.reading) facts.reading.toTheEnd = false;
      void turn.cancel();
      return;
    }
    facts.stopped = turn.status === "queued" ? "queued" : "sent";
    if (stop?.by === "signal") controller.abort(new Error(`as planned for ${plan.number}`));
    else void turn.cancel();
  };
  if (stop && stop.by !== "timeout") stopWhen(stop, turn, halt, settled);
  const reading = read(plan, turn, facts, textOf);
  return {
    turn,
    settled,
    done: Promise.all([settled, reading]).then(() => {}),
    listeners: () => (signal.aborted ? 0 : listeners()), // an abort removes those that it calls
  };
}

function isOver({ status }: SoakTurn): boolean {
  return status === "completed" || status === "cancelled" || status === "failed";
}

/** A turn that the user has begun. */
export interface Played {
  readonly turn: SoakTurn;
  readonly settled: Promise<void>;
  /** Settled, and its reader has ended. */
  readonly done: Promise<void>;
  /** Listeners on the signal that it was given. */
  readonly listeners: () => number;
}

function stopWhen(
  { afterEvents, afterMs }: NonNullable<TurnPlan["stop"]>,
  turn: SoakTurn,
  halt: () => void,
  settled: Promise<void>,
): void {
  if (afterEvents === undefined) {
    if (afterMs === 0) halt();
    else {
      const timer = globalThis.setTimeout(halt, afterMs);
      void settled.then(() => clearTimeout(timer));
    }
    return;
  }
  let left = afterEvents;
  if (left === 0) halt();
  turn.on("event", () => {
    if (--left === 0) halt();
  });
}

/** Listens to a turn up to its end, and notes how it ends. */
async function watch(turn: SoakTurn, facts: TurnFacts, textOf: (event: unknown) => string): Promise<void> {
  turn.on("event", (event) => {
    facts.heard += textOf(event);
    if (facts.endings.length > 0) facts.lateEvents++;
  });
  const outcome = await turn.outcome;
  const ending = endingOf(outcome, promptOf(facts.number));
  facts.endings.push(ending);
  facts.status = turn.status;
  facts.agrees = await agrees(turn, outcome);
  if (turn.text !== ending.text) facts.agrees = false;
}

function endingOf(outcome: TurnOutcome<TurnResult & { readonly recovered?: true }>, prompt: string): Ending {
  switch (outcome.status) {
    case "completed":
      return { status: "completed", text: outcome.result.text, recovered: outcome.result.recovered };
    case "cancelled":
      return { status: "cancelled", text: outcome.partial.text, by: outcome.by };
    case "failed": {
      const { error, partial } = outcome;
      return {
        status: "failed",
        text: partial.text,
        code: error.code,
        message: error.message,
        delivery: error.delivery,
        handsBack: error.input === undefined ? undefined : error.input === prompt,
      };
    }
  }
}

/** Whether `result` says just what `outcome` does. */
async function agrees(turn: SoakTurn, outcome: TurnOutcome<TurnResult>): Promise<boolean> {
  try {
    const result = await turn.result;
    return outcome.status === "completed" && outcome.result === result;
  } catch (error) {
    if (outcome.status === "failed") return outcome.error === error;
    return outcome.status === "cancelled" && codeOf(error) === "turn-cancelled";
  }
}

export function codeOf(error: unknown): string {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : String(error);
}

async function read(
  { reader }: UserPlan,
  turn: SoakTurn,
  facts: TurnFacts,
  textOf: (event: unknown) => string,
): Promise<void> {
  if (reader === "none") return;
  const reading: Reading = { toTheEnd: reader !== "abandon", text: "", end: "open" };
  facts.reading = reading;
  try {
    if (reader === "late") await turn.outcome;
    if (reader === "text") for await (const text of turn.textStream) reading.text += text;
    else {
      let seen = 0;
      for await (const event of turn) {
        reading.text += textOf(event);
        if (reader === "slow") await setTimeout(1);
        if (reader === "abandon" && ++seen === FEW) {
          if (facts.stopped === "no" && facts.endings.length === 0) facts.stopped = "sent";
          break;
        }
      }
    }
    reading.end = "quiet";
  } catch (error) {
    const outcome = await turn.outcome;
    const isIts =
      (outcome.status === "failed" && outcome.error === error) ||
      (outcome.status === "cancelled" && outcome.by === "signal" && codeOf(error) === "turn-cancelled");
    reading.end = isIts ? "threw" : "threw something else";
  }
}
