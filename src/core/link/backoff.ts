// The options of a reconnect (`ReconnectOptions`), and whether and when to dial again.
import { type AgentwireError, type AnyAgentwireError, asAny, isAgentwireError } from "../errors.ts";
import { isBusy } from "./connection-errors.ts";

/** How to reconnect after a connection ended. Every field has a default. */
export interface ReconnectOptions {
  /** Attempts in a row before the client gives up. After a loss it then closes for good. The default is the protocol's. */
  readonly maxAttempts?: number;
  /** ms. The first wait is random, from 0 to this value. The maximum doubles for each further wait. @default 500 */
  readonly minDelay?: number;
  /** ms; the longest wait. @default 30_000 */
  readonly maxDelay?: number;
  /** The final decision on another attempt; `attempt` counts from 1. Called only if a retry makes sense. */
  readonly shouldReconnect?: (error: AnyAgentwireError, attempt: number) => boolean;
}

export type ReconnectPolicy = Required<Omit<ReconnectOptions, "shouldReconnect">> &
  Pick<ReconnectOptions, "shouldReconnect">;

/** A wait before the next attempt. */
export interface Backoff {
  /** Counts from 1; starts again at 1 after a stable connection. */
  readonly attempt: number;
  /** ms until the attempt. The attempt starts earlier when the browser comes back online, or when a call needs the connection. */
  readonly delay: number;
  /** Why the connection or the last attempt ended. */
  readonly error: AnyAgentwireError;
}

/**
 * Limit for upgrades in a row that were refused with an HTTP 4xx status. The usual cause is a wrong URL, but a proxy also answers 4xx
 * while its server is replaced. With the default waits, eight attempts take about half a minute.
 */
const MAX_REFUSED_UPGRADES = 8;

/**
 * Limit for failed handshakes before the first success: enough for the server to release a stale session id, or for the client to replace
 * it.
 */
const MAX_FIRST_HANDSHAKES = 6;

/** Limit for unanswered handshakes before the first success. A server that never answers is probably another kind of server. */
const MAX_FIRST_SILENCES = 2;

/** ms; the first maximum if `minDelay` is 0, so that attempts make no hot loop. */
const MIN_CEILING = 1;

/** ms between the starts of two hurried attempts: a program that prompts in a loop must not flood a server that is down. */
const HURRIED_GAP = 500;

/** After so many doublings the maximum is above any limit; further doublings would make it infinite. */
const MAX_DOUBLINGS = 31;

/** ms to wait after so many failures in a row. Full jitter spreads out the clients of a restarting server. */
export function jittered(random: number, min: number, max: number, failures: number): number {
  return random * Math.min(max, min * 2 ** Math.min(failures, MAX_DOUBLINGS));
}

/** Counts failures, and decides on another attempt and its delay. */
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

  /** Earlier failures no longer lengthen the wait. */
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
      if (verdict instanceof Promise) verdict.catch(() => {}); // report the TypeError below instead
      throw new TypeError("it must return true or false, at once");
    } catch (thrown) {
      this.#host.listenerThrew(thrown, "shouldReconnect");
      return true; // the default
    }
  }

  /** Counts another attempt. */
  next(random: number): { readonly attempt: number; readonly delay: number } {
    const { minDelay = 0, maxDelay = 0 } = this.#policy ?? {};
    const delay = jittered(random, Math.max(minDelay, MIN_CEILING), maxDelay, this.#failed);
    return { attempt: ++this.#failed, delay };
  }

  /**
   * A call needs the connection `now`; the next attempt is planned for `due`.
   * @returns the new start: at once, or `HURRIED_GAP` after the last hurried attempt, and never later than `due`.
   */
  hurry(now: number, due: number): number {
    const sooner = Math.max(now, this.#hurriedTo + HURRIED_GAP);
    if (sooner >= due) return due;
    this.#hurriedTo = sooner;
    return sooner;
  }
}

/** Before the first success: reports an unreachable server at once. Tries again if a socket opened but the handshake failed. */
function mayRetryFirst(error: AgentwireError, attempt: number): boolean {
  if (!isAgentwireError(error, "handshake-refused")) return false;
  if (error.reason === "initializing") return true; // the server is still starting
  return attempt < (error.reason === "timeout" ? MAX_FIRST_SILENCES : MAX_FIRST_HANDSHAKES);
}

function isWrongUrl(error: AgentwireError): boolean {
  if (!isAgentwireError(error, "connect-failed") || error.status === undefined) return false;
  return error.status >= 400 && !isBusy(error.status);
}
