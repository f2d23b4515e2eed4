// HTTP calls with limits, retries, and errors without credentials.

import { defined } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { ConnectError, isAgentwireError } from "../core/errors.ts";
import {
  bytesOf,
  isRedirect,
  parsed,
  type ReadSettings,
  redirectTarget,
  retryAfterOf,
  unreachable,
} from "../core/http/answer.ts";
import { type FetchLike, type FetchResponse, fetchWith } from "../core/http/fetch.ts";
import { Waits } from "../core/http/waits.ts";
import type { Redactor } from "../core/tell/redact.ts";
import { CodebuffRunError, refused } from "./errors.ts";

/** Bytes of a response that is not a stream. Real responses have at most some hundred kilobytes. */
const MAX_ANSWER = 16 * 1_048_576;

const RETRIES = 3;

/** ms before the first retry. Doubles for each further retry. */
export const FIRST_WAIT = 1_000;
export const LONGEST_WAIT = 8_000;

/** Random part of a delay, so that many clients do not retry at once. */
const JITTER = 0.2;

/** ms. If the server requests a longer delay, the call fails and the caller decides. */
const LONGEST_ASKED = 60_000;

/** The kinds of failures after which a call of the backend is repeated. */
const REPEATED: ReadonlySet<string> = new Set([
  "rate_limited",
  "free_mode_capacity_deferred",
  "server",
  "network",
]);

/** Receives the traffic for the client's `frame` and `message` events. */
export interface Traffic {
  readonly frame: (direction: "in" | "out", text: string) => void;
  readonly message: (value: unknown) => void;
  readonly input: (work: () => void) => void;
}

interface HttpSetup {
  readonly baseUrl: string;
  readonly provider?: string;
  readonly fetch: FetchLike | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly traffic: Traffic;
}

export interface HttpRequest {
  readonly path: string;
  /** Sent by POST; a request without a body is a GET. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the endpoint answers 404 to an unknown key. @default false */
  readonly isAccount?: boolean;
}

export interface HttpCall extends HttpRequest {
  /** ms per attempt; 0: no limit. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Whether to retry after a temporary failure. @default false */
  readonly isRepeated?: boolean;
}

export interface OpenedResponse {
  readonly response: FetchResponse;
  readonly reading: ReadSettings;
}

export class Http {
  readonly #setup: HttpSetup;
  readonly #waits: Waits;

  constructor(setup: HttpSetup) {
    this.#setup = setup;
    this.#waits = new Waits(setup.clock);
  }

  /** Calls a route. Returns parsed JSON or `undefined`. @throws CodebuffRunError; the signal's reason */
  call(call: HttpCall): Promise<unknown> {
    const { path, body, timeout, signal, isRepeated = false } = call;
    const what = `${methodOf(call)} ${path}`;
    let isDone = false;
    return this.insist(
      signal,
      () =>
        this.#waits.run({ what, timeout, signal }, async (inner) => {
          const { response, reading } = await this.open(call, inner);
          isDone = body !== undefined; // the server has acted, even if its response breaks off
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

  /** Sends one request. @throws CodebuffRunError if the server refuses it or is not reached */
  async open(call: HttpRequest, signal: AbortSignal): Promise<OpenedResponse> {
    const { path, body, headers = {}, isAccount = false } = call;
    const method = methodOf(call);
    const { baseUrl, provider, fetch, clock, redactor } = this.#setup;
    const what = `${method} ${path}`;
    const request = `${method} ${baseUrl}${path}`;
    const redact = (text: string): string => redactor.redact(text);
    const reading: ReadSettings = { what, clock, maxReceiveBytes: MAX_ANSWER, redact };
    const json = body && JSON.stringify(body);
    const sent = json === undefined ? undefined : { "content-type": "application/json" };
    this.#setup.traffic.frame("out", json === undefined ? what : `${what} ${json}`);
    let response: FetchResponse;
    try {
      response = await fetchWith(fetch, `${baseUrl}${path}`, {
        method,
        headers: { ...sent, ...this.#setup.headers, ...headers },
        redirect: "manual", // sends the key to no other server
        signal,
        ...defined({ body: json }),
      });
    } catch (error) {
      if (isAgentwireError(error) || signal.aborted) throw error;
      throw unreachable(`${what}: cannot reach ${baseUrl}`, error, redact);
    }
    const { status } = response;
    if (isRedirect(response)) {
      const message = `${what}: a redirect ${redirectTarget(response, redact)}, which is not followed`;
      throw new CodebuffRunError({ kind: "protocol_error", message, status });
    }
    if (status >= 200 && status < 300) {
      if (!isWebPage(response)) return { response, reading };
      response.body
        ?.getReader()
        .cancel?.()
        .catch(() => {}); // the page is not needed
      const message = `${request}: the answer is a web page`;
      throw new CodebuffRunError({ kind: "protocol_error", message, status });
    }
    const bytes = await bytesOf(response, reading).catch(() => new Uint8Array()); // the status is enough
    const text = redact(new TextDecoder().decode(bytes));
    this.#setup.traffic.frame("in", `${status} ${text}`);
    const retryAfter = retryAfterIn(response.headers, clock);
    const refusal = redactor.redactValue(parsed(bytes));
    throw refused({ status, text, body: refusal, retryAfter, isAccount, what: request, provider });
  }

  /** Retries after temporary failures, as long as `mayRepeat` allows it. */
  async insist<T>(signal: AbortSignal, work: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await work();
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        const error = asRunError(thrown);
        const wait = failures < RETRIES && mayRepeat() ? this.#waitAfter(error, failures) : undefined;
        if (wait === undefined) throw error;
        await this.#waits.pause("a wait", wait, signal).catch(() => {}); // fails only if the signal aborts
        if (signal.aborted) throw signal.reason;
      }
    }
  }

  /** ms until the next attempt; `undefined`: no retry. */
  #waitAfter(error: unknown, failures: number): number | undefined {
    if (!(error instanceof CodebuffRunError)) return undefined;
    const { kind, retryAfter = 0 } = error;
    if (!REPEATED.has(kind)) return undefined;
    if (retryAfter > LONGEST_ASKED) return undefined;
    const usual = Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
    return Math.max(retryAfter, usual * (1 + JITTER * this.#setup.clock.random()));
  }
}

function methodOf({ body }: HttpRequest): "GET" | "POST" {
  return body === undefined ? "GET" : "POST";
}

function isWebPage({ headers }: FetchResponse): boolean {
  return /^\s*text\/html\b/i.test(headers.get("content-type") ?? "");
}

export function asRunError(error: unknown): unknown {
  if (isAgentwireError(error, "request-timeout"))
    return new CodebuffRunError({ kind: "timeout", message: error.message, cause: error });
  if (error instanceof ConnectError && error.code === "connect-failed")
    return new CodebuffRunError({ kind: "network", message: error.message, cause: error.cause });
  if (isAgentwireError(error, "payload-too-large"))
    return new CodebuffRunError({ kind: "protocol_error", message: error.message });
  return error;
}

/** The delay that the server requested, in ms: `retry-after-ms`, else `retry-after`. */
export function retryAfterIn(headers: FetchResponse["headers"], clock: Clock): number | undefined {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && /^\s*\d+(\.\d+)?\s*$/.test(ms)) return Number(ms);
  return retryAfterOf(headers, clock);
}
