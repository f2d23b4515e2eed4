import { type AgentwireError, ConnectionLostError, isAgentwireError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import { keyOf, type TurnCalls } from "./calls.ts";
import type { CodeyCore } from "./events.ts";
import { encode, type Finished, type ServerError, type TurnMessage } from "./messages.ts";
import type { CodeySettings } from "./options.ts";
import { type CodeyEvent, type CodeyResult, isOfRoot, type TurnState } from "./turn.ts";
import type { CodeyUsage } from "./usage.ts";
import type { Wire } from "./wire.ts";

export interface BarrierSetup {
  readonly settings: CodeySettings;
  readonly wire: Wire;
  readonly core: CodeyCore;
}

/** A turn, with what the barrier finds out about its end. */
export interface StoppableTurn {
  readonly turn: LiveTurn<CodeyEvent, CodeyResult>;
  readonly state: TurnState;
  usage: CodeyUsage | undefined;
  /** The end that the server told behind the `Cancel`. */
  endedBy: Finished | ServerError | undefined;
}

/**
 * What stands between a turn that is stopped and the next one:
 *
 *     Cancel, denials ──▶ Ping ──▶ messages of the old turn ──▶ Pong, within `cancelTimeout`
 *
 * The server answers no `Cancel`. But it answers a `Ping`, and everything that it had sent before comes before the
 * `Pong`. So no message of the old turn reaches the next one, which is sent behind the `Pong`.
 */
export class Barrier {
  readonly job: StoppableTurn;
  readonly #setup: BarrierSetup;

  constructor(setup: BarrierSetup, job: StoppableTurn) {
    this.#setup = setup;
    this.job = job;
    remember(setup.wire, job.state.calls);
  }

  /** Sends the `Ping`. Without its `Pong` within `cancelTimeout` the server's state is unknown, so the connection is cut. */
  ping(ponged: () => void): void {
    const { wire, settings, core } = this.#setup;
    const { cancelTimeout } = settings;
    const failed = (error: AgentwireError): void => {
      if (!isAgentwireError(error, "request-timeout")) return; // the connection has ended already
      const message = `the server did not answer the \`Ping\` behind a \`Cancel\` within ${cancelTimeout} ms`;
      const sideEffectsPossible = this.job.turn.toolCalls.length > 0 || undefined;
      core.connection.drop(new ConnectionLostError(message, { sideEffectsPossible }));
    };
    wire.pingThen(cancelTimeout, ponged, failed);
  }

  /** A message of the old turn: its `Finished` tells what the turn has used. */
  receive(message: TurnMessage): void {
    const { job } = this;
    const { wire } = this.#setup;
    if (message.type === "ToolRequest") {
      // The request crossed the `Cancel`. Questions about its calls may follow, and are denied.
      for (const told of message.calls) job.state.calls.add(message.agent_id, told.call_id, told, told);
      remember(wire, job.state.calls);
    }
    if (message.type !== "Finished" || !isOfRoot(job.state, message.agent_id)) return;
    const usage = wire.count(message.usage);
    job.usage ??= usage;
    job.endedBy ??= message;
  }
}

/** Tells the server to stop. The denials come behind the `Cancel`: before it, a denial could let the model go on. */
export function sendCancel(wire: Wire, calls: TurnCalls): void {
  wire.send(encode.cancel);
  for (const { callId } of calls.takeAwaiting()) wire.send(encode.toolDecision(callId, false));
}

/** Remembers the calls of a turn that has ended: messages about them are no next turn's. */
export function remember(wire: Wire, calls: TurnCalls): void {
  for (const key of calls.keys()) wire.session?.past.set(key, true);
}

/**
 * Denies a call whose question no turn takes: the server would keep the question open. `stopping` is the barrier that
 * stands. A question that was denied already, with the `Cancel` or here, is asked again: it gets no second denial.
 */
export function denyLate(wire: Wire, stopping: Barrier | undefined, agentId: number, callId: string): void {
  const key = keyOf(agentId, callId);
  const isNew = stopping?.job.state.calls.takeRequested(key) ?? false;
  if (!isNew && wire.session?.past.get(key)) return;
  wire.session?.past.set(key, true);
  wire.send(encode.toolDecision(callId, false));
}
