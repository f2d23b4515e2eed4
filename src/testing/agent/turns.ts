// The turns of one mock client, waiting and running.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { PromptImage } from "../../core/turn/prompt-input.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import type { Backend } from "./backend.ts";
import type { MockConversation } from "./conversation.ts";
import { again, closed, lost } from "./errors.ts";
import type { MockAgentEvent } from "./events.ts";
import type { Link } from "./link.ts";
import { Player } from "./player.ts";
import type { Requests } from "./requests.ts";
import { type MockLoss, stepsFor } from "./script.ts";
import type { Tells } from "./tells.ts";
import { MockTurn } from "./turn.ts";
import type { Stopper, TurnHost } from "./turn-parts.ts";

/** A turn, from the call to its end. */
interface Job {
  readonly turn: MockTurn;
  readonly text: string;
  readonly images: readonly PromptImage[];
  readonly conversation: MockConversation | undefined;
}

/** The client of the turns. */
export interface TurnsHost {
  readonly client: object;
  readonly tells: Tells;
  /** Its timers are inputs. */
  readonly clock: Clock;
  readonly threw: (error: unknown, name: string) => void;
  tellTurn(turn: MockTurn): void;
  tellEvent(event: MockAgentEvent, turn: MockTurn, stands: () => boolean): void;
  tellDisconnected(error: AnyAgentwireError): void;
  /** The backend has forgotten all conversations. */
  forget(error: AnyAgentwireError): void;
  /** A turn has settled, and none runs any more. */
  idle(): void;
}

/** The parts of a client that its turns use. */
export interface TurnsParts {
  readonly backend: Backend;
  readonly link: Link;
  readonly requests: Requests;
}

/** The turns of one client: those that wait to be sent, and those that run. */
export class Turns implements TurnHost<MockTurn> {
  readonly #host: TurnsHost;
  readonly #parts: TurnsParts;
  readonly #waiting = new Map<MockTurn, Job>();
  readonly #running = new Map<MockTurn, Job>();
  /** Scripts also go on behind a cancel that the backend does not hear of. */
  readonly #players = new Map<MockTurn, Player>();
  /** The timers of the turns that are being stopped. */
  readonly #stopping = new Map<MockTurn, CancelTimer>();
  /** Whether the backend forgot everything with the last loss. */
  hasForgotten = false;
  /** During a loss nothing is sent. */
  #isLosing = false;

  constructor(host: TurnsHost, parts: TurnsParts) {
    this.#host = host;
    this.#parts = parts;
  }

  get client(): object {
    return this.#host.client;
  }

  get tells(): Tells {
    return this.#host.tells;
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  get threw(): (error: unknown, name: string) => void {
    return this.#host.threw;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  tellEvent(event: MockAgentEvent, turn: MockTurn, stands: () => boolean): void {
    this.#host.tellEvent(event, turn, stands);
  }

  /** Makes a turn, and sends it as soon as the link and the earlier turns allow. */
  make(input: unknown, options: TurnOptions, job: Omit<Job, "turn">): MockTurn {
    const { backend, link } = this.#parts;
    const { idleTimeout = backend.settings.idleTimeout } = options;
    const { conversation } = job;
    const id = backend.newId("turn");
    const turn = new MockTurn({ id, input, host: this, options, idleTimeout, conversation });
    this.#waiting.set(turn, { ...job, turn });
    this.#host.tellTurn(turn);
    turn.begin();
    this.pump();
    if (turn.open) void link.connect();
    return turn;
  }

  /** Sends what can be sent. */
  pump(): void {
    const { link, backend } = this.#parts;
    if (!link.isReady || this.#isLosing) return;
    for (const job of this.#waiting.values()) {
      if (this.#running.size >= backend.settings.turnsAtOnce) return;
      if (job.conversation?.isBusy) continue;
      job.turn.begin(); // its signal may be aborted although the listener has not run yet
      if (job.turn.open) this.#send(job);
    }
  }

  #send(job: Job): void {
    const { backend, link, requests } = this.#parts;
    const { turn, text, images, conversation } = job;
    this.#waiting.delete(turn);
    this.#running.set(turn, job);
    if (conversation) conversation.isBusy = true;
    turn.sent();
    const prompt = backend.notePrompt({ text, images, turnId: turn.id });
    const messages = conversation?.messages ?? [];
    const player = new Player({
      turn,
      tells: this.tells,
      clock: backend.clock,
      get settings() {
        return backend.settings;
      },
      capabilities: backend.capabilities,
      requests,
      back: () => link.back(),
      lose: (loss) => this.lose(loss),
      gate: (name) => backend.gate(name),
      newId: (what) => backend.newId(what),
      remember: (answer) => conversation?.add(text, answer),
    });
    this.#players.set(turn, player);
    const { signal } = player;
    const { script } = backend;
    void player
      .play(() => stepsFor(script, { ...prompt, turn, messages, signal }))
      .finally(() => this.#players.delete(turn));
  }

  /** A turn is being stopped. */
  stop(turn: MockTurn, by: Stopper): void {
    const { backend, requests } = this.#parts;
    if (this.#waiting.delete(turn)) {
      turn.stopped();
      return;
    }
    const { answersAfterCancel, cancelDelay } = backend.settings;
    backend.noteCancel({ turnId: turn.id, by });
    requests.withdraw(turn, "cancelled", "the turn was stopped");
    if (!answersAfterCancel) this.#players.get(turn)?.stop();
    if (cancelDelay > 0)
      this.#stopping.set(
        turn,
        this.clock.setTimeout(() => turn.stopped(), cancelDelay),
      );
    else turn.stopped();
  }

  /** A turn has settled. */
  settled(turn: MockTurn): void {
    const { requests, backend } = this.#parts;
    const job = this.#running.get(turn);
    this.#waiting.delete(turn);
    if (!job) return;
    this.#running.delete(turn);
    this.#stopping.get(turn)?.();
    this.#stopping.delete(turn);
    if (job.conversation) job.conversation.isBusy = false;
    requests.withdraw(turn, "ended", "its turn is over");
    if (turn.status === "failed" || !backend.settings.answersAfterCancel) this.#players.get(turn)?.stop();
    this.pump();
    if (this.isIdle) this.#host.idle();
  }

  /** The link is lost. */
  lose(loss: MockLoss): void {
    const { link, requests, backend } = this.#parts;
    this.tells.run(() => {
      const isDraining = link.status === "draining";
      if (!link.isReady && !isDraining) return;
      const { message = "the link was cut", recovers = false, forgets = false, forGood = false } = loss;
      const { survivesReconnect } = backend.capabilities;
      const error = lost(message, forgets ? "context-lost" : "connection-lost");
      if (loss.back === false) backend.refuseAll();
      const comesBack = !isDraining && !forGood && backend.settings.reconnect !== false;
      const isFound = recovers && !forgets && comesBack;
      this.#isLosing = true;
      for (const { turn } of [...this.#running.values()]) {
        requests.withdraw(turn, "disconnected", "the link was lost");
        if (!turn.open) turn.stopped();
        else if (isFound) turn.recovering();
        else turn.failToo(error);
      }
      const forgotten = lost("the backend has forgotten the conversation", "context-lost", "not-sent");
      this.hasForgotten = forgets || !survivesReconnect;
      if (this.hasForgotten) {
        for (const { turn } of [...this.#waiting.values()]) turn.failToo(forgotten);
        this.#host.forget(forgotten);
      }
      this.#isLosing = false;
      if (isDraining) return; // without turns the client is closed by now
      this.#host.tellDisconnected(error);
      link.lose(again(error, "unknown"), forGood);
    });
  }

  /** Nobody can be reached: fails what waits, and what is looked for once the client has given up. */
  unavailable(error: AnyAgentwireError): void {
    for (const { turn } of [...this.#waiting.values()]) turn.failToo(error);
    if (this.#parts.link.status !== "closed") return;
    for (const { turn } of [...this.#running.values()]) turn.failToo(error);
  }

  /** The caller closes the client: hands back what was never sent. */
  giveBack(): void {
    for (const { turn } of [...this.#waiting.values()]) turn.fail(closed("not-sent"), true);
  }

  /** Ends everything. */
  end(): void {
    const { requests } = this.#parts;
    this.#isLosing = true;
    for (const { turn } of [...this.#running.values()]) {
      requests.withdraw(turn, "cancelled", "the client was closed");
      if (turn.open) turn.fail(closed("unknown"), true);
      else turn.stopped();
    }
    for (const player of this.#players.values()) player.stop();
  }
}
