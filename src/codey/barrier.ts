// What follows a cancel: `Cancel`, denials, `Ping`, and no new prompt until the `Pong` or `cancelTimeout`.
import { type AgentwireError, isAgentwireError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import { callKey, type TurnCalls } from "./calls.ts";
import { UnconfirmedCancel } from "./errors.ts";
import type { CodeyCore } from "./events.ts";
import { encode, type Finished, type ServerError, type TurnMessage } from "./messages.ts";
import type { CodeySettings } from "./options.ts";
import { type CodeyEvent, type CodeyResult, isRootAgent, type TurnState } from "./turn.ts";
import type { CodeyUsage } from "./usage.ts";
import type { CodeyWire } from "./wire.ts";

export interface BarrierSetup {
  readonly settings: CodeySettings;
  readonly wire: CodeyWire;
  readonly core: CodeyCore;
}

/** A turn that a barrier can stop, and the facts about its end that the barrier finds. */
export interface StoppableTurn {
  readonly turn: LiveTurn<CodeyEvent, CodeyResult>;
  readonly state: TurnState;
  usage: CodeyUsage | undefined;
  /** The turn's end, which the server reported after the `Cancel`. */
  endedBy: Finished | ServerError | undefined;
}

/**
 * The phase between a stopped turn and the next one:
 *
 *     Cancel, denials ──▶ Ping ──▶ messages of the old turn ──▶ Pong, within `cancelTimeout`
 *
 * The server does not answer a `Cancel`, but it answers a `Ping`. Messages that the server sent earlier arrive before the `Pong`. The
 * next turn is sent after the `Pong`, so no message of the old turn reaches the next one.
 */
export class Barrier {
  readonly job: StoppableTurn;
  readonly #setup: BarrierSetup;

  constructor(setup: BarrierSetup, job: StoppableTurn) {
    this.#setup = setup;
    this.job = job;
    rememberCalls(setup.wire, job.state.calls);
  }

  /** Sends the `Ping`. If no `Pong` arrives within `cancelTimeout`, the server's state is unknown, so the connection is cut. */
  ping(ponged: () => void): void {
    const { wire, settings, core } = this.#setup;
    const { cancelTimeout } = settings;
    const failed = (error: AgentwireError): void => {
      if (!isAgentwireError(error, "request-timeout")) return; // the connection has ended already
      const message = `the server did not answer the \`Ping\` behind a \`Cancel\` within ${cancelTimeout} ms`;
      const sideEffectsPossible = this.job.turn.toolCalls.length > 0 || undefined;
      core.connection.drop(new UnconfirmedCancel(message, { sideEffectsPossible }));
    };
    wire.pingThen(cancelTimeout, ponged, failed);
  }

  /** Handles a message of the old turn. A `Finished` reports the turn's usage. */
  receive(message: TurnMessage): void {
    const { job } = this;
    const { wire } = this.#setup;
    if (message.type === "ToolRequest") {
      // The request crossed the `Cancel`. Questions about its calls may follow, and will be denied.
      for (const told of message.calls) job.state.calls.add(message.agent_id, told.call_id, told, told);
      rememberCalls(wire, job.state.calls);
    }
    if (message.type !== "Finished" || !isRootAgent(job.state, message.agent_id)) return;
    const usage = wire.count(message.usage);
    job.usage ??= usage;
    job.endedBy ??= message;
  }
}

/** The frames that stop a turn. The denials follow the `Cancel`: an earlier denial could let the model go on. */
export function cancelFrames(calls: TurnCalls): readonly string[] {
  return [
    encode.cancel,
    ...Array.from(calls.takeAwaiting(), ({ callId }) => encode.toolDecision(callId, false)),
  ];
}

export function sendCancel(wire: CodeyWire, calls: TurnCalls): void {
  for (const frame of cancelFrames(calls)) wire.send(frame);
}

/** Remembers the calls of an ended turn: later messages about them do not belong to the next turn. */
export function rememberCalls(wire: CodeyWire, calls: TurnCalls): void {
  for (const key of calls.keys()) wire.session?.past.set(key, true);
}

/**
 * Denies a call whose question belongs to no turn: otherwise the server would keep the question open. `stopping` is the current barrier.
 * A repeated question that was already denied, with the `Cancel` or here, gets no second denial.
 */
export function denyLate(
  wire: CodeyWire,
  stopping: Barrier | undefined,
  agentId: number,
  callId: string,
): void {
  const key = callKey(agentId, callId);
  const isNew = stopping?.job.state.calls.takeRequested(key) ?? false;
  if (!isNew && wire.session?.past.get(key)) return;
  wire.session?.past.set(key, true);
  wire.send(encode.toolDecision(callId, false));
}
