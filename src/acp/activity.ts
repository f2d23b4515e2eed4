// What an agent says and asks during one turn: its calls, its open requests, its mode.
import type { CancelTimer } from "../core/clock.ts";
import type { Withdraw } from "../core/gate/gate.ts";
import type { Ruling } from "../core/values.ts";
import type { AcpCore } from "./acp-core.ts";
import { type AcpCalls, type CallStep, decideTracked, type TrackedCall } from "./calls.ts";
import { AcpTurnError } from "./errors.ts";
import type { OpenSession } from "./links.ts";
import type { CallPatch, Update } from "./messages.ts";
import { setMode } from "./modes.ts";
import type { SessionTurn } from "./session.ts";
import { type AcpTurn, type AcpTurnState, callEvent, stepAcpTurn } from "./turn.ts";

/** ms in which an agent may still ask for permission after it has said that a call runs. */
const HOLD = 250;

/** How often the mode is set back in one turn. Then the turn ends. */
const MAX_SET_BACK = 3;

interface ActivitySetup {
  readonly core: AcpCore;
  readonly turn: AcpTurn;
  readonly state: AcpTurnState;
  readonly open: OpenSession;
}

export class TurnActivity implements SessionTurn {
  readonly turn: AcpTurn;
  readonly #setup: ActivitySetup;
  /** Open requests of the agent, by their ids. */
  readonly #asks = new Map<string, Withdraw>();
  /** Calls whose start is held, with their timers. */
  readonly #held = new Map<TrackedCall, CancelTimer>();
  #setBack = 0;
  #isStopped = false;

  constructor(setup: ActivitySetup) {
    this.#setup = setup;
    this.turn = setup.turn;
  }

  get calls(): AcpCalls {
    return this.#setup.state.calls;
  }

  get isAsking(): boolean {
    return !this.#isStopped && this.turn.open;
  }

  take(update: Update): void {
    const { core, state } = this.#setup;
    const step = stepAcpTurn(state, update);
    if (update.type === "unknown")
      core.warn("unknown-update", "the agent sent an update of an unknown type", { turnId: this.turn.id });
    if (step.event) this.turn.push(step.event, 0);
    if (step.call) this.#called(step.call);
  }

  alive(): void {
    if (this.turn.open) this.turn.active();
  }

  asked(patch: CallPatch): TrackedCall {
    const { tracked, replaced } = this.calls.ask(patch);
    this.#drop(tracked);
    this.#setup.state.isEmpty = false;
    if (replaced) this.turn.tools.set(replaced.call);
    this.turn.push(callEvent({ tracked }), 0);
    this.turn.tools.set(tracked.call);
    return tracked;
  }

  decided(tracked: TrackedCall, ruling: Ruling): void {
    decideTracked(tracked, ruling);
    this.turn.tools.set(tracked.call);
  }

  opened(id: string, withdraw: Withdraw): void {
    this.#asks.set(id, withdraw);
  }

  closed(id: string): void {
    this.#asks.delete(id);
  }

  modeChanged(): void {
    const { core, open } = this.#setup;
    const { link, session } = open;
    const { wantedMode: mode } = session;
    if (mode === undefined || !this.isAsking) return;
    const serverMessage = `the agent has changed its mode to \`${session.state.modes?.current}\` by itself`;
    core.warn("mode-changed", `${serverMessage}; it is set back to \`${mode}\``, { turnId: this.turn.id });
    const refuse = (): void => {
      const advice = "the turn was ended; set `mode: false` to let the agent choose";
      const about = { origin: "client", kind: "mode_changed", serverMessage, advice };
      core.outbox.run(() => this.turn.stopWith(new AcpTurnError(about, { stderr: link.stderr })));
    };
    if (++this.#setBack > MAX_SET_BACK) refuse();
    else setMode(core, link, session, mode).catch(refuse);
  }

  /** The turn is being stopped: answers what the agent waits for. */
  stopped(): void {
    this.#isStopped = true;
    this.#withdraw("cancelled", "its turn is over");
  }

  /** The turn is over: ends its open requests and calls. */
  end(by: "ended" | "disconnected", reason: string): void {
    for (const cancel of this.#held.values()) cancel();
    this.#held.clear();
    this.#withdraw(by, reason);
    this.turn.tools.abandon();
  }

  #called(step: CallStep): void {
    const { tracked, delta, isChanged, isHeld } = step;
    this.#drop(tracked);
    if (isHeld) {
      const release = (): void => {
        const released = this.calls.release(tracked);
        if (released.isChanged) this.#called(released);
      };
      this.#held.set(tracked, this.#setup.core.clock.setTimeout(release, HOLD));
    }
    if (isChanged) this.#show(tracked);
    if (delta !== "") this.turn.push({ type: "tool_output", callId: tracked.call.id, delta }, 0);
  }

  /** No longer waits for a permission request about the call. */
  #drop(tracked: TrackedCall): void {
    this.#held.get(tracked)?.();
    this.#held.delete(tracked);
  }

  /** After a stop, the end of a call is not known to be the end of what it did. */
  #show({ call }: TrackedCall): void {
    const isUnsure = this.#isStopped && (call.state === "done" || call.state === "failed");
    this.turn.tools.set(isUnsure ? { ...call, state: "abandoned" } : call);
  }

  #withdraw(by: "cancelled" | "ended" | "disconnected", reason: string): void {
    for (const withdraw of [...this.#asks.values()]) withdraw(by, reason);
    this.#asks.clear();
  }
}
