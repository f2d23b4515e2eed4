import type { ClientCore } from "../core/client/client-core.ts";
import { type AgentwireError, ConnectionLostError, isAgentwireError } from "../core/errors.ts";
import type { Gate, Withdraw } from "../core/gate/gate.ts";
import { closedInTurn, lostInTurn } from "../core/link/connection-errors.ts";
import { randomId } from "../core/random-id.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { DecidedBy, Ruling } from "../core/values.ts";
import { misconfigured, turnError, unreadable } from "./errors.ts";
import type { CodeyClientEvents } from "./events.ts";
import {
  encode,
  type Finished,
  type ServerError,
  type TurnMessage,
  type UnreadableQuestion,
} from "./messages.ts";
import type { CodeySettings } from "./options.ts";
import type { CodeyPrompt } from "./prompt.ts";
import { Transcript } from "./transcript.ts";
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
  type TurnState,
  type TurnStep,
  textOf,
} from "./turn.ts";
import { type CodeyCall, keyOf } from "./turn-calls.ts";
import type { CodeyUsage } from "./usage.ts";
import type { Wire, WireUser } from "./wire.ts";

/** One turn of this client, from the call to its end. */
export interface Job {
  readonly turn: LiveTurn<CodeyEvent, CodeyResult>;
  readonly prompt: CodeyPrompt;
  readonly state: TurnState;
  /** Takes back what waits for a decision, by the call's id. */
  readonly open: Map<string, Withdraw>;
  usage: CodeyUsage | undefined;
  /** What the server still said of its end after a cancel. */
  endedBy: Finished | ServerError | undefined;
}

export interface TurnsSetup {
  readonly settings: CodeySettings;
  readonly wire: Wire;
  readonly gate: Gate;
  readonly core: ClientCore<CodeyEvent, CodeyResult, CodeyClientEvents>;
}

/**
 * What the server works on. It takes one turn at a time, and on a second one it would spoil both.
 *
 *     free ──pump()──▶ running ──Finished──────────────────▶ free
 *      ▲                  │ Error, a cancel, a limit: Cancel, denials, Ping
 *      │                  ▼
 *      └──its Pong──── stopping
 *
 * A cancel is not answered, but what a server says behind it comes before the `Pong`: until then nothing is sent, so
 * that no turn gets anything of another.
 */
type Floor =
  | { readonly name: "free" }
  | { readonly name: "running"; readonly job: Job }
  | { readonly name: "stopping"; readonly job: Job };

const FREE: Floor = { name: "free" };

/** The turns of one client. */
export class Turns implements Course<Job>, WireUser {
  readonly runner: Runner<CodeyEvent, CodeyResult, Job>;
  readonly #setup: TurnsSetup;
  #floor: Floor = FREE;
  /** What was said in the present session. */
  #transcript = new Transcript();
  #sessionId: string | undefined;
  /** The turn whose message is being handled; it stays when that throws. */
  #handled: Job | undefined;

  constructor(setup: TurnsSetup) {
    this.#setup = setup;
    this.runner = new Runner(setup.core, this);
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  /** Of the present connection, or of the last one. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  sessionStarted(sessionId: string): void {
    const previousSessionId = this.#sessionId;
    this.#sessionId = sessionId;
    this.#setup.core.events.emit("sessionStarted", {
      sessionId,
      contextLost: previousSessionId !== undefined,
      ...(previousSessionId === undefined ? {} : { previousSessionId }),
    });
  }

  /**
   * Makes a turn without sending it.
   * @throws QueueFullError when too much waits already.
   */
  create(input: unknown, prompt: CodeyPrompt, options: TurnOptions | undefined): Job {
    const { settings, core, gate } = this.#setup;
    const state = newTurnState((callId) => gate.idFor(callId), core.limits.maxTextBytes);
    return this.runner.make(
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

  /** The turn wants to end: by the caller's will, a limit of its own, or because it leads nowhere. It settles at the `Pong`. */
  stop(job: Job): void {
    if (!this.#runs(job)) return;
    this.#halt(job);
    this.#tellCancel(job);
    this.#leave(job, "cancelled", "the turn was cancelled");
    this.#awaitPong(job);
  }

  get #running(): Job | undefined {
    return this.#floor.name === "running" ? this.#floor.job : undefined;
  }

  get #stopping(): Job | undefined {
    return this.#floor.name === "stopping" ? this.#floor.job : undefined;
  }

  /** A message of a turn. */
  receive(message: TurnMessage, size: number): void {
    const { core } = this.#setup;
    const job = this.#running;
    if (job && !this.#isOfEarlierTurn(job, message)) {
      this.#handled = job;
      this.#apply(job, stepTurn(job.state, message), message, size);
      this.#handled = undefined;
      return;
    }
    if (message.type === "ToolAwaitingApproval") this.#denyLate(message.agent_id, message.call_id);
    if (this.#stopping) this.#afterCancel(this.#stopping, message);
    if (job || this.#stopping) {
      core.events.emit("late", message);
      return;
    }
    core.warn("stray-message", `a \`${message.type}\` while no turn runs`);
    core.events.emit("stray", message);
  }

  /** A call asks for its decision in words that cannot be read: without one the server would wait for ever. */
  receiveUnreadable(question: UnreadableQuestion): void {
    const job = this.#running;
    if (!job) {
      this.#denyLate(question.agentId, question.callId);
      return;
    }
    const { ask, ...step } = stepUnreadable(job.state, question);
    this.#tell(job, step, 0);
    if (ask)
      this.#decided(job, ask, { decision: "reject", by: "error", reason: "its question cannot be read" });
  }

  /** The end of the turn, or of a sub-agent, cannot be read. A server that is done takes the `Cancel` for nothing. */
  receiveUnreadableEnd(problem: string, agentId: number | undefined): void {
    const job = this.#running;
    if (!job || (agentId !== undefined && !isOfRoot(job.state, { agent_id: agentId }))) return;
    job.turn.stopWith(unreadable(problem));
  }

  /** Handling a message threw. What it was half-way through is not known, so its turn is stopped. */
  handlingFailed(problem: string): void {
    const job = this.#handled;
    this.#handled = undefined;
    if (!job) return;
    if (this.#runs(job)) job.turn.stopWith(unreadable(problem));
    else job.turn.fail(unreadable(problem)); // it was just ending
    if (this.#stopping === job) this.#awaitPong(job);
    this.pump();
  }

  /** Any error ends the turn; a server that goes on in spite of it is stopped. */
  receiveError(error: ServerError): void {
    const { core } = this.#setup;
    const job = this.#running;
    const stopping = this.#stopping;
    if (job) {
      this.#handled = job;
      this.#halt(job);
      if (!error.fatal) this.#tellCancel(job);
      this.#leave(job, "ended", "the turn has failed");
      job.turn.fail(turnError(error.message, error.fatal));
      if (!error.fatal) this.#awaitPong(job);
      this.#handled = undefined;
    } else if (stopping && !stopping.turn.settled) {
      stopping.endedBy ??= error;
    } else {
      core.warn("server-error", "the server reports an error while no turn runs");
      core.events.emit("serverError", error);
    }
    if (!error.fatal) return;
    const message = "the server ended the session with a fatal error";
    core.connection.drop(new ConnectionLostError(message, { retryable: false }));
  }

  /** The session is gone: what ran may go on unheard, and what waited was meant for a server that knew what was said. */
  sessionLost(error: AgentwireError): void {
    const floor = this.#clear();
    this.#transcript.lost = contextLost(error);
    this.#transcript = new Transcript();
    this.#setup.gate.newSession();
    if (floor.name === "running") {
      this.#leave(floor.job, "disconnected", "the connection has ended");
      floor.job.turn.fail(lostInTurn(error, mayRun(floor.job.turn)));
    }
    if (floor.name === "stopping") floor.job.turn.stopped();
    for (const { turn } of this.runner.takeWaiting()) turn.fail(contextLost(error));
  }

  /** The client is closing: what runs is told to stop. */
  closing(): void {
    const job = this.#running;
    if (!job) return;
    this.#floor = FREE;
    this.#tellCancel(job);
    this.#leave(job, "cancelled", "the client is closing");
    job.turn.abandon(closedInTurn(mayRun(job.turn)));
  }

  /** The connection is not to be had, or the client is closed. */
  unavailable(reason: AgentwireError): void {
    const floor = this.#clear();
    if (floor.name === "stopping") floor.job.turn.stopped();
    this.runner.unavailable(reason);
  }

  /** There is no session, so nothing runs on it and nothing is waited for; returns what was. */
  #clear(): Floor {
    const floor = this.#floor;
    this.#floor = FREE;
    return floor;
  }

  #apply(job: Job, step: TurnStep, message: TurnMessage, size: number): void {
    const { ask, decided, warning, end } = step;
    if (warning !== undefined) this.#setup.core.warn("odd-call", warning);
    if (decided) this.#withdraw(job, decided.call.id, "elsewhere", "the server has decided it");
    this.#tell(job, step, size);
    if (ask) this.#ask(job, ask);
    if (decided) this.#sendDecisions(job, decided);
    if (end === "finished" && message.type === "Finished") this.#finish(job, message);
    if (end === "retries" && message.type === "Retrying")
      job.turn.stopWith(misconfigured(this.#setup.core.redactor.redact(message.error), MAX_RETRIES));
  }

  #tell({ turn }: Job, { changed, event }: TurnStep, size: number): void {
    for (const call of changed) turn.tools.set(call);
    if (event) turn.push(event, size);
    else turn.active(); // the server says again what is known, which is not silence
  }

  #runs(job: Job): boolean {
    return this.#running === job;
  }

  #finish(job: Job, { usage }: Finished): void {
    const { core } = this.#setup;
    const { turn, state } = job;
    job.usage = this.#count(usage);
    this.#floor = FREE;
    core.connection.healthy();
    this.#transcript.answered(turn.text);
    this.#remember(job);
    this.#leave(job, "ended", "the turn is over");
    const rounds = roundsOf(state);
    turn.complete({
      ...turn.textResult,
      sessionId: this.#setup.wire.session?.id ?? "",
      rounds,
      thinking: rounds.map(({ thinking }) => thinking).join(""),
      toolCalls: turn.toolCalls,
      ...(job.usage === undefined ? {} : { usage: job.usage }),
    });
    this.pump();
  }

  /** What a turn has used, by the server's count. */
  #count(told: Finished["usage"]): CodeyUsage | undefined {
    const { wire, core } = this.#setup;
    const session = wire.session;
    if (!session) return undefined;
    if (!told) {
      session.usage.missed();
      return undefined;
    }
    const { usage, odd } = session.usage.take(told);
    if (odd) core.warn("odd-usage", "the server's count of output tokens went backwards");
    return usage;
  }

  // --- decisions ---

  #ask(job: Job, asked: CodeyCall): void {
    const { id, name, input, raw } = asked.call;
    const { turn, open } = job;
    const decided = (ruling: Ruling): void => this.#decided(job, asked, ruling);
    const withdraw = this.#setup.gate.ask(
      { id, name, input, turnId: turn.id, raw },
      { turn, isHandled: false, decided },
    );
    if (asked.ruling === undefined) open.set(id, withdraw); // or a rule has decided it at once
  }

  #decided(job: Job, asked: CodeyCall, ruling: Ruling): void {
    job.open.delete(asked.call.id);
    if (!this.#runs(job) || asked.call.state !== "awaiting") return; // it came to nothing, or was decided elsewhere
    asked.ruling = ruling;
    this.#sendDecisions(job, asked);
  }

  /** A decision names the id alone, so it answers the oldest open question of that id. */
  #sendDecisions(job: Job, sameId: CodeyCall): void {
    for (;;) {
      const ruled = job.state.calls.nextRuled(sameId);
      if (!ruled) return;
      const { approved, ...step } = decide(job.state, ruled, ruled.ruling);
      this.#setup.wire.send(encode.toolDecision(ruled.callId, approved));
      this.#tell(job, step, 0);
    }
  }

  #withdraw({ open }: Job, id: string, by: DecidedBy, reason: string): void {
    const withdraw = open.get(id);
    open.delete(id);
    withdraw?.(by, reason);
  }

  // --- ends ---

  /** From here until the `Pong` nothing is sent that begins a turn. */
  #halt(job: Job): void {
    this.#remember(job);
    this.#floor = { name: "stopping", job };
  }

  /** What still comes of the calls of a turn that is over is not given to the next one. */
  #remember({ state }: Job): void {
    const { session } = this.#setup.wire;
    for (const key of state.calls.keys()) session?.past.set(key, true);
  }

  /** Nothing of the turn waits any more. */
  #leave(job: Job, by: DecidedBy, reason: string): void {
    for (const id of [...job.open.keys()]) this.#withdraw(job, id, by, reason);
    job.turn.tools.abandon();
  }

  /** The denials come behind the `Cancel`, or the server would go on with what they deny. */
  #tellCancel({ state }: Job): void {
    const { wire } = this.#setup;
    wire.send(encode.cancel);
    for (const { callId } of state.calls.takeAwaiting()) wire.send(encode.toolDecision(callId, false));
  }

  /** What a server says behind a `Cancel` comes before the `Pong` of a `Ping` behind it. */
  #awaitPong(job: Job): void {
    const { wire, settings, core } = this.#setup;
    const { cancelTimeout } = settings;
    const failed = (error: AgentwireError): void => {
      if (!isAgentwireError(error, "request-timeout")) return; // the connection is gone already
      const message = `the server did not answer the \`Ping\` behind a \`Cancel\` within ${cancelTimeout} ms`;
      const sideEffectsPossible = job.turn.toolCalls.length > 0 || undefined;
      core.connection.drop(new ConnectionLostError(message, { sideEffectsPossible }));
    };
    wire.pingThen(cancelTimeout, () => this.#stopped(job), failed);
  }

  #stopped(job: Job): void {
    if (this.#stopping !== job) return; // two pings were sent for it, and this is the second answer
    if (!job.usage) this.#setup.wire.session?.usage.missed();
    this.#floor = FREE;
    job.turn.stopped();
    this.pump();
  }

  /** What comes before the `Pong` is of the turn that was stopped. */
  #afterCancel(job: Job, message: TurnMessage): void {
    if (message.type === "ToolRequest") {
      // It crossed the `Cancel`, as the questions behind it may have.
      for (const told of message.calls) job.state.calls.add(message.agent_id, told.call_id, told, told);
      this.#remember(job);
    }
    if (message.type !== "Finished" || !isOfRoot(job.state, message)) return;
    const usage = this.#count(message.usage);
    job.usage ??= usage;
    job.endedBy ??= message;
  }

  /** A question that no turn takes is denied all the same, or the server would keep it open. */
  #denyLate(agentId: number, callId: string): void {
    const { session } = this.#setup.wire;
    const key = keyOf(agentId, callId);
    const unasked = this.#stopping?.state.calls.takeRequested(key) ?? false;
    if (!unasked && session?.past.get(key)) return; // it says again what was denied with the `Cancel`, or behind it
    session?.past.set(key, true);
    this.#setup.wire.send(encode.toolDecision(callId, false));
  }

  /** What comes late for a call of an ended turn. A question is not late behind the `Pong`: it begins a call of this turn. */
  #isOfEarlierTurn({ state }: Job, message: TurnMessage): boolean {
    if (!("call_id" in message) || message.type === "ToolAwaitingApproval") return false;
    const key = keyOf(message.agent_id, message.call_id);
    return !state.calls.has(key) && this.#setup.wire.session?.past.get(key) === true;
  }
}

/** What comes after a lost link begins with a server that knows nothing of what was said. */
function contextLost(cause: unknown): ConnectionLostError {
  const message = "the session ended with its connection, and the server has forgotten what was said in it";
  return new ConnectionLostError(message, { code: "context-lost", delivery: "not-sent", cause });
}

/** A warning for a turn in which calls were announced. */
function mayRun({ toolCalls }: Job["turn"]): string {
  return toolCalls.length > 0 ? "; a tool that was approved may still run" : "";
}
