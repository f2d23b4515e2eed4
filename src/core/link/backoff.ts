// The options of a reconnect (`ReconnectOptions`), and the decision whether and when to dial again.
import { type AgentwireError, type AnyAgentwireError, asAny, isAgentwireError } from "../errors.ts";
import { isBusy } from "./connection-errors.ts";

/** How to reconnect after the connection was lost. Every field has a default. */
export interface ReconnectOptions {
  /**
   * Attempts in a row before the client gives up. After a lost connection, giving up closes the client for good. The
   * client also gives up after eight upgrades in a row that were refused with HTTP 4xx, other than 408 and 429. Each
   * protocol has its own default.
   */
  readonly maxAttempts?: number;
  /** The maximum of the first random wait in ms. Doubles for each further wait. @default 500 */
  readonly minDelay?: number;
  /** The longest wait in ms. @default 30_000 */
  readonly maxDelay?: number;
  /** Decides on another attempt, counted from 1. Called only if a retry may succeed. */
  readonly shouldReconnect?: (error: AnyAgentwireError, attempt: number) => boolean;
}

export type ReconnectPolicy = Required<Omit<ReconnectOptions, "shouldReconnect">> &
  Pick<ReconnectOptions, "shouldReconnect">;

/** A wait before the next attempt. */
export interface Backoff {
  /** Counts from 1. Restarts at 1 after a stable connection. */
  readonly attempt: number;
  /** ms until the attempt. It starts earlier if the browser wakes up or a call needs the connection. */
  readonly delay: number;
  /** Why the connection or the last attempt ended. */
  readonly error: AnyAgentwireError;
}

/**
 * The limit of consecutive upgrades refused with HTTP 4xx: a wrong URL, or a proxy whose server is being replaced. With
 * the default waits, eight attempts take about half a minute.
 */
const MAX_REFUSED_UPGRADES = 8;

/** The limit of failed handshakes before a success: enough to release or replace an old session id. */
const MAX_FIRST_HANDSHAKES = 6;

/** The limit of unanswered handshakes before a success. Such a server probably speaks another protocol. */
const MAX_FIRST_SILENCES = 2;

/** The first maximum in ms if `minDelay` is 0, so that attempts do not loop without a pause. */
const MIN_CEILING = 1;

/** ms between two hurried attempts, so that prompts in a loop do not flood a server that is down. */
const HURRIED_GAP = 500;

/** Limits the doublings, because more would make the maximum infinite. */
const MAX_DOUBLINGS = 31;

/** The wait in ms after this number of failures. Full jitter spreads the clients over time. */
export function jittered(random: number, min: number, max: number, failures: number): number {
  return random * Math.min(max, min * 2 ** Math.min(failures, MAX_DOUBLINGS));
}

/** Counts failures, and decides whether and when another attempt follows. */
export class AttemptCount {
  readonly #policy: ReconnectPolicy | undefined;
  readonly #host: { listenerThrew(error: unknown, name: string): void };
  /** Failures since the connection was last stable. */
  #failed = 0;
  #refusedInARow = 0;
  #wasReady = false;
  /** The planned start of the last hurried attempt. */
  #hurriedTo = Number.NEGATIVE_INFINITY;

  constructor(
    policy: ReconnectPolicy | undefined,
    host: { listenerThrew(error: unknown, name: string): void },
  ) {
    this.#policy = policy;
    this.#host = host;
  }

  get wasReady(): boolean {
    return this.#wasReady;
  }

  ready(): void {
    this.#wasReady = true;
    this.#refusedInARow = 0;
  }

  /** Resets the failures, so that the next wait is short again. */
  forgive(): void {
    this.#failed = 0;
  }

  /** Counts a failure. Returns whether another attempt follows. `shouldReconnect` decides last. */
  failedWith(error: AgentwireError): boolean {
    const policy = this.#policy;
    const attempt = this.#failed + 1;
    this.#refusedInARow = isWrongUrl(error) ? this.#refusedInARow + 1 : 0;
    if (!policy || !error.retryable || attempt > policy.maxAttempts) return false;
    if (!this.#wasReady && !mayRetryFirst(error, attempt)) return false;
    if (this.#refusedInARow >= MAX_REFUSED_UPGRADES) return false;
    try {
      const verdict: unknown = policy.shouldReconnect?.(asAny(error), attempt) ?? true;
      if (typeof verdict === "boolean") return verdict;
      if (verdict instanceof Promise) verdict.catch(() => {}); // the TypeError below reports it instead
      throw new TypeError("it must return true or false, at once");
    } catch (thrown) {
      this.#host.listenerThrew(thrown, "shouldReconnect");
      return true; // the default
    }
  }

  next(random: number): { readonly attempt: number; readonly delay: number } {
    const { minDelay = 0, maxDelay = 0 } = this.#policy ?? {};
    const delay = jittered(random, Math.max(minDelay, MIN_CEILING), maxDelay, this.#failed);
    return { attempt: ++this.#failed, delay };
  }

  /**
   * Moves the attempt planned for `due`, because a call needs the connection `now`.
   * @returns the new start: now, or `HURRIED_GAP` after the last hurried attempt, but never after `due`.
   */
  hurry(now: number, due: number): number {
    const sooner = Math.max(now, this.#hurriedTo + HURRIED_GAP);
    if (sooner >= due) return due;
    this.#hurriedTo = sooner;
    return sooner;
  }
}

/** Before the first success: a failed handshake is retried, an unreachable server is reported. */
function mayRetryFirst(error: AgentwireError, attempt: number): boolean {
  if (!isAgentwireError(error, "handshake-refused")) return false;
  if (error.reason === "initializing") return true; // the server is still starting
  return attempt < (error.reason === "timeout" ? MAX_FIRST_SILENCES : MAX_FIRST_HANDSHAKES);
}

function isWrongUrl(error: AgentwireError): boolean {
  if (!isAgentwireError(error, "connect-failed") || error.status === undefined) return false;
  return error.status >= 400 && !isBusy(error.status);
}
