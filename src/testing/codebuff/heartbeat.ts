// Closes connections that stay silent.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { CodebuffMockSettings } from "./options.ts";

type HeartbeatSettings = Exclude<CodebuffMockSettings["heartbeat"], false>;

/** A connection that the heartbeat watches. */
export interface Beating {
  expire(): void;
}

/**
 * The server's heartbeat. It checks at multiples of `sweep` since its start, so a connection ends between `timeout` and
 * `timeout + sweep` after its last sign of life.
 */
export class Heartbeat {
  readonly #settings: HeartbeatSettings;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #lastBeats = new Map<Beating, number>();
  #cancelTimer: CancelTimer | undefined;

  constructor(settings: HeartbeatSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#start = clock.now();
  }

  /** Starts watching a connection, or notes a processed sign of life. */
  beat(member: Beating): void {
    this.#lastBeats.set(member, this.#clock.now());
    this.#arm();
  }

  forget(member: Beating): void {
    this.#lastBeats.delete(member);
    // Without connections there is no timer, so that a test's clock becomes idle.
    if (this.#lastBeats.size === 0) this.#disarm();
  }

  #arm(): void {
    if (this.#cancelTimer) return;
    const { sweep } = this.#settings;
    const delay = sweep - ((this.#clock.now() - this.#start) % sweep);
    this.#cancelTimer = this.#clock.setTimeout(() => this.#sweep(), delay, { unref: true });
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #sweep(): void {
    this.#disarm();
    const now = this.#clock.now();
    for (const [member, lastBeat] of [...this.#lastBeats])
      if (now - lastBeat > this.#settings.timeout) member.expire();
    if (this.#lastBeats.size > 0) this.#arm();
  }
}
