import { Deadline } from "../../src/core/clock.ts";
import { type AgentwireError, copyError, TurnError } from "../../src/core/errors.ts";
import type { Gate, Withdraw } from "../../src/core/gate/gate.ts";
import { closedInTurn, lostInTurn } from "../../src/core/link/connection-errors.ts";
import type { LiveTurn } from "../../src/core/turn/live-turn.ts";
import { type Course, Runner } from "../../src/core/turn/runner.ts";
import type { TurnOptions } from "../../src/core/turn/turn.ts";
import type { DecidedBy, Ruling, TurnToolCall } from "../../src/core/values.ts";
import type { EchoCore } from "./events.ts";
import type { EchoPrompt } from "./input.ts";
import { encode, type TurnMessage } from "./messages.ts";
import type { EchoSettings } from "./options.ts";
import {
  decide,
  type EchoEvent,
  type EchoResult,
  stepTurn,
  type TurnState,
  type TurnStep,
  textOf,
} from "./turn.ts";
import type { Wire, WireUser } from "./wire.ts";

/** One turn of this client, from the call to its end. */
export interface Job {
  readonly turn: LiveTurn<EchoEvent, EchoResult>;
  readonly prompt: EchoPrompt;
  readonly state: TurnState;
  /** Takes back what waits for a decision, by the id of the call on the wire. */
  readonly open: Map<string, Withdraw>;
  /** Runs while the server owes a `cancelled`. */
  readonly cancelLimit: Deadline;
}

export interface TurnsSetup {
  readonly settings: EchoSettings;
  readonly core: EchoCore;
  readonly wire: Wire;
  readonly gate: Gate;
}

/**
 * The turns of one client. A turn that was sent takes one of `maxTurns` places until it has settled.
 *
 *     waiting ──pump()──▶ running ──done, error──────────────────────▶ settled
 *                            │ a cancel, a limit: `cancel`
 *                            ▼
 *                        cancelling ──cancelled, or `cancelTimeout`──▶ settled
 */
export class Turns implements Course<Job>, WireUser {
  readonly runner: Runner<EchoEvent, EchoResult, Job>;
  readonly #setup: TurnsSetup;
  /** Running or cancelling, by id. */
  readonly #sent = new Map<string, Job>();

  constructor(setup: TurnsSetup) {
    this.#setup = setup;
    this.runner = new Runner(setup.core, this);
  }

  /**
   * Makes a turn without sending it.
   * @throws QueueFullError when too much waits already.
   */
  create(input: unknown, prompt: EchoPrompt, options: TurnOptions | undefined): Job {
    const { settings, core, gate } = this.#setup;
    const { id, bytes } = prompt;
    const { idleTimeout, cancelTimeout } = settings;
    const state: TurnState = { calls: new Map(), idFor: (callId) => gate.idFor(callId) };
    return this.runner.make({ id, input, bytes, options, idleTimeout, textOf, soFar: () => ({}) }, (turn) => {
      const cancelLimit = new Deadline(core.clock, cancelTimeout, () => turn.stopped());
      return { turn, prompt, state, open: new Map(), cancelLimit };
    });
  }

  pump(): void {
    const { wire, settings } = this.#setup;
    while (wire.isReady && this.#sent.size < settings.maxTurns) {
      const job = this.runner.first;
      if (!job) return;
      this.runner.take(job);
      this.#sent.set(job.prompt.id, job);
      wire.send(job.prompt.frame, () => job.turn.unsent());
      job.turn.sent();
      job.turn.active();
    }
  }

  stop(job: Job, again: boolean): void {
    if (again) return;
    this.#setup.wire.send(encode.cancel(job.prompt.id));
    this.#leave(job, "cancelled", "the turn was cancelled");
    job.cancelLimit.start();
  }

  settled({ prompt, cancelLimit }: Job): void {
    cancelLimit.stop();
    if (this.#sent.delete(prompt.id)) this.pump(); // its place is free
  }

  // --- what the wire tells ---

  receive(message: TurnMessage, size: number): void {
    const { core } = this.#setup;
    const job = this.#sent.get(message.id);
    if (!job) {
      core.warn("stray-message", `a \`${message.type}\` for no turn that is under way`);
      core.events.emit("stray", message);
      return;
    }
    const { turn } = job;
    const { event, call, end } = stepTurn(job.state, message);
    if (turn.open) {
      // A turn that is being cancelled hears of its end alone.
      if (call) turn.tools.set(call);
      if (event) turn.push(event, size);
      else turn.active();
      if (call && event?.type === "ask") this.#ask(job, event.callId, call);
      if (event?.type === "output") this.#withdraw(job, event.callId, "elsewhere", "the server has run it");
    }
    if (end) this.#end(job, end);
  }

  unreadable(id: string, problem: string): void {
    const job = this.#sent.get(id);
    job?.turn.stopWith(new TurnError({ origin: "frame", kind: "unreadable", serverMessage: problem }));
  }

  lost(error: AgentwireError): void {
    this.#setup.gate.newSession();
    this.#endAll("disconnected", "the connection has ended", (turn) => turn.fail(lostInTurn(error)));
  }

  closing(): void {
    for (const { turn, prompt } of this.#sent.values())
      if (turn.open) this.#setup.wire.send(encode.cancel(prompt.id));
    this.#endAll("cancelled", "the client is closing", (turn) => turn.abandon(closedInTurn()));
  }

  unavailable(reason: AgentwireError): void {
    this.#endAll("ended", "the client has given up", (turn) => turn.fail(copyError(reason)));
    this.runner.unavailable(reason);
  }

  // --- decisions ---

  #ask({ turn, state, open }: Job, callId: string, call: TurnToolCall): void {
    const { gate, wire } = this.#setup;
    const { id, name, input, raw } = call;
    const decided = (ruling: Ruling): void => {
      open.delete(callId);
      const next = decide(state, callId, ruling);
      if (!next) return;
      turn.tools.set(next);
      wire.send(encode.decision(callId, ruling.decision !== "reject"));
    };
    const withdraw = gate.ask({ id, name, input, turnId: turn.id, raw }, { turn, isHandled: false, decided });
    if (state.calls.get(callId) === call) open.set(callId, withdraw); // or a rule has decided it at once
  }

  #withdraw({ open }: Job, callId: string, by: DecidedBy, reason: string): void {
    open.get(callId)?.(by, reason);
    open.delete(callId);
  }

  // --- ends ---

  #end(job: Job, end: NonNullable<TurnStep["end"]>): void {
    const { turn } = job;
    const { redactor } = this.#setup.core;
    this.#leave(job, "ended", "the turn is over");
    if (!turn.open) {
      turn.stopped();
    } else if (end === "done") {
      turn.complete({ ...turn.textResult, toolCalls: turn.toolCalls });
    } else {
      const serverMessage = redactor.redact(end.words);
      turn.fail(new TurnError({ origin: end.kind, kind: end.kind, serverMessage }));
    }
  }

  /** The server works on nothing any more. */
  #endAll(by: DecidedBy, reason: string, end: (turn: Job["turn"]) => void): void {
    const jobs = [...this.#sent.values()];
    this.#sent.clear();
    for (const job of jobs) {
      this.#leave(job, by, reason);
      if (job.turn.open) end(job.turn);
      else job.turn.stopped();
    }
  }

  /** Nothing of the turn waits for a decision any more, and none is sent. */
  #leave(job: Job, by: DecidedBy, reason: string): void {
    job.state.calls.clear();
    for (const callId of [...job.open.keys()]) this.#withdraw(job, callId, by, reason);
    job.turn.tools.abandon();
  }
}
