// The queued and running turns of one mock client.
import type { CancelTimer } from "../../core/clock.ts";
import { type AgentwireError, ConnectionLostError, isAgentwireError } from "../../core/errors.ts";
import { closedInTurn } from "../../core/link/connection-errors.ts";
import type { ConversationMessage } from "../../core/turn/conversation.ts";
import type { LiveTurn } from "../../core/turn/live-turn.ts";
import { type PromptFile, readPromptFiles } from "../../core/turn/prompt-files.ts";
import type { PromptImage } from "../../core/turn/prompt-input.ts";
import { type Course, Runner } from "../../core/turn/runner.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import { type MockAgentEvent, type MockAgentResult, textOfEvent } from "./events.ts";
import type { LinkUser, Parts } from "./link.ts";
import { Player } from "./player.ts";
import { stepsFor } from "./script.ts";

/** The messages of a conversation that the backend remembers. */
export interface Remembered {
  readonly messages: readonly ConversationMessage[];
  /** How often the backend had lost its memory by then: see `MockTurns.age`. */
  readonly age: number;
}

export interface MockPrompt {
  readonly text: string;
  readonly images: readonly PromptImage[];
  /** The paths of its files. */
  readonly paths: readonly string[];
  readonly remembered: Remembered;
}

export interface MockJob {
  /** Set once they were read. */
  files: readonly PromptFile[];
  /** Ends the reading of the files. */
  readonly reading: AbortController;
  readonly turn: LiveTurn<MockAgentEvent, MockAgentResult>;
  readonly prompt: MockPrompt;
  readonly player: Player;
  cancelStop?: CancelTimer;
}

/** The turns of one client. A sent turn occupies one of `turnsAtOnce` slots until it settles. */
export class MockTurns implements Course<MockJob>, LinkUser {
  readonly runner: Runner<MockAgentEvent, MockAgentResult, MockJob>;
  readonly #parts: Parts;
  readonly #running = new Set<MockJob>();
  /** All playing scripts. With `answersAfterCancel`, a script outlives its turn. */
  readonly #players = new Set<Player>();
  /** How often the backend has lost its memory. */
  age = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.runner = new Runner(parts.core, this);
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Makes a turn without sending it.
   * @throws QueueFullError if the queue is full
   */
  create(input: unknown, prompt: MockPrompt, options: TurnOptions | undefined): MockJob {
    const { backend } = this.#parts;
    const { idleTimeout } = backend.settings;
    const id = backend.newId("turn");
    const bytes = prompt.text.length;
    const soFar = ({ player }: MockJob) => player.progress;
    return this.runner.make(
      { id, input, bytes, options, idleTimeout, textOf: textOfEvent, soFar },
      (turn) => ({
        turn,
        prompt,
        files: [],
        reading: new AbortController(),
        player: new Player(turn, this.#parts),
      }),
    );
  }

  /** Reads the files of a prompt, then sends or queues it. */
  start(job: MockJob): void {
    if (job.prompt.paths.length === 0) this.runner.start(job);
    else void this.#startWithFiles(job);
  }

  async #startWithFiles(job: MockJob): Promise<void> {
    const { backend, core } = this.#parts;
    try {
      job.files = await readPromptFiles(backend.files, job.prompt.paths, job.reading.signal);
      core.outbox.run(() => this.runner.start(job));
    } catch (error) {
      if (!isAgentwireError(error)) return; // the turn has settled
      core.outbox.run(() => job.turn.fail(error));
    }
  }

  pump(): void {
    const { backend, link } = this.#parts;
    while (link.isReady && this.#running.size < backend.settings.turnsAtOnce) {
      const job = this.runner.first;
      if (!job) return;
      this.runner.take(job);
      this.#running.add(job);
      this.#send(job);
    }
  }

  #send({ turn, prompt, player, files }: MockJob): void {
    const { backend } = this.#parts;
    const { script } = backend;
    const { text, images, remembered } = prompt;
    const noted = { n: backend.prompts.length + 1, text, images, files, turnId: turn.id };
    backend.note(backend.prompts, noted);
    turn.on("end", (end) => {
      if (end.status === "cancelled") backend.note(backend.cancels, { turnId: turn.id, by: end.by });
      else if (end.status === "failed" && end.error.code === "turn-timeout")
        backend.note(backend.cancels, { turnId: turn.id, by: "timeout" });
    });
    turn.sent();
    turn.active();
    this.#players.add(player);
    const { messages } = remembered;
    const { signal } = player;
    void player
      .play(() => stepsFor(script, { ...noted, turn, messages, signal }))
      .finally(() => this.#players.delete(player));
  }

  stop(job: MockJob, again: boolean): void {
    if (again) return;
    const { backend, core } = this.#parts;
    const { answersAfterCancel, cancelDelay } = backend.settings;
    job.player.withdraw("cancelled", "the turn was stopped");
    job.turn.tools.abandon();
    if (!answersAfterCancel) job.player.stop();
    if (cancelDelay === 0) job.turn.stopped();
    else job.cancelStop = core.clock.setTimeout(() => job.turn.stopped(), cancelDelay);
  }

  settled(job: MockJob): void {
    job.reading.abort();
    if (!this.#running.delete(job)) return;
    job.cancelStop?.();
    if (job.turn.status === "failed" || !this.#parts.backend.settings.answersAfterCancel) job.player.stop();
    this.pump(); // the slot is free
    if (!this.isBusy) this.#parts.core.connection.drained();
  }

  // --- called by the link ---

  lost(error: AgentwireError, isFound: boolean): void {
    for (const job of [...this.#running]) {
      job.player.withdraw("disconnected", "the link was lost");
      if (isFound && job.turn.open) job.turn.recovering();
      else this.#fail(job, error);
    }
  }

  forgotten(): void {
    this.age++;
    this.#parts.gate.newSession();
    for (const { turn } of this.runner.jobs) if (turn.status === "queued") turn.fail(forgotten());
  }

  unavailable(reason: AgentwireError): void {
    for (const job of [...this.#running]) {
      job.player.withdraw("cancelled", "the client was closed");
      this.#fail(job, reason);
    }
    for (const player of this.#players) player.stop();
    this.runner.unavailable(reason);
  }

  #fail({ turn }: MockJob, reason: AgentwireError): void {
    turn.tools.abandon();
    if (!turn.open) turn.stopped();
    else if (isAgentwireError(reason, "closed")) turn.abandon(closedInTurn());
    else turn.fail(lostInTurn(reason));
  }
}

/** The error of a turn that was sent: always the lost connection, even if the client has given up since. */
function lostInTurn(reason: AgentwireError): ConnectionLostError {
  const code = isAgentwireError(reason, "context-lost") ? reason.code : "connection-lost";
  return new ConnectionLostError(reason.message, { code, delivery: "unknown", cause: reason });
}

export function forgotten(): ConnectionLostError {
  const message = "the backend has forgotten the conversation";
  return new ConnectionLostError(message, { code: "context-lost", delivery: "not-sent" });
}
