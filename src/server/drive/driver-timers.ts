// The time limits of a driven chat: without work, of a turn, and of a request that nobody looks at.
import type { CancelTimer } from "../../core/clock.ts";
import type { RelaySettings } from "../options.ts";

type TimerSettings = Pick<RelaySettings, "clock" | "idleAfter" | "turnTimeout" | "unattendedTimeout">;

export interface DriverTimersHost {
  readonly settings: TimerSettings;
  onIdle(): void;
  onTurnTimeout(): void;
  onUnattended(): void;
}

type Name = "idle" | "turn" | "unattended";

export class DriverTimers {
  readonly #host: DriverTimersHost;
  readonly #running = new Map<Name, CancelTimer>();
  /** Whether a chat without work is given back at once. */
  #isShort = false;
  #isStopped = false;

  constructor(host: DriverTimersHost) {
    this.#host = host;
  }

  beShort(): void {
    this.#isShort = true;
    this.#stop("idle");
  }

  /** A look at an empty inbox does not begin the time anew. */
  idle(isIdle: boolean): void {
    const delay = this.#isShort ? 0 : this.#host.settings.idleAfter;
    this.#set("idle", isIdle, delay, () => this.#host.onIdle());
  }

  /** A turn has begun or ended. */
  turn(isRunning: boolean): void {
    const { turnTimeout } = this.#host.settings;
    this.#stop("turn");
    this.#set("turn", isRunning && turnTimeout > 0, turnTimeout, () => this.#host.onTurnTimeout());
  }

  unattended(isWaiting: boolean): void {
    const { unattendedTimeout } = this.#host.settings;
    this.#set("unattended", isWaiting && unattendedTimeout > 0, unattendedTimeout, () =>
      this.#host.onUnattended(),
    );
  }

  /** Somebody views the chat at another server: the time begins anew. */
  attended(): void {
    this.#stop("unattended");
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
  }

  #set(name: Name, isOn: boolean, delay: number, expire: () => void): void {
    if (!isOn) this.#stop(name);
    if (!isOn || this.#isStopped || this.#running.has(name)) return;
    const cancel = this.#host.settings.clock.setTimeout(() => {
      this.#running.delete(name);
      expire();
    }, delay);
    this.#running.set(name, cancel);
  }

  #stop(name: Name): void {
    this.#running.get(name)?.();
    this.#running.delete(name);
  }
}
