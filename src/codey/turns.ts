// Runs one turn at a time, cancels it, and sends decisions on its tool calls.
import { checkCallOptions } from "../core/checks.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import { type AgentwireError, ConnectionLostError } from "../core/errors.ts";
import type { Gate, Withdraw } from "../core/gate/gate.ts";
import { Late } from "../core/late.ts";
import { closedInTurn, lostInTurn } from "../core/link/connection-errors.ts";
import { randomId } from "../core/random-id.ts";
import type { ConversationStep } from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { DecidedBy, Ruling } from "../core/values.ts";
import {
  Barrier,
  type BarrierSetup,
  cancelFrames,
  denyLate,
  rememberCalls,
  type StoppableTurn,
  sendCancel,
} from "./barrier.ts";
import { callKey, type WireCall } from "./calls.ts";
import { CodeyTranscript } from "./conversation.ts";
import { codeyTurnError, contextLost, mayRun, misconfigured, unreadable } from "./errors.ts";
import { buildPrompt, type CodeyPrompt, type CodeyPromptInput } from "./input.ts";
import { encode, type Finished, type Invalid, type ServerError, type TurnMessage } from "./messages.ts";
import { CODEY_SUBJECTS } from "./subjects.ts";
import {
  type CodeyEvent,
  type CodeyResult,
  decide,
  isRootAgent,
  MAX_RETRIES,
  newTurnState,
  roundsOf,
  stepTurn,
  stepUnreadable,
  type TurnStep,
  textOfEvent,
} from "./turn.ts";
import type { CodeyWireUser } from "./wire.ts";

/** One turn of this client, from the call to its end. */
interface Job extends StoppableTurn {
  readonly prompt: CodeyPrompt;
  /** Withdraws an open approval, by the id of its call. */
  readonly open: Map<string, Withdraw>;
}

/** Decides on tool calls. */
export const GATE_CODE = /* @__PURE__ */ new Late(
  "the code for tool calls",
  () => import("../core/gate/gate.ts"),
);

/**
 * The turn that the server works on. The server takes one turn at a time: a second turn would break both.
 *
 *     free ──pump()──▶ running ──Finished──────────────────▶ free
 *      ▲                  │ Error, a cancel, a limit: Cancel, denials, Ping
 *      │                  ▼
 *      └──its Pong──── stopping
 *
 * A lost connection leads from every state to `free`.
 */
type Floor =
  | { readonly name: "free" }
  | { readonly name: "running"; readonly job: Job }
  | { readonly name: "stopping"; readonly barrier: Barrier };

const FREE: Floor = { name: "free" };

/** The turns of one client. */
export class CodeyTurns implements Course<Job>, CodeyWireUser {
  readonly runner: Runner<CodeyEvent, CodeyResult, Job>;
  readonly #setup: BarrierSetup;
  /** Made at the first tool call: most sessions have none. */
  gate: Gate | undefined;
  #floor: Floor = FREE;
  /** The messages of the current session. */
  #transcript: CodeyTranscript;
  /** The turn that was running when the current message arrived. Stays set if the handler throws. */
  #handled: Job | undefined;

  constructor(setup: BarrierSetup) {
    this.#setup = setup;
    this.runner = new Runner(setup.core, this);
    this.#transcript = new CodeyTranscript(setup, this);
  }

  get transcript(): CodeyTranscript {
    return this.#transcript;
  }

  /**
   * Makes a turn without sending it.
   * @throws InvalidInputError, PayloadTooLargeError, UnsupportedError or QueueFullError; ClosedError on a closed client.
   */
  create(
    input: PromptOf<CodeyPromptInput>,
    options: TurnOptions | undefined,
  ): ConversationStep<CodeyEvent, CodeyResult> {
    const { settings, core } = this.#setup;
    core.assertOpen();
    checkCallOptions(options, TURN_CHECKS);
    const prompt = buildPrompt(input, settings.maxSendBytes);
    const state = newTurnState((callId) => this.#gate.idFor(callId), core.limits.maxTextBytes);
    const job = this.runner.make(
      {
        id: randomId("turn"),
        input,
        bytes: prompt.bytes,
        options,
        idleTimeout: settings.idleTimeout,
        textOf: (event) => textOfEvent(state, event),
        soFar: ({ usage, endedBy }) => ({ usage, endedBy }),
      },
      (turn) => ({ turn, prompt, state, open: new Map(), usage: undefined, endedBy: undefined }),
    );
    const start = (): void => this.runner.start(job);
    return { turn: job.turn, start, completed: () => {} }; // `#finish` adds the answer to the transcript
  }

  /** Sends the next turn if the server is free. */
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

  /** Stops a sent turn: it was cancelled, exceeded a limit, or was given up. The turn settles at the `Pong`. */
  stop(job: Job): void {
    if (this.#running !== job) return;
    const barrier = this.#raise(job);
    sendCancel(this.#setup.wire, job.state.calls);
    this.#leave(job, "cancelled", "the turn was cancelled");
    this.#ping(barrier);
  }

  receive(message: TurnMessage | ServerError | Invalid, text: string): void {
    if (message.type === "invalid") {
      this.#onInvalid(message, text);
      return;
    }
    this.#handled = this.#running;
    if (message.type === "Error") this.#onError(message);
    else this.#onMessage(message, text.length);
    this.#handled = undefined;
  }

  /**
   * The connection was lost. The server may go on with the running turn. The waiting turns fail: the next session does not know the
   * conversation.
   */
  lost(error: AgentwireError): void {
    const job = this.#clear();
    this.#transcript.end(contextLost(error));
    this.#transcript = new CodeyTranscript(this.#setup, this);
    this.gate?.newSession();
    if (job) {
      this.#leave(job, "disconnected", "the connection has ended");
      job.turn.fail(lostInTurn(error, mayRun(job.turn.toolCalls)));
    }
    for (const { turn } of this.runner.takeWaiting()) turn.fail(contextLost(error));
  }

  farewell(): readonly string[] {
    const job = this.#running;
    return job ? cancelFrames(job.state.calls) : [];
  }

  unavailable(reason: AgentwireError): void {
    const job = this.#clear();
    if (job) {
      this.#leave(job, "cancelled", "the client is closing");
      job.turn.abandon(closedInTurn(mayRun(job.turn.toolCalls)));
    }
    this.runner.unavailable(reason);
  }

  #onMessage(message: TurnMessage, size: number): void {
    const { core, wire } = this.#setup;
    const job = this.#running;
    const stopping = this.#stopping;
    if (job && !this.#isOfEarlierTurn(job, message)) {
      this.#apply(job, stepTurn(job.state, message), message, size);
      return;
    }
    if (message.type === "ToolAwaitingApproval") denyLate(wire, stopping, message.agent_id, message.call_id);
    stopping?.receive(message);
    if (!job && !stopping) core.warn("stray-message", `a \`${message.type}\` while no turn runs`);
    core.events.emit(job || stopping ? "late" : "stray", message);
  }

  /** Whether a message is about a call of an ended turn. A question always belongs to this turn. */
  #isOfEarlierTurn({ state }: Job, message: TurnMessage): boolean {
    if (!("call_id" in message) || message.type === "ToolAwaitingApproval") return false;
    const key = callKey(message.agent_id, message.call_id);
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
    else turn.active(); // a repeated message ends the silence too
  }

  #finish(job: Job, { usage }: Finished): void {
    const { core, wire } = this.#setup;
    const { turn, state } = job;
    job.usage = wire.count(usage);
    this.#floor = FREE;
    core.connection.healthy();
    this.#transcript.answered(turn.text);
    rememberCalls(wire, state.calls);
    this.#leave(job, "ended", "the turn is over");
    const rounds = roundsOf(state);
    turn.complete({
      ...turn.textResult,
      sessionId: wire.sessionId ?? "",
      rounds,
      thinking: rounds.map(({ thinking }) => thinking).join(""),
      toolCalls: turn.toolCalls,
      ...(job.usage === undefined ? {} : { usage: job.usage }),
    });
    this.pump();
  }

  /** Any `Error` ends the turn. The server is then told to stop, unless the error was fatal. */
  #onError(error: ServerError): void {
    const { core, wire } = this.#setup;
    const job = this.#running;
    const stopped = this.#stopping?.job;
    if (job) {
      const barrier = this.#raise(job);
      if (!error.fatal) sendCancel(wire, job.state.calls);
      this.#leave(job, "ended", "the turn has failed");
      job.turn.fail(codeyTurnError(error.message, error.fatal));
      if (!error.fatal) this.#ping(barrier);
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

  /** Without this, an unreadable end of a turn, or an unreadable question about a call, would leave the turn waiting without end. */
  #onInvalid({ claims, undecided, agentId, problem }: Invalid, raw: string): void {
    const job = this.#running;
    const isOfTurn = agentId !== undefined && job && isRootAgent(job.state, agentId);
    if (claims === "Error" || (claims === "Finished" && isOfTurn)) job?.turn.stopWith(unreadable(problem));
    if (undecided !== undefined) this.#denyUnreadable(agentId ?? 0, undecided, raw);
    const handled = this.#handled;
    if (!handled) return;
    // The handler of a message threw half-way: give up the turn.
    this.#handled = undefined;
    if (this.#running === handled) handled.turn.stopWith(unreadable(problem));
    else handled.turn.fail(unreadable(problem)); // the turn was just ending
    if (this.#stopping?.job === handled) this.#ping(this.#stopping);
    this.pump();
  }

  #ask(job: Job, asked: WireCall): void {
    const { id, name, input, raw } = asked.call;
    const { turn, open, state } = job;
    const decided = (ruling: Ruling): void => this.#decided(job, asked, ruling);
    const agent = isRootAgent(state, asked.agentId) ? {} : { agent: `agent ${asked.agentId}` };
    const call = { id, name, input, turnId: turn.id, raw, ...agent };
    const withdraw = this.#gate.ask(call, { turn, isHandled: false, decided });
    if (asked.ruling === undefined) open.set(id, withdraw); // a rule may have decided the call at once
  }

  #decided(job: Job, asked: WireCall, ruling: Ruling): void {
    job.open.delete(asked.call.id);
    if (this.#running !== job || asked.call.state !== "awaiting") return; // the request was withdrawn: send nothing
    asked.ruling = ruling;
    this.#sendDecisions(job, asked);
  }

  /** Sends the decisions that are ready. A `ToolDecision` has only the id, so it answers the oldest open question of that id. */
  #sendDecisions(job: Job, sameId: WireCall): void {
    const { calls } = job.state;
    for (let ruled = calls.nextRuled(sameId); ruled?.ruling; ruled = calls.nextRuled(sameId)) {
      const { approved, ...step } = decide(job.state, ruled, ruled.ruling);
      this.#setup.wire.send(encode.toolDecision(ruled.callId, approved));
      this.#tell(job, step, 0);
    }
  }

  /** Denies a call whose question is unreadable except for its ids. */
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

  /** Ends the open requests and calls of a turn. */
  #leave(job: Job, by: DecidedBy, reason: string): void {
    for (const withdraw of job.open.values()) withdraw(by, reason);
    job.turn.tools.abandon();
  }

  get #gate(): Gate {
    const { core, settings } = this.#setup;
    this.gate ??= new GATE_CODE.module.Gate(core, settings.approval, CODEY_SUBJECTS);
    return this.gate;
  }

  get #running(): Job | undefined {
    return this.#floor.name === "running" ? this.#floor.job : undefined;
  }

  get #stopping(): Barrier | undefined {
    return this.#floor.name === "stopping" ? this.#floor.barrier : undefined;
  }

  /** Raises the barrier: no prompt is sent until the `Pong`. */
  #raise(job: Job): Barrier {
    const barrier = new Barrier(this.#setup, job);
    this.#floor = { name: "stopping", barrier };
    return barrier;
  }

  #ping(barrier: Barrier): void {
    barrier.ping(() => {
      if (this.#stopping !== barrier) return; // the second `Pong`, if two pings were sent
      if (!barrier.job.usage) this.#setup.wire.count(undefined);
      this.#clear();
      this.pump();
    });
  }

  /** Frees the floor. A turn that was being stopped has stopped. Returns the running turn, if there was one. */
  #clear(): Job | undefined {
    const floor = this.#floor;
    this.#floor = FREE;
    if (floor.name === "stopping") floor.barrier.job.turn.stopped();
    return floor.name === "running" ? floor.job : undefined;
  }
}
