// The options of `CassRest`, with their checks and defaults.
import { type Check, type Checks, checkFields, checks, isObject } from "../../core/checks.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { ADDRESSES, assertEngine, TEXT } from "../../core/engine.ts";
import { InvalidInputError, said } from "../../core/errors.ts";
import type { FetchLike } from "../../core/http/fetch.ts";
import { checkNames } from "../../core/names.ts";
import { Redactor } from "../../core/tell/redact.ts";
import type { Logger } from "../../core/tell/voice.ts";
import type { CassCredentialOptions } from "../auth/credentials.ts";
import { RestHost } from "./host.ts";

/** Options of {@link CassRest}. Times are in ms, sizes in bytes. */
export interface CassRestOptions extends CassCredentialOptions {
  /**
   * The address of the server: the base of its routes, `https://host/cass/`, or the address of its socket, `wss://host/cass/ws`. A query
   * is ignored. A function is called for every try.
   */
  readonly url: string | URL | (() => string | URL | Promise<string | URL>);
  /** Replaces the platform's `fetch`; for tests, proxies and runtimes without `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** The limit of one try of a call, or of a `token` function; 0: no limit. Raise the option for slow servers. @default 10_000 */
  readonly timeout?: number;
  /**
   * Further tries of a repeatable call after a network failure, 429 or 5xx, but not after a time-out. Set 0 if the app tries again
   * itself. The waits are random, up to 500 ms, then 1 s, and so on; or the wait that the server asks for, up to 30 s.
   * @default 2: enough for most restarts of a server
   */
  readonly retries?: number;
  /**
   * Bytes of one answer. Raise the option for large conversations; lower it if memory is short. @default 134_217_728 (128 MiB): the
   * default for a frame
   */
  readonly maxReceiveBytes?: number;
  /**
   * Allows credentials over plain `http://` to other machines than `localhost`, 127.0.0.0/8 and ::1, as in a closed network. @default
   * false: anybody on the way could read the credentials
   */
  readonly allowInsecure?: boolean;
  /** Aborting the signal ends every call, also later ones, with a `ClosedError`; for apps that log their user out. */
  readonly signal?: AbortSignal | undefined;
  /** Gets a warning when `onTokens` throws. */
  readonly logger?: Logger | undefined;
  /** The time and the random numbers; tests inject a `ManualClock`. @default the platform's */
  readonly clock?: Clock;
}

/** Checks of the credentials. */
export const CREDENTIAL_CHECKS: Checks<CassCredentialOptions> = {
  token: {
    expects: "a string or a function that returns one",
    holds: (value) => typeof value === "string" || typeof value === "function",
  },
  refreshToken: checks.string,
  onTokens: checks.function,
};

const CHECKS = {
  ...CREDENTIAL_CHECKS,
  url: {
    expects: "a string, a URL or a function that returns one",
    holds: (value) => typeof value === "string" || typeof value === "function" || value instanceof URL,
  },
  fetch: checks.function,
  timeout: checks.delay,
  retries: checks.tries,
  maxReceiveBytes: checks.count,
  allowInsecure: checks.boolean,
  signal: checks.signal,
  logger: checks.object,
  clock: checks.object,
} satisfies Record<string, Check>;

/**
 * @throws InvalidInputError for the first option that does not exist or is wrong; UnsupportedError for an engine that lacks a needed
 * feature.
 */
export function hostOf(options: CassRestOptions): RestHost {
  assertEngine([ADDRESSES, TEXT]);
  if (isObject(options)) checkNames(options, CHECKS, "option"); // check names first: a misspelt `url` must not be reported as missing
  if (!isObject(options as unknown) || (options.url as unknown) === undefined) {
    const hint = 'Give the server\'s address, such as { url: "http://127.0.0.1:8000/" }.';
    throw new InvalidInputError("option `url` is missing.", hint);
  }
  checkFields(options, CHECKS, "option");
  const { url, fetch, timeout = 10_000, retries = 2, maxReceiveBytes = 134_217_728 } = options;
  const { allowInsecure = false, signal, logger, clock = systemClock } = options;
  const { token, refreshToken, onTokens } = options;
  const redactor = new Redactor();
  const shared = { timeout, clock, redactor, signal };
  return new RestHost(
    { ...shared, url, fetch, retries, maxReceiveBytes, allowInsecure },
    {
      ...shared,
      token,
      refreshToken,
      onTokens,
      callbackThrew: (error, name) => logger?.warn(redactor.redact(`\`${name}\` threw: ${said(error)}`)),
    },
  );
}
