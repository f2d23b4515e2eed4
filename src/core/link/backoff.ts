import { type AgentwireError, type AnyAgentwireError, asAny, isAgentwireError } from "../errors.ts";
import { isBusy } from "./connection-errors.ts";

/** How to come back after a connection ended. Every field has a default. */
export interface ReconnectOptions {
  /** AttemptCount in a row before the client gives up, and is closed for good. The default is the protocol's. */
  readonly maxAttempts?: number;
  /** ms; the first wait is random between 0 and this, and each further one may be twice as long. @default 500 */
  readonly minDelay?: number;
  /** ms that no wait exceeds. @default 30_000: a server that is back should not be found half an hour later */
  readonly maxDelay?: number;
  /** The last word on whether to try again; `attempt` counts from 1. Asked only where a retry makes sense at all. */
  readonly shouldReconnect?: (error: AnyAgentwireError, attempt: number) => boolean;
}

export type ReconnectPolicy = Required<Omit<ReconnectOptions, "shouldReconnect">> &
  Pick<ReconnectOptions, "shouldReconnect">;

/** A wait before the next attempt. */
export interface Backoff {
  /** Counts from 1; starts over once a connection has proved itself. */
  readonly attempt: number;
  /** ms until the attempt; less when the browser comes back online, or when a call needs the connection. */
  readonly delay: number;
  /** What ended the connection or the last attempt. */
  readonly error: AnyAgentwireError;
}

/**
 * Upgrades refused with an HTTP 4xx status, in a row: often a wrong URL, but also a proxy in front of a
 * server that is being replaced. With the usual waits this takes about half a minute.
 */
const MAX_REFUSED_UPGRADES = 8;

/** Handshakes that fail before the first success: enough for a stale session id to be released and replaced. */
const MAX_FIRST_HANDSHAKES = 6;

/** The same for a server that never answers: it takes its time, and is more likely none of ours. */
const MAX_FIRST_SILENCES = 2;

/** ms; doubled from here even when `minDelay` is 0, so that a server that fails at once is not asked in a hot loop. */
const MIN_CEILING = 1;

/**
 * ms between the starts of two attempts that calls have hurried. The default `minDelay`: a program that prompts in a loop
 * asks a server that is down as often as a first back-off does, and a person notices no half second.
 */
const HURRIED_GAP = 500;

/** A ceiling that doubled this often is above any limit; further, it would become infinite. */
const MAX_DOUBLINGS = 31;

/**
 * How long to wait behind so many failures in a row, in ms. Full jitter: anywhere between 0 and a ceiling that doubles up to
 * `max`, so that the clients of a restarted server spread out.
 */
export function jittered(random: number, min: number, max: number, failures: number): number {
  return random * Math.min(max, min * 2 ** Math.min(failures, MAX_DOUBLINGS));
}

/** Counts what failed, and decides whether to try again and how long to wait before. */
export class AttemptCount {
  readonly #policy: ReconnectPolicy | undefined;
  readonly #host: { listenerThrew(error: unknown, name: string): void };
  /** Since the connection last proved itself. */
  #failed = 0;
  #refusedInARow = 0;
  #wasReady = false;
  /** When the last hurried attempt was to start. */
  #hurriedTo = Number.NEGATIVE_INFINITY;

  /** Without a policy there is never another try. */
  constructor(
    policy: ReconnectPolicy | undefined,
    host: { listenerThrew(error: unknown, name: string): void },
  ) {
    this.#policy = policy;
    this.#host = host;
  }

  /** Whether the connection has ever been ready. */
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

  /** Notes a failure; returns whether another try makes sense. The caller's `shouldReconnect` has the last word. */
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
      if (verdict instanceof Promise) verdict.catch(() => {}); // what it rejects with is beside the point made below
      throw new TypeError("it must return true or false, at once");
    } catch (thrown) {
      this.#host.listenerThrew(thrown, "shouldReconnect");
      return true; // as if it had not been given
    }
  }

  /** Counts another try. */
  next(random: number): { readonly attempt: number; readonly delay: number } {
    const { minDelay = 0, maxDelay = 0 } = this.#policy ?? {};
    const delay = jittered(random, Math.max(minDelay, MIN_CEILING), maxDelay, this.#failed);
    return { attempt: ++this.#failed, delay };
  }

  /**
   * A call needs the connection `now`, and the next attempt is to start at `due`.
   * @returns when it starts instead: at once, or a gap behind the last one that was hurried, and never later than `due`.
   */
  hurry(now: number, due: number): number {
    const sooner = Math.max(now, this.#hurriedTo + HURRIED_GAP);
    if (sooner >= due) return due;
    this.#hurriedTo = sooner;
    return sooner;
  }
}

/** Before anything worked, a server that cannot be reached is reported at once; one that is there is asked again. */
function mayRetryFirst(error: AgentwireError, attempt: number): boolean {
  if (!isAgentwireError(error, "handshake-refused")) return false;
  if (error.reason === "initializing") return true; // it is there, and says that it will be ready
  return attempt < (error.reason === "timeout" ? MAX_FIRST_SILENCES : MAX_FIRST_HANDSHAKES);
}

function isWrongUrl(error: AgentwireError): boolean {
  if (!isAgentwireError(error, "connect-failed") || error.status === undefined) return false;
  return error.status >= 400 && !isBusy(error.status);
}
