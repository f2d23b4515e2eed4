import { type AgentwireError, type AnyAgentwireError, asAny, isAgentwireError } from "../errors.ts";
import { isBusy } from "./connection-errors.ts";

/** How to come back after a connection ended. Every field has a default. */
export interface ReconnectOptions {
  /** AttemptCount in a row before the client gives up, and is closed for good. The default is the protocol's. */
  readonly maxAttempts?: number;
  /** ms; the first wait is random between 0 and this, and each further one may be twice as long. @default 500 */
  readonly minDelay?: number;
  /** ms; the longest wait. @default 30_000 */
  readonly maxDelay?: number;
  /** The last word on whether to try again; `attempt` counts from 1. Asked only where a retry makes sense at all. */
  readonly shouldReconnect?: (error: AnyAgentwireError, attempt: number) => boolean;
}

export type ReconnectPolicy = Required<Omit<ReconnectOptions, "shouldReconnect">> &
  Pick<ReconnectOptions, "shouldReconnect">;

/** A wait before the next attempt. */
export interface Backoff {
  /** Counts from 1; starts over once a connection was stable. */
  readonly attempt: number;
  /** ms until the attempt. It starts sooner when the browser comes back online, or when a call needs the connection. */
  readonly delay: number;
  /** Why the connection or the last attempt ended. */
  readonly error: AnyAgentwireError;
}

/**
 * Upgrades refused with an HTTP 4xx status, in a row. The usual cause is a wrong URL, but a proxy also answers so while its
 * server is replaced. With the default waits, eight take about half a minute.
 */
const MAX_REFUSED_UPGRADES = 8;

/** Handshakes that may fail before the first success: enough for a stale session id to be released and replaced. */
const MAX_FIRST_HANDSHAKES = 6;

/** The same for a server that never answers: it is probably another kind of server. */
const MAX_FIRST_SILENCES = 2;

/** ms; the first ceiling where `minDelay` is 0, so that attempts make no hot loop. */
const MIN_CEILING = 1;

/** ms between the starts of two hurried attempts: a program that prompts in a loop must not flood a server that is down. */
const HURRIED_GAP = 500;

/** A ceiling that doubled this often is above any limit; further doublings would make it infinite. */
const MAX_DOUBLINGS = 31;

/** ms to wait after so many failures in a row. Full jitter spreads out the clients of a server that restarts. */
export function jittered(random: number, min: number, max: number, failures: number): number {
  return random * Math.min(max, min * 2 ** Math.min(failures, MAX_DOUBLINGS));
}

/** Counts what failed, and decides whether to try again and how long to wait before. */
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

  /** Notes a failure; returns whether another attempt follows. `shouldReconnect` has the last word. */
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
      if (verdict instanceof Promise) verdict.catch(() => {}); // the TypeError below is the one to tell
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
   * A call needs the connection `now`, and the next attempt is planned for `due`.
   * @returns the new start: at once, or a gap behind the last hurried attempt, and never later than `due`.
   */
  hurry(now: number, due: number): number {
    const sooner = Math.max(now, this.#hurriedTo + HURRIED_GAP);
    if (sooner >= due) return due;
    this.#hurriedTo = sooner;
    return sooner;
  }
}

/** Before the first success, a server that cannot be reached is reported at once. A server that answers is asked again. */
function mayRetryFirst(error: AgentwireError, attempt: number): boolean {
  if (!isAgentwireError(error, "handshake-refused")) return false;
  if (error.reason === "initializing") return true; // the server is still starting
  return attempt < (error.reason === "timeout" ? MAX_FIRST_SILENCES : MAX_FIRST_HANDSHAKES);
}

function isWrongUrl(error: AgentwireError): boolean {
  if (!isAgentwireError(error, "connect-failed") || error.status === undefined) return false;
  return error.status >= 400 && !isBusy(error.status);
}
