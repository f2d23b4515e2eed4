import type { ClientCore } from "../core/client/client-core.ts";
import type { CancelTimer } from "../core/clock.ts";
import {
  type AgentwireError,
  ClosedError,
  ConnectionLostError,
  copyError,
  isAgentwireError,
  withoutCode,
} from "../core/errors.ts";
import type { Withdraw } from "../core/gate/gate.ts";
import { randomId } from "../core/random-id.ts";
import { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { TurnQueue } from "../core/turn/turn-queue.ts";
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
import type { Transcript } from "./transcript.ts";
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
import type { Wire } from "./wire.ts";

/** One turn of this client, from the call to its end. */
export interface Job {
  readonly turn: LiveTurn<CodeyEvent, CodeyResult>;
  readonly prompt: CodeyPrompt;
  readonly state: TurnState;
  /** Takes back what waits for a decision, by the call's id. */
  readonly open: Map<string, Withdraw>;
  /** How many frames had come when it was sent; `undefined` before. */
  sentAfter: number | undefined;
  usage: CodeyUsage | undefined;
  /** What the server still said of its end after a cancel. */
  endedBy: Finished | ServerError | undefined;
}

export interface TurnsSetup {
  readonly settings: CodeySettings;
  readonly wire: Wire;
  readonly transcript: () => Transcript;
  readonly core: () => ClientCore<CodeyEvent, CodeyResult, CodeyClientEvents>;
}

/**
 * The turns of one client: a server works on one at a time, and on a second one it would spoil both.
 *
 *     queue ──send──▶ current ──Finished──────────────────▶ (next)
 *                        │ Error ──▶ failed ─┐
 *                        └ cancel, limits ───┴▶ barrier: Cancel, denials, Ping ──its Pong──▶ settled, (next)
 *
 * A cancel is not answered, but what a server says behind it comes before the `Pong`: until then nothing is sent, so
 * that no turn gets anything of another.
 */
export class Turns {
  readonly #setup: TurnsSetup;
  readonly #queue: TurnQueue<Job>;
  #current: Job | undefined;
  /** The turn that is being stopped on the server, or has failed there: nothing is sent until the `Pong`. */
  #stopping: Job | undefined;
  #cancelDelay: CancelTimer | undefined;
  /** The turn whose message is being handled; it stays when that throws. */
  #handled: Job | undefined;

  constructor(setup: TurnsSetup) {
    this.#setup = setup;
    const { maxQueuedTurns: maxTurns, maxQueuedBytes: maxBytes } = setup.settings.socket;
    this.#queue = new TurnQueue({ maxTurns, maxBytes });
  }

  /**
   * Makes a turn without sending it.
   * @throws QueueFullError when too much waits already.
   */
  create(input: unknown, prompt: CodeyPrompt, options: TurnOptions = {}): Job {
    const { settings, core } = this.#setup;
    this.#queue.assertRoom(prompt.bytes);
    const { signal, timeout = 0, idleTimeout = settings.idleTimeout, read = true } = options;
    const { clock, maxBufferedBytes, maxTextBytes } = settings.socket;
    const state = newTurnState((callId) => core().gate.idFor(callId), maxTextBytes);
    const turn: Job["turn"] = new LiveTurn<CodeyEvent, CodeyResult>({
      id: randomId("turn"),
      input,
      clock,
      maxBufferedBytes,
      maxTextBytes,
      timeout,
      idleTimeout,
      signal,
      read,
      textOf: (event) => textOf(state, event),
      soFar: () => ({ usage: job.usage, endedBy: job.endedBy }),
      stop: () => this.#interrupted(job),
      settled: () => {},
      insist: () => {},
      repeatable: true,
      flow: undefined,
      onEvent: (event) => core().events.emit("event", event, turn),
      onListenerThrow: core().listenerThrew,
    });
    const job: Job = {
      turn,
      prompt,
      state,
      open: new Map(),
      sentAfter: undefined,
      usage: undefined,
      endedBy: undefined,
    };
    core().connection.hurry();
    return job;
  }

  /** Sends the turn now, or when those before it are done. */
  start(job: Job): void {
    job.turn.begin();
    if (!job.turn.open) return;
    this.#queue.add(job, job.prompt.bytes);
    this.pump();
  }

  /** The turn of this id, while it runs. */
  turnOf(id: string): Job["turn"] | undefined {
    return this.#current?.turn.id === id ? this.#current.turn : undefined;
  }

  /** Sends the next turn, if the server is free for it. */
  pump(): void {
    const { wire, core } = this.#setup;
    const job = this.#queue.first();
    if (!job || !wire.session || this.#current || this.#stopping || this.#cancelDelay) return;
    this.#queue.delete(job);
    if (!job.turn.open) {
      this.pump(); // it is just being cancelled, and its listeners are told before this queue is
      return;
    }
    this.#current = job;
    job.sentAfter = core().connection.frames;
    this.#setup.transcript().asked(job.prompt.content);
    job.turn.sent(() => wire.send(job.prompt.frame));
    job.turn.active();
  }

  /** The turn that a message is of: not one that somebody who saw the frame come has begun just now. */
  get #addressed(): Job | undefined {
    const job = this.#current;
    const { frames } = this.#setup.core().connection;
    return job?.sentAfter !== undefined && job.sentAfter < frames ? job : undefined;
  }

  /** A message of a turn. */
  receive(message: TurnMessage, size: number): void {
    const { core } = this.#setup;
    const job = this.#addressed;
    if (job && !this.#isOfEarlierTurn(job, message)) {
      this.#handled = job;
      this.#apply(job, stepTurn(job.state, message), message, size);
      this.#handled = undefined;
      return;
    }
    if (message.type === "ToolAwaitingApproval") this.#denyLate(message.agent_id, message.call_id);
    if (this.#stopping) this.#afterCancel(this.#stopping, message);
    if (job || this.#stopping) {
      core().events.emit("late", message);
      return;
    }
    core().warn("stray-message", `a \`${message.type}\` while no turn runs`);
    core().events.emit("stray", message);
  }

  /** A call asks for its decision in words that cannot be read: without one the server would wait for ever. */
  receiveUnreadable(question: UnreadableQuestion): void {
    const job = this.#addressed;
    if (!job) {
      this.#denyLate(question.agentId, question.callId);
      return;
    }
    const { ask, ...step } = stepUnreadable(job.state, question);
    this.#tell(job, step, 0);
    if (ask && this.#runs(job))
      this.#decided(job, ask, { decision: "reject", by: "error", reason: "its question cannot be read" });
  }

  /** The end of the turn, or of a sub-agent, cannot be read. A server that is done takes the `Cancel` for nothing. */
  receiveUnreadableEnd(problem: string, agentId: number | undefined): void {
    const job = this.#addressed;
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
    const job = this.#addressed;
    const stopping = this.#stopping;
    if (job) {
      this.#handled = job;
      this.#halt(job);
      if (!error.fatal) this.#tellCancel(job);
      this.#leave(job, "ended", "the turn has failed");
      job.turn.fail(turnError(error.message, error.fatal));
      job.endedBy = error;
      if (!error.fatal) this.#awaitPong(job);
      this.#handled = undefined;
    } else if (stopping && !stopping.turn.settled) {
      stopping.endedBy ??= error;
    } else {
      core().warn("server-error", "the server reports an error while no turn runs");
      core().events.emit("serverError", error);
    }
    if (!error.fatal) return;
    const message = "the server ended the session with a fatal error";
    core().connection.drop(new ConnectionLostError(message, { retryable: false }));
  }

  /** The session is gone: what ran may go on unheard, and what waited was meant for a server that knew what was said. */
  sessionLost(error: AgentwireError): void {
    const job = this.#current;
    const stopping = this.#reset();
    const waiting = this.#queue.clear();
    if (job) this.#leave(job, "disconnected", "the connection has ended");
    job?.turn.fail(lostTurn(error, job.turn));
    stopping?.turn.stopped();
    for (const { turn } of waiting) turn.fail(contextLost(error));
  }

  /** The client is closing: what runs is told to stop. */
  closing(): void {
    const job = this.#current;
    if (!job) return;
    this.#current = undefined;
    this.#tellCancel(job);
    this.#leave(job, "cancelled", "the client is closing");
    job.turn.abandon(closedError(job.turn));
  }

  /** Ends all that is left: by the caller's will, or because the connection is not to be had. */
  endAll(reason: AgentwireError): void {
    const isClosed = isAgentwireError(reason, "closed");
    const stopping = this.#reset();
    stopping?.turn.stopped();
    for (const { turn } of this.#queue.clear()) {
      if (isClosed) turn.abandon(new ClosedError("the client was closed before the prompt was sent"));
      else turn.fail(copyError(reason));
    }
  }

  /** There is no session, so nothing runs on it and nothing is waited for; returns what was being stopped. */
  #reset(): Job | undefined {
    const stopping = this.#stopping;
    this.#current = undefined;
    this.#stopping = undefined;
    this.#cancelDelay?.();
    this.#cancelDelay = undefined;
    return stopping;
  }

  #apply(job: Job, step: TurnStep, message: TurnMessage, size: number): void {
    const { ask, decided, warning, end } = step;
    const finished = end === "finished" && message.type === "Finished";
    if (finished) job.usage = this.#count(message.usage); // also if a listener cancels the turn now
    if (warning !== undefined) this.#setup.core().warn("odd-call", warning);
    // Before anybody hears that it has gone on without the decision, and looks at what is open.
    if (decided) this.#withdraw(job, decided.call.id, "elsewhere", "the server has decided it");
    this.#tell(job, step, size);
    if (finished) job.endedBy = message;
    if (!this.#runs(job)) return; // a listener has just ended it
    if (ask) this.#ask(job, ask);
    if (decided) this.#sendDecisions(job, decided);
    if (finished) this.#finish(job);
    if (end === "retries" && message.type === "Retrying")
      job.turn.stopWith(misconfigured(this.#setup.core().redactor.redact(message.error), MAX_RETRIES));
  }

  /** Whoever is told of one may end the turn, and then there is nothing more to tell. */
  #tell(job: Job, { changed, event }: TurnStep, size: number): void {
    const { turn } = job;
    for (const call of changed) if (this.#runs(job)) turn.tools.set(call);
    if (!this.#runs(job)) return;
    if (event) turn.push(event, size);
    else turn.active(); // the server says again what is known, which is not silence
  }

  #runs(job: Job): boolean {
    return this.#current === job && job.turn.open;
  }

  #finish(job: Job): void {
    const { core, transcript } = this.#setup;
    const { turn, state } = job;
    this.#current = undefined;
    core().connection.healthy();
    transcript().answered(turn.text);
    this.#remember(job);
    this.#leave(job, "ended", "the turn is over");
    const rounds = roundsOf(state);
    turn.complete({
      text: turn.text,
      ...(turn.truncated ? { truncated: true } : {}),
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
    if (odd) core().warn("odd-usage", "the server's count of output tokens went backwards");
    return usage;
  }

  // --- decisions ---

  #ask(job: Job, asked: CodeyCall): void {
    const { id, name, input, raw } = asked.call;
    const { turn, open } = job;
    const withdraw = this.#setup
      .core()
      .gate.ask(
        { id, name, input, turnId: turn.id, raw },
        { turn, isHandled: false, decided: (ruling) => this.#decided(job, asked, ruling) },
      );
    if (this.#setup.core().gate.isOpen(id)) open.set(id, withdraw);
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
      const ruled = this.#runs(job) ? job.state.calls.nextRuled(sameId) : undefined;
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

  /** The turn wants to end: by the caller's will, a limit of its own, or because it leads nowhere. */
  #interrupted(job: Job): void {
    if (job === this.#current) this.#cancel(job);
    if (job === this.#stopping) return; // it settles at the `Pong`
    // It waits to be sent; or it is just ending, and somebody who is told of that cancels it.
    this.#queue.delete(job);
    job.turn.stopped();
  }

  /** Users are told when nothing of theirs can come before the `Cancel` any more, and the `Pong` not before them. */
  #cancel(job: Job): void {
    this.#halt(job);
    this.#tellCancel(job);
    this.#leave(job, "cancelled", "the turn was cancelled");
    this.#awaitPong(job);
  }

  /** From here until the `Pong` nothing is sent that begins a turn. */
  #halt(job: Job): void {
    this.#current = undefined;
    this.#remember(job);
    this.#stopping = job;
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
      core().connection.drop(new ConnectionLostError(message, { sideEffectsPossible }));
    };
    wire.ping(cancelTimeout, () => this.#stopped(job), failed);
  }

  #stopped(job: Job): void {
    const { wire, settings } = this.#setup;
    const { settleDelay, socket } = settings;
    if (this.#stopping !== job) return; // two pings were sent for it, and this is the second answer
    if (!job.usage) wire.session?.usage.missed();
    this.#stopping = undefined;
    if (settleDelay > 0) {
      this.#cancelDelay = socket.clock.setTimeout(() => {
        this.#cancelDelay = undefined;
        this.pump();
      }, settleDelay);
    }
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

function lostTurn(error: AgentwireError, turn: Job["turn"]): ConnectionLostError {
  const message = `${withoutCode(error)}, in the middle of the turn${mayRun(turn)}`;
  const { closeCode, closeReason } = isAgentwireError(error, "connection-lost") ? error : {};
  return new ConnectionLostError(message, {
    delivery: "unknown",
    closeCode,
    closeReason,
    cause: error,
  });
}

/** What comes after a lost link begins with a server that knows nothing of what was said. */
export function contextLost(cause: unknown): ConnectionLostError {
  const message = "the session ended with its connection, and the server has forgotten what was said in it";
  return new ConnectionLostError(message, { code: "context-lost", delivery: "not-sent", cause });
}

function closedError(turn: Job["turn"]): ClosedError {
  const message = `the client was closed while the turn ran${mayRun(turn)}`;
  return new ClosedError(message, { delivery: "unknown" });
}

/** A warning for a turn in which calls were announced. */
function mayRun({ toolCalls }: Job["turn"]): string {
  return toolCalls.length > 0 ? "; a tool that was approved may still run" : "";
}
