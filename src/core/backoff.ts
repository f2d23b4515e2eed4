import { type AgentwireError, isAgentwireError } from "./errors.ts";

/** How to come back after a connection ended. Every field has a default. */
export interface ReconnectOptions {
  /** Attempts in a row before the client gives up for good. */
  readonly maxAttempts?: number;
  /** ms; the first wait is random between 0 and this, and each further one may be twice as long. @default 500 */
  readonly minDelay?: number;
  /** ms that no wait exceeds. @default 30_000: a server that is back should not be found half an hour later */
  readonly maxDelay?: number;
  /** The last word on whether to try again; `attempt` counts from 1. Asked only where a retry makes sense at all. */
  readonly shouldReconnect?: (error: AgentwireError, attempt: number) => boolean;
}

export type ReconnectPolicy = Required<Omit<ReconnectOptions, "shouldReconnect">> &
  Pick<ReconnectOptions, "shouldReconnect">;

/** A wait before the next attempt. */
export interface Backoff {
  /** Counts from 1; starts over once a connection has proved itself. */
  readonly attempt: number;
  /** ms until the attempt, unless the browser comes back online before. */
  readonly delay: number;
  /** What ended the connection or the last attempt. */
  readonly error: AgentwireError;
}

/** What happened so far, as far as it decides on another try. */
export interface Tries {
  /** Attempts that failed since the connection last proved itself. */
  readonly failed: number;
  /** Upgrades refused with an HTTP status, in a row. */
  readonly refusedInARow: number;
  /** Whether the connection has ever been ready. */
  readonly wasReady: boolean;
}

/** An upgrade refused with an HTTP 4xx status is a wrong URL far more often than a passing state. */
const MAX_REFUSED_UPGRADES = 3;

/** Handshakes that fail before the first success: enough for a stale session id to be released and replaced. */
const MAX_FIRST_HANDSHAKES = 6;

/** Whether another try makes sense; the caller's `shouldReconnect` is asked after this. */
export function mayRetry(error: AgentwireError, tries: Tries, policy: ReconnectPolicy): boolean {
  const attempt = tries.failed + 1;
  if (!error.retryable || attempt > policy.maxAttempts) return false;
  if (!tries.wasReady && !mayRetryFirst(error, attempt)) return false;
  if (tries.refusedInARow >= MAX_REFUSED_UPGRADES && isWrongUrl(error)) return false;
  return true;
}

/** Before anything worked, a server that cannot be reached is reported at once; one that is there is asked again. */
function mayRetryFirst(error: AgentwireError, attempt: number): boolean {
  return isAgentwireError(error, "handshake-refused") && attempt < MAX_FIRST_HANDSHAKES;
}

function isWrongUrl(error: AgentwireError): boolean {
  if (!isAgentwireError(error, "connect-failed") || error.status === undefined) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

/** Full jitter: anywhere between 0 and the doubling ceiling, so that clients of a restarted server spread out. */
export function backoffDelay(failed: number, policy: ReconnectPolicy, random: number): number {
  return random * Math.min(policy.maxDelay, policy.minDelay * 2 ** failed);
}
