import { checkCallOptions } from "../core/checks.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import { type AgentwireError, ConnectionLostError } from "../core/errors.ts";
import type { Gate, Withdraw } from "../core/gate/gate.ts";
import { randomId } from "../core/random-id.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { DecidedBy, Ruling } from "../core/values.ts";
import { Barrier, type BarrierSetup, denyLate, remember, type StoppableTurn, sendCancel } from "./barrier.ts";
import { type CodeyCall, keyOf } from "./calls.ts";
import { Transcript, type UnsentTurn } from "./conversation.ts";
import { closedTurn, contextLost, lostTurn, misconfigured, turnError, unreadable } from "./errors.ts";
import { buildPrompt, type CodeyPrompt, type CodeyPromptInput } from "./input.ts";
import { encode, type Finished, type Invalid, type ServerError, type TurnMessage } from "./messages.ts";
import {
  type CodeyEvent,
  type CodeyResult,
  decide,
  isOfRoot,
  MAX_RETRIES,
  newTurnState,
  roundsOf,
  stepTurn,
  stepUnreadable,
  type TurnStep,
  textOf,
} from "./turn.ts";
import type { WireUser } from "./wire.ts";

/** One turn of this client, from the call to its end. */
export interface Job extends StoppableTurn {
  readonly prompt: CodeyPrompt;
  /** Withdraws an open approval, by the id of its call. */
  readonly open: Map<string, Withdraw>;
}

export interface TurnsSetup extends BarrierSetup {
  readonly gate: Gate;
}

/**
 * What the server works on. It takes one turn at a time: a second one would spoil both.
 *
 *     free ──pump()──▶ running ──Finished──────────────────▶ free
 *      ▲                  │ Error, a cancel, a limit: Cancel, denials, Ping
 *      │                  ▼
 *      └──its Pong──── stopping
 *
 * From every state, a lost connection leads to `free`.
 */
type Floor =
  | { readonly name: "free" }
  | { readonly name: "running"; readonly job: Job }
  | { readonly name: "stopping"; readonly barrier: Barrier };

const FREE: Floor = { name: "free" };

/** The turns of one client. */
export class Turns implements Course<Job>, WireUser {
  readonly runner: Runner<CodeyEvent, CodeyResult, Job>;
  readonly #setup: TurnsSetup;
  #floor: Floor = FREE;
  /** What was said in the present session. */
  #transcript: Transcript;
  /** The turn whose message is being handled. It stays set when that throws. */
  #handled: StoppableTurn | undefined;

  constructor(setup: TurnsSetup) {
    this.#setup = setup;
    this.runner = new Runner(setup.core, this);
    this.#transcript = this.#newTranscript();
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  #newTranscript(): Transcript {
    const { core, wire } = this.#setup;
    return new Transcript({ core, wire, make: (input, options) => this.make(input, options) });
  }

  /**
   * Makes a turn without sending it.
   * @throws InvalidInputError, PayloadTooLargeError, UnsupportedError or QueueFullError; ClosedError on a closed client
   */
  make(input: PromptOf<CodeyPromptInput>, options: TurnOptions | undefined): UnsentTurn {
    const { settings, core, gate } = this.#setup;
    core.assertOpen();
    checkCallOptions(options, TURN_CHECKS);
    const prompt = buildPrompt(input, settings.maxSendBytes);
    const state = newTurnState((callId) => gate.idFor(callId), core.limits.maxTextBytes);
    const job = this.runner.make(
      {
        id: randomId("turn"),
        input,
        bytes: prompt.bytes,
        options,
        idleTimeout: settings.idleTimeout,
        textOf: (event) => textOf(state, event),
        soFar: ({ usage, endedBy }) => ({ usage, endedBy }),
      },
      (turn) => ({ turn, prompt, state, open: new Map(), usage: undefined, endedBy: undefined }),
    );
    return { turn: job.turn, start: () => this.runner.start(job, prompt.bytes) };
  }

  /** Sends the next turn, if the server is free for it. */
  pump(): void {
    const { wire } = this.#setup;
    const job = this.runner.first;
    if (!job || !wire.session || this.#floor.name !== "free") return;
    this.runner.take(job);
    this.#floor = { name: "running", job };
    this.#transcript.asked(job.prompt.content);
    wire.send(job.prompt.frame, () => job.turn.unsent());
    job.turn.sent();
    job.turn.active();
  }

  /** A turn that was sent has to end: cancelled, past a limit, or given up here. It settles at the `Pong`. */
  stop(job: Job): void {
    if (this.#running !== job) return;
    const barrier = this.#raise(job);
    sendCancel(this.#setup.wire, job.state.calls);
    this.#leave(job, "cancelled", "the turn was cancelled");
    this.#ping(barrier);
  }

  // --- what the wire gives ---

  receive(message: TurnMessage | ServerError | Invalid, text: string): void {
    switch (message.type) {
      case "invalid":
        this.#onInvalid(message, text);
        return;
      case "Error":
        this.#onError(message);
        return;
      default:
        this.#onMessage(message, text.length);
    }
  }

  /** The session is gone. The turn that ran may go on unheard. What waits was meant for a server that knew what was said. */
  lost(error: AgentwireError): void {
    const floor = this.#clear();
    this.#transcript.end(contextLost(error));
    this.#transcript = this.#newTranscript();
    this.#setup.gate.newSession();
    if (floor.name === "running") {
      const { turn } = floor.job;
      this.#leave(floor.job, "disconnected", "the connection has ended");
      turn.fail(lostTurn(error, turn.toolCalls));
    }
    if (floor.name === "stopping") floor.barrier.job.turn.stopped();
    for (const { turn } of this.runner.takeWaiting()) turn.fail(contextLost(error));
  }

  closing(): void {
    const job = this.#running;
    if (!job) return;
    this.#clear();
    sendCancel(this.#setup.wire, job.state.calls);
    this.#leave(job, "cancelled", "the client is closing");
    job.turn.abandon(closedTurn(job.turn.toolCalls));
  }

  unavailable(reason: AgentwireError): void {
    const floor = this.#clear();
    if (floor.name === "stopping") floor.barrier.job.turn.stopped();
    this.runner.unavailable(reason);
  }

  // --- messages ---

  #onMessage(message: TurnMessage, size: number): void {
    const { core, wire } = this.#setup;
    const job = this.#running;
    if (job && !this.#isOfEarlierTurn(job, message)) {
      this.#handled = job;
      this.#apply(job, stepTurn(job.state, message), message, size);
      this.#handled = undefined;
      return;
    }
    const stopping = this.#stopping;
    if (message.type === "ToolAwaitingApproval") denyLate(wire, stopping, message.agent_id, message.call_id);
    stopping?.receive(message);
    if (job || stopping) {
      core.events.emit("late", message);
      return;
    }
    core.warn("stray-message", `a \`${message.type}\` while no turn runs`);
    core.events.emit("stray", message);
  }

  /** A late message about a call of an ended turn. A question begins a call of this turn, whatever its id. */
  #isOfEarlierTurn({ state }: Job, message: TurnMessage): boolean {
    if (!("call_id" in message) || message.type === "ToolAwaitingApproval") return false;
    const key = keyOf(message.agent_id, message.call_id);
    return !state.calls.has(key) && this.#setup.wire.session?.past.get(key) === true;
  }

  #apply(job: Job, step: TurnStep, message: TurnMessage, size: number): void {
    const { ask, decided, warning, end } = step;
    const { core } = this.#setup;
    if (warning !== undefined) core.warn("odd-call", warning);
    if (decided) job.open.get(decided.call.id)?.("elsewhere", "the server has decided it");
    this.#tell(job, step, size);
    if (ask) this.#ask(job, ask);
    if (decided) this.#sendDecisions(job, decided);
    if (end === "finished" && message.type === "Finished") this.#finish(job, message);
    if (end === "retries" && message.type === "Retrying")
      job.turn.stopWith(misconfigured(core.redactor.redact(message.error), MAX_RETRIES));
  }

  #tell({ turn }: Job, { changed, event }: TurnStep, size: number): void {
    for (const call of changed) turn.tools.set(call);
    if (event) turn.push(event, size);
    else turn.active(); // a repeated message ends the silence, too
  }

  #finish(job: Job, { usage }: Finished): void {
    const { core, wire } = this.#setup;
    const { turn, state } = job;
    job.usage = wire.count(usage);
    this.#clear();
    core.connection.healthy();
    this.#transcript.answered(turn.text);
    remember(wire, state.calls);
    this.#leave(job, "ended", "the turn is over");
    const rounds = roundsOf(state);
    turn.complete({
      text: turn.text,
      ...(turn.truncated ? { truncated: true } : {}),
      sessionId: wire.sessionId ?? "",
      rounds,
      thinking: rounds.map(({ thinking }) => thinking).join(""),
      toolCalls: turn.toolCalls,
      ...(job.usage === undefined ? {} : { usage: job.usage }),
    });
    this.pump();
  }

  /** Any `Error` ends the turn. A server that goes on in spite of it is stopped. */
  #onError(error: ServerError): void {
    const { core, wire } = this.#setup;
    const job = this.#running;
    const stopped = this.#stopping?.job;
    if (job) {
      this.#handled = job;
      const barrier = this.#raise(job);
      if (!error.fatal) sendCancel(wire, job.state.calls);
      this.#leave(job, "ended", "the turn has failed");
      job.turn.fail(turnError(error.message, error.fatal));
      if (!error.fatal) this.#ping(barrier);
      this.#handled = undefined;
    } else if (stopped && !stopped.turn.settled) {
      stopped.endedBy ??= error;
    } else {
      core.warn("server-error", "the server reports an error while no turn runs");
      core.events.emit("serverError", error);
    }
    if (!error.fatal) return;
    const message = "the server ended the session with a fatal error";
    core.connection.drop(new ConnectionLostError(message, { retryable: false }));
  }

  /** Without the end of the turn, or a decision, turn or server would wait without end. */
  #onInvalid({ claims, undecided, agentId, problem }: Invalid, raw: string): void {
    const job = this.#running;
    const isEnd = claims === "Error" || (claims === "Finished" && agentId !== undefined);
    if (job && isEnd && (agentId === undefined || isOfRoot(job.state, agentId)))
      job.turn.stopWith(unreadable(problem)); // a server that is done ignores the `Cancel`
    if (undecided !== undefined) this.#denyUnreadable(agentId ?? 0, undecided, raw);
    const handled = this.#handled;
    this.#handled = undefined;
    if (handled) this.#giveUp(handled, unreadable(problem));
  }

  /** The handling of a message threw half-way, so its turn is stopped. */
  #giveUp(job: StoppableTurn, error: AgentwireError): void {
    if (this.#running === job) job.turn.stopWith(error);
    else job.turn.fail(error); // it was just ending
    if (this.#stopping?.job === job) this.#ping(this.#stopping);
    this.pump();
  }

  // --- decisions ---

  #ask(job: Job, asked: CodeyCall): void {
    const { id, name, input, raw } = asked.call;
    const { turn, open } = job;
    const decided = (ruling: Ruling): void => this.#decided(job, asked, ruling);
    const call = { id, name, input, turnId: turn.id, raw };
    const withdraw = this.#setup.gate.ask(call, { turn, isHandled: false, decided });
    if (asked.ruling === undefined) open.set(id, withdraw); // or a rule has decided it at once
  }

  #decided(job: Job, asked: CodeyCall, ruling: Ruling): void {
    job.open.delete(asked.call.id);
    if (this.#running !== job || asked.call.state !== "awaiting") return; // withdrawn: nothing is sent
    asked.ruling = ruling;
    this.#sendDecisions(job, asked);
  }

  /** A `ToolDecision` has nothing but the id, so it answers the oldest open question of that id. */
  #sendDecisions(job: Job, sameId: CodeyCall): void {
    const { calls } = job.state;
    for (let ruled = calls.nextRuled(sameId); ruled?.ruling; ruled = calls.nextRuled(sameId)) {
      const { approved, ...step } = decide(job.state, ruled, ruled.ruling);
      this.#setup.wire.send(encode.toolDecision(ruled.callId, approved));
      this.#tell(job, step, 0);
    }
  }

  /** The server asks, and only the ids of the question can be read. */
  #denyUnreadable(agentId: number, callId: string, raw: string): void {
    const job = this.#running;
    if (!job) {
      denyLate(this.#setup.wire, this.#stopping, agentId, callId);
      return;
    }
    const { ask, ...step } = stepUnreadable(job.state, { agentId, callId, raw });
    this.#tell(job, step, 0);
    const reason = "its question cannot be read";
    if (ask) this.#decided(job, ask, { decision: "reject", by: "error", reason });
  }

  /** Nothing of the turn waits any more. */
  #leave(job: Job, by: DecidedBy, reason: string): void {
    for (const withdraw of job.open.values()) withdraw(by, reason);
    job.turn.tools.abandon();
  }

  // --- the floor ---

  get #running(): Job | undefined {
    return this.#floor.name === "running" ? this.#floor.job : undefined;
  }

  get #stopping(): Barrier | undefined {
    return this.#floor.name === "stopping" ? this.#floor.barrier : undefined;
  }

  /** From here until the `Pong` no prompt is sent. */
  #raise(job: Job): Barrier {
    const barrier = new Barrier(this.#setup, job);
    this.#floor = { name: "stopping", barrier };
    return barrier;
  }

  #ping(barrier: Barrier): void {
    barrier.ping(() => {
      if (this.#stopping !== barrier) return; // the second `Pong`, where two pings were sent
      const { turn, usage } = barrier.job;
      if (!usage) this.#setup.wire.count(undefined);
      this.#clear();
      turn.stopped();
      this.pump();
    });
  }

  /** Leaves the floor free, and returns what was on it. */
  #clear(): Floor {
    const floor = this.#floor;
    this.#floor = FREE;
    return floor;
  }
}
