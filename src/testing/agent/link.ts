// The life of the mock agent's pretended connection.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { ClientStatus } from "../../core/values.ts";
import { closed, connectFailed } from "./errors.ts";
import type { Settings } from "./options.ts";
import type { Tells } from "./tells.ts";
import { after } from "./tick.ts";

/** A caller that waits for the connection. */
interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** A run of attempts to connect. */
interface Run {
  /** Failed attempts since the link was lost; `undefined` for a first connection. */
  failed: number | undefined;
  readonly waiters: Set<Waiter>;
}

type State =
  | { readonly name: "idle" }
  | { readonly name: "connecting" | "handshaking"; readonly run: Run; readonly stop: CancelTimer }
  | { readonly name: "ready" }
  | { readonly name: "reconnecting"; readonly run: Run; readonly stop: CancelTimer }
  | { readonly name: "draining" }
  | { readonly name: "closed"; readonly cause: AnyAgentwireError | undefined };

/** The client of a link. */
export interface LinkHost {
  readonly tells: Tells;
  /** Its timers are inputs. */
  readonly clock: Clock;
  readonly settings: Settings;
  /** An attempt to connect begins. */
  tried(): void;
  /** Why the backend lets nobody in; `undefined` if it does. Counts the refusal. */
  refuse(): string | undefined;
  tellStatus(status: ClientStatus): void;
  tellReconnecting(attempt: number, delay: number, error: AnyAgentwireError): void;
  tellReconnected(): void;
  /** Prompts can be sent. */
  ready(): void;
  /** Nobody can be reached, for now or for ever: fails what waits. */
  unavailable(error: AnyAgentwireError): void;
}

/**
 * The life of a connection that has no wire.
 *
 *     idle ──connect()──▶ connecting ──▶ handshaking ──▶ ready ──lose()──▶ reconnecting ──▶ connecting ──▶ ...
 *       ▲────refused──────────┘                            │                    └──given up──▶ closed
 *                                                          └──close()──▶ draining ──▶ closed
 */
export class Link {
  readonly #host: LinkHost;
  #state: State = { name: "idle" };
  /** Those who wait for the next connection, however long it takes. */
  readonly #patient = new Set<() => void>();

  constructor(host: LinkHost) {
    this.#host = host;
  }

  get status(): ClientStatus {
    return this.#state.name;
  }

  get isReady(): boolean {
    return this.#state.name === "ready";
  }

  /** Why the client gave up. */
  get cause(): AnyAgentwireError | undefined {
    return this.#state.name === "closed" ? this.#state.cause : undefined;
  }

  /** Connects, or waits for the run of attempts under way. */
  connect(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(aborted(signal));
    const state = this.#state;
    switch (state.name) {
      case "ready":
        return Promise.resolve();
      case "idle": {
        const run: Run = { failed: undefined, waiters: new Set() };
        const wait = waitIn(run, signal);
        this.#attempt(run);
        return wait;
      }
      case "connecting":
      case "handshaking":
        return waitIn(state.run, signal);
      case "reconnecting": {
        const wait = waitIn(state.run, signal);
        this.hurry();
        return wait;
      }
      case "draining":
        return Promise.reject(closed("not-sent"));
      case "closed":
        return Promise.reject(closed("not-sent", state.cause));
      default:
        return state satisfies never;
    }
  }

  /** A call needs the connection: ends the wait for the next attempt. */
  hurry(): void {
    const state = this.#state;
    if (state.name !== "reconnecting") return;
    state.stop();
    this.#attempt(state.run);
  }

  /** Resolves at the next connection, or never. */
  back(): Promise<void> {
    if (this.isReady) return Promise.resolve();
    return new Promise((resolve) => this.#patient.add(resolve));
  }

  /** The link of a ready client is lost. */
  lose(error: AnyAgentwireError, forGood: boolean): void {
    this.#retry({ failed: 0, waiters: new Set() }, error, forGood);
  }

  drain(): void {
    if (this.#state.name === "ready") this.#go({ name: "draining" });
  }

  close(cause?: AnyAgentwireError): void {
    const state = this.#state;
    if (state.name === "closed") return;
    if ("run" in state) {
      state.stop();
      settle(state.run, ({ reject }) => reject(closed("not-sent", cause)));
    }
    this.#patient.clear();
    this.#go({ name: "closed", cause });
  }

  #attempt(run: Run): void {
    const { settings } = this.#host;
    this.#host.tried();
    const greet = (): void => {
      const reason = this.#host.refuse();
      if (reason !== undefined) this.#refused(run, connectFailed(reason));
      else this.#go({ name: "handshaking", run, stop: this.#after(0, () => this.#arrived(run)) });
    };
    this.#go({ name: "connecting", run, stop: this.#after(settings.connectDelay, greet) });
  }

  #arrived(run: Run): void {
    this.#go({ name: "ready" });
    if (run.failed !== undefined) this.#host.tellReconnected();
    settle(run, ({ resolve }) => resolve());
    for (const resolve of this.#patient) resolve();
    this.#patient.clear();
    this.#host.ready();
  }

  #refused(run: Run, error: AnyAgentwireError): void {
    if (run.failed !== undefined) {
      this.#retry(run, error, false);
      return;
    }
    this.#go({ name: "idle" });
    settle(run, ({ reject }) => reject(error));
    this.#host.unavailable(error);
  }

  #retry(run: Run, error: AnyAgentwireError, forGood: boolean): void {
    const { reconnect } = this.#host.settings;
    const attempt = (run.failed ?? 0) + 1;
    if (forGood || !reconnect || attempt > reconnect.maxAttempts) {
      settle(run, ({ reject }) => reject(closed("not-sent", error)));
      this.#patient.clear();
      this.#go({ name: "closed", cause: error });
      this.#host.unavailable(error);
      return;
    }
    run.failed = attempt;
    const { delay } = reconnect;
    this.#go({ name: "reconnecting", run, stop: this.#after(delay, () => this.#attempt(run)) });
    this.#host.tellReconnecting(attempt, delay, error);
  }

  #after(ms: number, then: () => void): CancelTimer {
    const { clock, tells } = this.#host;
    return after(clock, ms, () => tells.run(then));
  }

  #go(state: State): void {
    this.#state = state;
    this.#host.tellStatus(state.name);
  }
}

function waitIn(run: Run, signal: AbortSignal | undefined): Promise<void> {
  const wait = new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      run.waiters.delete(waiter);
      if (signal) reject(aborted(signal));
    };
    const waiter: Waiter = {
      resolve: () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
      reject: (error) => {
        signal?.removeEventListener("abort", onAbort);
        reject(error);
      },
    };
    run.waiters.add(waiter);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
  wait.catch(() => {}); // a turn that waits, too, reports the failure
  return wait;
}

function settle(run: Run, end: (waiter: Waiter) => void): void {
  for (const waiter of run.waiters) end(waiter);
  run.waiters.clear();
}

function aborted(signal: AbortSignal): AnyAgentwireError {
  return connectFailed("the wait for the connection was aborted", signal.reason);
}
