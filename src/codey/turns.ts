import type { DecidedBy, Gate, Ruling, Withdraw } from "../core/approvals.ts";
import type { ClientCore } from "../core/client-core.ts";
import type { CancelTimer } from "../core/clock.ts";
import {
  type AgentwireError,
  ClosedError,
  ConnectionLostError,
  copyError,
  isAgentwireError,
  withoutCode,
} from "../core/errors.ts";
import { LiveTurn } from "../core/live-turn.ts";
import { randomId } from "../core/random-id.ts";
import type { TurnToolCall } from "../core/tool-call.ts";
import type { TurnOptions } from "../core/turn.ts";
import { TurnQueue } from "../core/turn-queue.ts";
import { misconfigured, turnError } from "./errors.ts";
import type { CodeyClientEvents } from "./events.ts";
import { encode, type Finished, type ServerError, type TurnMessage } from "./messages.ts";
import type { CodeySettings } from "./options.ts";
import type { CodeyPrompt } from "./prompt.ts";
import type { Transcript } from "./transcript.ts";
import {
  type CodeyCall,
  type CodeyEvent,
  type CodeyResult,
  currentOf,
  decide,
  keyOf,
  MAX_RETRIES,
  newTurnState,
  rootOf,
  roundsOf,
  stepTurn,
  type TurnState,
  type TurnStep,
  textOf,
} from "./turn.ts";
import type { CodeyUsage } from "./usage.ts";
import type { Wire } from "./wire.ts";

/** One turn of this client, from the call to its end. */
export interface Job {
  readonly turn: LiveTurn<CodeyEvent, CodeyResult>;
  readonly prompt: CodeyPrompt;
  readonly state: TurnState;
  /** Takes back what waits for a decision, by the call's id. */
  readonly open: Map<string, Withdraw>;
  sent: boolean;
  usage: CodeyUsage | undefined;
  /** What the server still said of its end after a cancel. */
  endedBy: Finished | ServerError | undefined;
}

export interface TurnsSetup {
  readonly settings: CodeySettings;
  readonly wire: Wire;
  readonly gate: Gate;
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
  /** While a cancel is under way, and the job that it is about, which may have failed already. */
  #barrier: { readonly job: Job } | undefined;
  #cancelDelay: CancelTimer | undefined;

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
    const { settings, core, gate } = this.#setup;
    this.#queue.assertRoom(prompt.bytes);
    const { signal, timeout = 0, idleTimeout = settings.idleTimeout } = options;
    const { clock, maxBufferedBytes, maxTextBytes } = settings.socket;
    const state = newTurnState((callId) => gate.idFor(callId), maxTextBytes);
    const turn: Job["turn"] = new LiveTurn<CodeyEvent, CodeyResult>({
      id: randomId("turn"),
      input,
      clock,
      maxBufferedBytes,
      maxTextBytes,
      timeout,
      idleTimeout,
      signal,
      textOf: (event) => textOf(state, event),
      soFar: () => ({ usage: job.usage, endedBy: job.endedBy }),
      stop: () => this.#stop(job),
      settled: () => {},
      onEvent: (event) => {
        if (core().events.has("event")) core().events.emit("event", event, turn);
      },
      onListenerThrow: core().listenerThrew,
    });
    const job: Job = {
      turn,
      prompt,
      state,
      open: new Map(),
      sent: false,
      usage: undefined,
      endedBy: undefined,
    };
    return job;
  }

  /** Sends the turn now, or when those before it are done. */
  start(job: Job): void {
    job.turn.begin();
    if (!job.turn.open) return;
    this.#queue.add(job, job.prompt.bytes);
    this.pump();
  }

  /** Sends the next turn, if the server is free for it. */
  pump(): void {
    const { wire } = this.#setup;
    const job = this.#queue.first();
    if (!job || !wire.session || this.#current || this.#barrier || this.#cancelDelay) return;
    this.#queue.delete(job);
    this.#current = job;
    job.sent = true;
    this.#setup.transcript().asked(job.prompt.content);
    job.turn.sent(() => wire.send(job.prompt.frame));
    job.turn.active();
  }

  /** A message of a turn. */
  receive(message: TurnMessage, size: number): void {
    const { core } = this.#setup;
    const job = this.#current;
    if (this.#barrier) this.#afterCancel(this.#barrier.job, message);
    else if (!job) {
      this.#denyForNobody(message);
      core().warn("stray-message", `a \`${message.type}\` while no turn runs`);
      core().events.emit("stray", message);
    } else if (this.#isOfEarlierTurn(job, message)) {
      this.#denyForNobody(message);
      core().events.emit("late", message);
    } else this.#apply(job, stepTurn(job.state, message), message, size);
  }

  /** Any error ends the turn; a server that goes on in spite of it is stopped. */
  receiveError(error: ServerError): void {
    const { core } = this.#setup;
    const job = this.#current;
    if (job) {
      const awaiting = awaitingOf(job);
      this.#leave(job, "ended", "the turn has failed");
      if (!error.fatal) this.#cancelOnServer(awaiting, job);
      job.turn.fail(turnError(error.message, error.fatal));
    } else if (this.#barrier) {
      this.#barrier.job.endedBy = error;
    } else {
      core().warn("server-error", "the server reports an error while no turn runs");
      core().events.emit("serverError", error);
    }
    if (!error.fatal) return;
    const message = "the server ended the session with a fatal error; make a new client";
    core().connection.drop(new ConnectionLostError(message, { retryable: false }));
  }

  /** The session is gone: what ran may go on unheard, and what waited was meant for a server that knew what was said. */
  sessionLost(error: AgentwireError): void {
    this.#endDelay();
    const job = this.#current;
    const stopped = this.#barrier?.job;
    this.#barrier = undefined;
    const waiting = this.#queue.clear();
    if (job) this.#leave(job, "disconnected", "the connection has ended");
    job?.turn.fail(lostTurn(error));
    stopped?.turn.stopped();
    for (const { turn } of waiting) turn.fail(contextLost(error));
  }

  /** The client is closing: what was not sent is given back, what runs is told to stop. */
  closing(): void {
    for (const { turn } of this.#queue.clear())
      turn.abandon(new ClosedError("the client was closed before the prompt was sent"));
    const job = this.#current;
    if (!job) return;
    const awaiting = awaitingOf(job);
    this.#leave(job, "cancelled", "the client is closing");
    this.#tellCancel(awaiting);
    job.turn.abandon(closedError());
  }

  /** Ends everything: by the caller's will, or because the connection is not to be had. */
  endAll(reason: AgentwireError): void {
    this.#endDelay();
    const isClosed = isAgentwireError(reason, "closed");
    const job = this.#current;
    const stopped = this.#barrier?.job;
    this.#barrier = undefined;
    if (job) this.#leave(job, "cancelled", "the client was closed");
    job?.turn.abandon(closedError());
    stopped?.turn.stopped();
    for (const { turn } of this.#queue.clear()) {
      if (isClosed) turn.abandon(new ClosedError("the client was closed before the prompt was sent"));
      else turn.fail(copyError(reason));
    }
  }

  #apply(job: Job, step: TurnStep, message: TurnMessage, size: number): void {
    const { ask, decided, warning, end } = step;
    if (warning !== undefined) this.#setup.core().warn("odd-call", warning);
    this.#tell(job, step, size);
    if (decided !== undefined) this.#withdraw(job, decided, "elsewhere", "the server has decided it");
    if (!this.#runs(job)) return; // a listener has just ended it
    if (ask) this.#ask(job, ask);
    if (end === "finished" && message.type === "Finished") this.#finish(job, message);
    if (end === "retries" && message.type === "Retrying")
      job.turn.stopWith(misconfigured(this.#setup.core().redactor.redact(message.error), MAX_RETRIES));
  }

  #tell({ turn }: Job, { changed, event }: TurnStep, size: number): void {
    for (const call of changed) turn.tools.set(call);
    if (event) turn.push(event, size);
  }

  #runs(job: Job): boolean {
    return this.#current === job && job.turn.open;
  }

  #finish(job: Job, { usage }: Finished): void {
    const { core, transcript } = this.#setup;
    job.usage = this.#count(usage);
    this.#leave(job, "ended", "the turn is over");
    core().connection.healthy();
    transcript().answered(job.turn.text);
    const { turn, state } = job;
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
    const withdraw = this.#setup.gate.ask(
      { id, name, input, turnId: turn.id, raw },
      { turn, isHandled: false, decided: (ruling) => this.#decided(job, asked, ruling) },
    );
    if (turn.pending.some((request) => request.id === id)) open.set(id, withdraw);
  }

  #decided(job: Job, asked: CodeyCall, ruling: Ruling): void {
    job.open.delete(asked.call.id);
    if (!this.#runs(job) || currentOf(job.state, asked).state !== "awaiting") return; // it came to nothing, or was decided elsewhere
    const { approved, ...step } = decide(job.state, asked, ruling);
    this.#setup.wire.send(encode.toolDecision(asked.callId, approved));
    this.#tell(job, step, 0);
  }

  #withdraw({ open }: Job, id: string, by: DecidedBy, reason: string): void {
    const withdraw = open.get(id);
    open.delete(id);
    withdraw?.(by, reason);
  }

  // --- ends ---

  /** The turn wants to end: by the caller's will, a limit of its own, or because it leads nowhere. */
  #stop(job: Job): void {
    if (!job.sent) {
      this.#queue.delete(job);
      job.turn.stopped();
      return;
    }
    const awaiting = awaitingOf(job);
    this.#leave(job, "cancelled", "the turn was cancelled");
    this.#cancelOnServer(awaiting, job);
  }

  /** The turn is the current one no more, and nothing of it waits. */
  #leave(job: Job, by: DecidedBy, reason: string): void {
    const session = this.#setup.wire.session;
    this.#current = undefined;
    for (const [key, { call }] of job.state.calls) session?.ended.set(key, call.state !== "requested");
    for (const id of [...job.open.keys()]) this.#withdraw(job, id, by, reason);
    job.turn.tools.abandon();
  }

  /** `Cancel`, then denials, or the server would go on with what they deny, then the `Ping` whose `Pong` ends it all. */
  #cancelOnServer(awaiting: readonly CodeyCall[], job: Job): void {
    const { wire, settings, core } = this.#setup;
    const { cancelTimeout, settleDelay, socket } = settings;
    const barrier = { job };
    this.#barrier = barrier;
    this.#tellCancel(awaiting);
    const done = (): void => {
      if (this.#barrier !== barrier) return;
      this.#barrier = undefined;
      if (!job.usage) wire.session?.usage.missed();
      if (settleDelay > 0) {
        this.#cancelDelay = socket.clock.setTimeout(() => {
          this.#cancelDelay = undefined;
          this.pump();
        }, settleDelay);
      }
      job.turn.stopped();
      this.pump();
    };
    wire.ping(cancelTimeout, done, (error) => {
      if (!isAgentwireError(error, "request-timeout")) return; // the connection is gone already
      const message = `the server did not answer the \`Ping\` behind a \`Cancel\` within ${cancelTimeout} ms`;
      core().connection.drop(new ConnectionLostError(message, { sideEffectsPossible: true }));
    });
  }

  #tellCancel(awaiting: readonly CodeyCall[]): void {
    const { wire } = this.#setup;
    wire.send(encode.cancel);
    for (const { callId } of awaiting) wire.send(encode.toolDecision(callId, false));
  }

  /** What comes before the `Pong` is of the turn that was cancelled. */
  #afterCancel(job: Job, message: TurnMessage): void {
    if (message.type === "Finished" && message.agent_id === rootOf(job.state)) {
      job.endedBy = message;
      job.usage = this.#count(message.usage);
    }
    this.#denyForNobody(message);
    this.#setup.core().events.emit("late", message);
  }

  /** A server that asks when nobody is there to decide any more would wait for ever, or at least list the call as open. */
  #denyForNobody(message: TurnMessage): void {
    const { wire } = this.#setup;
    if (message.type !== "ToolAwaitingApproval" || !wire.session) return;
    const { ended } = wire.session;
    const key = keyOf(message.agent_id, message.call_id);
    if (ended.get(key)) return; // it was answered, or needs no answer
    ended.set(key, true);
    wire.send(encode.toolDecision(message.call_id, false));
  }

  #isOfEarlierTurn({ state }: Job, message: TurnMessage): boolean {
    if (!("call_id" in message)) return false;
    const key = keyOf(message.agent_id, message.call_id);
    return !state.calls.has(key) && this.#setup.wire.session?.ended.get(key) !== undefined;
  }

  #endDelay(): void {
    this.#cancelDelay?.();
    this.#cancelDelay = undefined;
  }
}

/** The calls that the server waits with. */
function awaitingOf({ state }: Job): CodeyCall[] {
  const isAwaiting = ({ call }: { readonly call: TurnToolCall }): boolean => call.state === "awaiting";
  return [...state.calls.values()].filter(isAwaiting);
}

function lostTurn(error: AgentwireError): ConnectionLostError {
  const message = `${withoutCode(error)}, in the middle of the turn; a tool that was approved may still run`;
  const { closeCode, closeReason } = isAgentwireError(error, "connection-lost") ? error : {};
  return new ConnectionLostError(message, {
    delivery: "unknown",
    sideEffectsPossible: true,
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

function closedError(): ClosedError {
  return new ClosedError("the client was closed while the turn ran; a tool that was approved may still run", {
    delivery: "unknown",
  });
}
