// HTTP calls with limits, further tries, and errors without credentials.

import type { Clock } from "../core/clock.ts";
import { ConnectError, isAgentwireError } from "../core/errors.ts";
import {
  bytesOf,
  isRedirect,
  parsed,
  type Reading,
  redirectTarget,
  retryAfterOf,
  unreachable,
} from "../core/http/answer.ts";
import { type FetchLike, type FetchResponse, fetchWith } from "../core/http/fetch.ts";
import { Waits } from "../core/http/waits.ts";
import type { Redactor } from "../core/tell/redact.ts";
import { CodebuffRunError, refused } from "./errors.ts";

/** Bytes of an answer that is no stream. Real ones take some kilobytes; an agent's definition takes some hundred. */
const MAX_ANSWER = 16 * 1_048_576;

/** Further tries of a call that failed. */
const RETRIES = 3;

/** ms before the first further try; doubled for each that follows. */
export const FIRST_WAIT = 1_000;
export const LONGEST_WAIT = 8_000;

/** The part of a wait that chance adds, so that many clients do not come back at once. */
const JITTER = 0.2;

/** ms; if the server asks for a longer wait, the call fails, and the caller decides. */
const LONGEST_ASKED = 60_000;

/** Where what goes over the wire is shown. */
export interface Traffic {
  readonly frame: (direction: "in" | "out", text: string) => void;
  /** A parsed message. */
  readonly message: (value: unknown) => void;
  /** Runs all that one frame brings as one input of the client. */
  readonly input: (work: () => void) => void;
}

export interface HttpSetup {
  readonly baseUrl: string;
  /** The provider that is called, by its name. @default none: the backend */
  readonly provider?: string;
  /** Undefined: the platform's `fetch`, read at each try. */
  readonly fetch: FetchLike | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly traffic: Traffic;
}

export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Begins with a slash. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** An endpoint that answers 404 to an unknown key. @default false */
  readonly isAccount?: boolean;
}

export interface HttpCall extends HttpRequest {
  /** ms for one try; 0: no limit. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Whether another try may follow a failure that passes. @default false */
  readonly isRepeated?: boolean;
}

/** A response whose status is a success. */
export interface Opened {
  readonly response: FetchResponse;
  readonly reading: Reading;
}

/** Calls of a backend: limits, further tries, and errors without credentials. */
export class Http {
  readonly #setup: HttpSetup;
  readonly #waits: Waits;

  constructor(setup: HttpSetup) {
    this.#setup = setup;
    this.#waits = new Waits(setup.clock);
  }

  /**
   * Calls a route. Returns the parsed answer; `undefined` for one that is no JSON.
   * @throws CodebuffRunError; the signal's reason when it is aborted.
   */
  call(call: HttpCall): Promise<unknown> {
    const { method, path, timeout, signal, isRepeated = false } = call;
    const what = `${method} ${path}`;
    let isDone = false;
    return this.insist(
      signal,
      () =>
        this.#waits.run({ what, timeout, signal }, async (inner) => {
          const { response, reading } = await this.open(call, inner);
          isDone = method === "POST"; // the server has done it, although its answer may break off
          const bytes = await bytesOf(response, reading);
          const { frame, message, input } = this.#setup.traffic;
          const answer = parsed(bytes);
          input(() => {
            frame("in", `${response.status} ${new TextDecoder().decode(bytes)}`);
            if (answer !== undefined) message(answer);
          });
          return answer;
        }),
      () => isRepeated && !isDone,
    );
  }

  /** Sends one request. @throws CodebuffRunError for an answer that is no success, and when the server cannot be reached. */
  async open(call: HttpRequest, signal: AbortSignal): Promise<Opened> {
    const { method, path, body, headers = {}, isAccount = false } = call;
    const { baseUrl, provider, fetch, clock, redactor } = this.#setup;
    const what = `${method} ${path}`;
    const redact = (text: string): string => redactor.redact(text);
    const reading: Reading = { what, clock, maxReceiveBytes: MAX_ANSWER, redact };
    const json = body && JSON.stringify(body);
    this.#setup.traffic.frame("out", json === undefined ? what : `${what} ${json}`);
    let response: FetchResponse;
    try {
      response = await fetchWith(fetch, `${baseUrl}${path}`, {
        method,
        headers: {
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...this.#setup.headers,
          ...headers,
        },
        redirect: "manual", // the key goes to no other server
        signal,
        ...(json === undefined ? {} : { body: json }),
      });
    } catch (error) {
      if (isAgentwireError(error) || signal.aborted) throw error;
      throw unreachable(`${what}: cannot reach ${baseUrl}`, error, redact);
    }
    const { status, headers: told } = response;
    if (isRedirect(response)) {
      const message = `${what}: a redirect ${redirectTarget(response, redact)}, which is not followed`;
      throw new CodebuffRunError({ kind: "protocol_error", message, status });
    }
    if (status >= 200 && status < 300) {
      if (!isWebPage(response)) return { response, reading };
      response.body
        ?.getReader()
        .cancel?.()
        .catch(() => {}); // nobody reads it
      const message = `${method} ${baseUrl}${path}: the answer is a web page`;
      throw new CodebuffRunError({ kind: "protocol_error", message, status });
    }
    const bytes = await bytesOf(response, reading).catch(() => new Uint8Array()); // the status says enough
    const text = redact(new TextDecoder().decode(bytes));
    this.#setup.traffic.frame("in", `${status} ${text}`);
    const retryAfter = retryAfterIn(told, clock);
    throw refused({
      status,
      text,
      body: redactor.redactValue(parsed(bytes)),
      retryAfter,
      isAccount,
      what: `${method} ${baseUrl}${path}`,
      provider,
    });
  }

  /** Repeats work whose failure may pass, while `mayRepeat` says so: what has arrived must not be repeated. */
  async insist<T>(signal: AbortSignal, work: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await work();
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        const error = asRunError(thrown);
        const wait = failures < RETRIES && mayRepeat() ? this.#waitAfter(error, failures) : undefined;
        if (wait === undefined) throw error;
        await this.#waits.pause("a wait", wait, signal).catch(() => {}); // it fails by the signal alone
        if (signal.aborted) throw signal.reason;
      }
    }
  }

  /** ms until another try; `undefined`: none. */
  #waitAfter(error: unknown, failures: number): number | undefined {
    if (!(error instanceof CodebuffRunError)) return undefined;
    const { kind, retryAfter = 0 } = error;
    if (kind !== "rate_limited" && kind !== "server" && kind !== "network") return undefined;
    if (retryAfter > LONGEST_ASKED) return undefined;
    const usual = Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
    return Math.max(retryAfter, usual * (1 + JITTER * this.#setup.clock.random()));
  }
}

function isWebPage({ headers }: FetchResponse): boolean {
  return /^\s*text\/html\b/i.test(headers.get("content-type") ?? "");
}

/** The error of a run for an error of a call. */
export function asRunError(error: unknown): unknown {
  if (isAgentwireError(error, "request-timeout"))
    return new CodebuffRunError({ kind: "timeout", message: error.message, cause: error });
  if (error instanceof ConnectError && error.code === "connect-failed")
    return new CodebuffRunError({ kind: "network", message: error.message, cause: error.cause });
  if (isAgentwireError(error, "payload-too-large"))
    return new CodebuffRunError({ kind: "protocol_error", message: error.message });
  return error;
}

/** The wait that the server asks for, in ms, in either of two headers. */
export function retryAfterIn(headers: FetchResponse["headers"], clock: Clock): number | undefined {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && /^\s*\d+(\.\d+)?\s*$/.test(ms)) return Number(ms);
  return retryAfterOf(headers, clock);
}
