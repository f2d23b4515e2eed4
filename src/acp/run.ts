// The work on one turn: opens its session, sends the prompt, takes its updates, ends or stops it.

import { fieldsOf } from "../core/checks.ts";
import type { LocalWork } from "../core/client/local-turns.ts";
import type { CancelTimer } from "../core/clock.ts";
import { type AgentwireError, ClosedError, copyError, isAgentwireError } from "../core/errors.ts";
import { readPromptFiles } from "../core/turn/prompt-files.ts";
import type { AcpCore } from "./acp-core.ts";
import { TurnActivity } from "./activity.ts";
import { AgentRefusal, asAcpError, turnError } from "./errors.ts";
import { type AcpPrompt, lackedBy, withFileBlocks } from "./input.ts";
import type { AcpSessionRef, Links, OpenSession } from "./links.ts";
import type { Pauses } from "./pauses.ts";
import { type AcpTurn, type AcpTurnState, acpResultOf } from "./turn.ts";

export interface AcpJob {
  readonly turn: AcpTurn;
  readonly prompt: AcpPrompt;
  readonly state: AcpTurnState;
  readonly ref: AcpSessionRef;
  /** Whether no other prompt continues the session. */
  readonly isOneOff: boolean;
  /** What the agent said as the end of the turn after it was stopped. */
  endedBy: unknown;
}

interface RunSetup {
  readonly core: AcpCore;
  readonly links: Links;
  readonly job: AcpJob;
  /** The turns of a link that wait for a slow reader. */
  readonly pauses: Pauses;
  readonly over: () => void;
}

/** ms for the agent to confirm a cancel when the client closes. */
const CLOSE_GRACE = 2_000;

interface Working extends OpenSession {
  readonly activity: TurnActivity;
}

type State =
  | { readonly name: "preparing" }
  | ({ readonly name: "prompting" } & Working)
  /** The cancel was sent. `limit` ends the link. */
  | ({ readonly name: "stopping"; readonly limit: CancelTimer } & Working)
  | { readonly name: "over" };

/**
 * The work on one turn.
 *
 *     preparing (the lock, the files, the agent, the session, the mode) ──▶ prompting ──answer──▶ over
 *         │                                                          ├── a cancel, a limit ──▶ stopping ──answer──▶ over
 *         └── an error, a cancel ──▶ over                            └── the link ends ────────┴── cancelTimeout: kill ──▶ over
 */
export class AcpRun implements LocalWork {
  readonly turn: AcpTurn;
  readonly #setup: RunSetup;
  #state: State = { name: "preparing" };
  #unwatch: () => void = () => {};
  /** Ends the reading of the prompt's files. */
  readonly #reading = new AbortController();
  /** Whether this run holds the session's lock. */
  #isLocked = false;

  constructor(setup: RunSetup) {
    this.#setup = setup;
    this.turn = setup.job.turn;
  }

  begin(): void {
    void this.#prepare();
  }

  // --- the start ---

  async #prepare(): Promise<void> {
    const { core, links, job } = this.#setup;
    try {
      await job.ref.lock.take();
      if (this.#isOver) {
        job.ref.lock.release();
        return;
      }
      this.#isLocked = true;
      const { files, maxSendBytes } = core.settings;
      const read = await readPromptFiles(files, job.prompt.files, this.#reading.signal);
      const open = await links.open(job.ref);
      const prompt = withFileBlocks(job.prompt, read, open.link.agent, maxSendBytes);
      core.outbox.run(() => this.#begin(open, prompt));
    } catch (error) {
      core.outbox.run(() => {
        this.turn.fail(asAcpError(error, core.clean));
        this.#end();
      });
    }
  }

  #begin(open: OpenSession, prompt: AcpPrompt): void {
    const { core, links, job } = this.#setup;
    const { link, session } = open;
    if (this.#isOver || !this.turn.open) {
      if (job.isOneOff) links.forget(job.ref);
      this.#end();
      return;
    }
    const lacked = link.agent && lackedBy(prompt, link.agent);
    if (lacked !== undefined) {
      if (job.isOneOff) links.forget(job.ref);
      this.turn.fail(lacked);
      this.#end();
      return;
    }
    const activity = new TurnActivity({ core, turn: this.turn, state: job.state, open });
    this.#state = { name: "prompting", ...open, activity };
    session.running = activity;
    session.lastTurn = this.turn;
    this.resume(); // another turn may have paused the agent
    session.usage.began();
    this.#unwatch = links.watch((lost, error) => {
      if (lost === link) this.#lost(error);
    });
    // The session as it is now, for listeners that have just learnt of the turn.
    this.turn.sent();
    this.turn.active();
    const params = { sessionId: session.id, prompt: prompt.blocks };
    link.request("session/prompt", params, 0).then(
      (answer) => core.outbox.run(() => this.#answered(answer)),
      (error: unknown) => core.outbox.run(() => this.#refused(error)),
    );
  }

  // --- the turn's side ---

  stop(again: boolean): void {
    const state = this.#state;
    switch (state.name) {
      case "preparing":
        this.turn.stopped();
        this.#end();
        return;
      case "prompting":
        this.#cancel(state, this.#setup.core.settings.cancelTimeout);
        return;
      case "stopping":
        if (again && state.link.sessions.size <= 1) state.link.kill();
        return;
      case "over":
        this.turn.stopped();
        return;
      default:
        state satisfies never;
    }
  }

  close(force: boolean): void {
    const message = "the client was closed while the agent worked; it was told to stop";
    const state = this.#state;
    if ("activity" in state) state.activity.end("ended", "the client was closed");
    this.turn.abandon(new ClosedError(message, { delivery: "unknown" }));
    if (state.name === "preparing") this.#end();
    else if (state.name !== "over") this.#cancel(state, CLOSE_GRACE);
    if (force && (state.name === "prompting" || state.name === "stopping")) state.link.kill();
  }

  pause(): void {
    if ("link" in this.#state) this.#setup.pauses.set(this, this.#state.link, true);
  }

  resume(): void {
    if ("link" in this.#state) this.#setup.pauses.set(this, this.#state.link, false);
  }

  /** Tells the agent to stop, then answers what it waits for: before, its model could go on. */
  #cancel({ link, session, activity }: Working, time: number): void {
    const { clock } = this.#setup.core;
    const late = (): void => link.kill();
    const last = this.#state;
    if (last.name === "stopping") last.limit();
    const limit = time > 0 ? clock.setTimeout(late, time) : () => {};
    this.#state = { name: "stopping", link, session, activity, limit };
    this.resume();
    if (last.name === "prompting") link.notify("session/cancel", { sessionId: session.id });
    activity.stopped();
  }

  // --- the end ---

  #answered(answer: unknown): void {
    const { core, job } = this.#setup;
    const state = this.#state;
    if (!("session" in state)) return;
    const { session } = state;
    const { stopReason } = fieldsOf(answer);
    job.state.isEmpty &&= this.turn.toolCalls.length === 0; // files and commands are calls, too
    const usage = session.usage.ofTurn(answer, job.state.tokens);
    const cost = session.usage.costOfTurn();
    if (state.name === "stopping") {
      job.endedBy = answer;
      this.#settle(() => this.turn.stopped());
      return;
    }
    const reason = typeof stopReason === "string" ? stopReason : "end_turn";
    if (!STOP_REASONS.has(reason))
      core.warn("unknown-stop-reason", `the agent ended the turn for an unknown reason: ${reason}`, {
        turnId: this.turn.id,
      });
    if (job.state.isEmpty && reason === "end_turn") {
      const message = "the agent said nothing: its model may have failed";
      const { stderr } = state.link;
      core.warn(
        "empty-turn",
        stderr === "" ? message : `${message}; the end of its error output: ${stderr.slice(-500)}`,
        {
          turnId: this.turn.id,
        },
      );
    }
    this.#settle(() =>
      this.turn.complete(
        acpResultOf(job.state, this.turn, { sessionId: session.id, stopReason: reason, usage, cost }),
      ),
    );
  }

  #refused(error: unknown): void {
    const { core } = this.#setup;
    const state = this.#state;
    if (!("link" in state)) return;
    const { link } = state;
    if (state.name === "stopping") {
      this.#settle(() => this.turn.stopped());
      return;
    }
    const failure =
      error instanceof AgentRefusal
        ? turnError(error, { stderr: link.stderr, clean: core.clean })
        : asAcpError(isAgentwireError(error) ? copyError(error) : error, core.clean);
    this.#settle(() => this.turn.fail(failure));
  }

  #lost(error: AgentwireError): void {
    if (!("link" in this.#state)) return;
    const isStopping = this.#state.name === "stopping";
    this.#settle(() => (isStopping ? this.turn.stopped() : this.turn.fail(copyError(error))), "disconnected");
  }

  #settle(settle: () => void, by: "ended" | "disconnected" = "ended"): void {
    const reason = by === "ended" ? "its turn is over" : "the agent has ended";
    if ("activity" in this.#state) this.#state.activity.end(by, reason);
    settle();
    this.#end();
  }

  get #isOver(): boolean {
    return this.#state.name === "over";
  }

  #end(): void {
    const { job, links, pauses, over } = this.#setup;
    const state = this.#state;
    if (state.name === "over") return;
    this.#state = { name: "over" };
    this.#reading.abort();
    if ("limit" in state) state.limit();
    if ("activity" in state && state.session.running === state.activity) state.session.running = undefined;
    this.#unwatch();
    pauses.delete(this);
    if (job.isOneOff && "session" in state) links.forget(job.ref);
    if (this.#isLocked) job.ref.lock.release();
    over();
  }
}

const STOP_REASONS: ReadonlySet<string> = new Set([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);
