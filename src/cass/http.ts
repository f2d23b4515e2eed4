import { describe } from "../core/checks.ts";
import { cleanCause } from "../core/client/clean-cause.ts";
import { Redactor } from "../core/client/redact.ts";
import type { Clock } from "../core/clock.ts";
import {
  ConnectError,
  InvalidInputError,
  isAgentwireError,
  PayloadTooLargeError,
  UnsupportedError,
} from "../core/errors.ts";
import { jittered } from "../core/link/backoff.ts";
import { assertPrivate } from "../core/link/private-address.ts";
import type { Reads } from "../core/schemas.ts";
import type { Credentials } from "./credentials.ts";
import { CassApiError } from "./errors.ts";
import type { FetchInit, FetchLike, FetchResponse } from "./fetch.ts";
import { bytesOf, type Reading, readAnswer, redirectOf, refusalOf } from "./http-answer.ts";
import { checkAddress, httpBaseOf } from "./http-base.ts";
import { unreachable } from "./http-failure.ts";
import { Waits } from "./waits.ts";

/** Where the server is. A function is asked for every try. */
export type HttpAddress = string | URL | (() => string | URL | Promise<string | URL>);

export interface HttpSetup {
  /** The base of the routes, or the address of the socket. */
  readonly url: HttpAddress;
  /** The platform's where it is undefined, read at each try. */
  readonly fetch: FetchLike | undefined;
  /** ms for one try of a call; 0 for no limit. */
  readonly timeout: number;
  /** Further tries of a call that failed and may be repeated. */
  readonly retries: number;
  /** Of one answer. */
  readonly maxReceiveBytes: number;
  readonly allowInsecure: boolean;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Aborting it closes. */
  readonly signal?: AbortSignal | undefined;
}

/** What every call may say. */
export interface HttpOptions {
  /** Who the user is: goes along if it is for the server itself, and is renewed once when the server refuses it. */
  readonly credentials?: Pick<Credentials, "current" | "fresh" | "renewable"> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpCall<T> extends HttpOptions {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to the base, and escaped. */
  readonly path: string;
  /** With its question mark. */
  readonly query?: string;
  /** Sent as JSON. */
  readonly body?: object | undefined;
  /** What the body holds and nobody is to see. */
  readonly secrets?: readonly string[];
  /** Whether doing it twice is as good as once. */
  readonly repeatable: boolean;
  /** What it has to be answered with. */
  readonly shape: Reads<T>;
}

/** A call, whatever it is for. */
interface Job<T> extends Omit<HttpCall<T>, "path" | "query" | "shape"> {
  /** For messages. */
  readonly what: string;
  /** Relative to the base; or whole, if it may be another server's. */
  readonly target: string;
  readonly elsewhere: boolean;
  readonly accept: string;
  readonly read: (body: Uint8Array, status: number, reading: Reading) => T;
}

/** ms that the first wait before another try takes at most; each further one may be twice as long. */
const FIRST_WAIT = 500;

/** ms that a call waits before another try. A server that asks for more is not asked again: the caller can decide better. */
const LONGEST_WAIT = 30_000;

/** Calls of one server's routes: JSON out and in, each within its limits, and without credentials in what is said of it. */
export class Http {
  readonly url: HttpAddress;
  readonly #setup: HttpSetup;
  readonly #waits: Waits;

  /** @throws InvalidInputError for an address that cannot be used. */
  constructor(setup: HttpSetup) {
    const { url, clock, signal } = setup;
    if (typeof url !== "function") checkAddress(url);
    this.url = url;
    this.#setup = setup;
    this.#waits = new Waits(clock, signal);
  }

  /** @throws InvalidInputError when credentials would travel unencrypted to another machine, as far as that is known. */
  assertPrivate(): void {
    const { url, allowInsecure } = this.#setup;
    if (typeof url !== "function" && !allowInsecure) assertPrivate(checkAddress(url));
  }

  /**
   * What a call is answered with.
   * @throws CassApiError for any other answer; ConnectError, RequestTimeoutError, PayloadTooLargeError or ClosedError where there is none
   */
  call<T>(call: HttpCall<T>): Promise<T> {
    const { path, query = "", shape } = call;
    return this.#run({
      ...call,
      what: `${call.method} /${path}`,
      target: `${path}${query}`,
      elsewhere: false,
      accept: "application/json",
      read: (body, status, reading) => readAnswer(body, status, shape, reading),
    });
  }

  /** The bytes at an address, which may be another server's: that one does not get to know who the user is. Fails as `call()` does. */
  download(url: string, options: HttpOptions = {}): Promise<Uint8Array> {
    const { origin, pathname } = checkAddress(url);
    return this.#run({
      ...options,
      method: "GET",
      repeatable: true,
      what: `GET ${origin}${pathname}`,
      target: url,
      elsewhere: true,
      accept: "*/*",
      read: (body) => body,
    });
  }

  /** Waits for what calls wait for, too. */
  wait<T>(what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.#waits.run({ what, timeout: 0, signal }, work);
  }

  /** Everybody who waits gets a `ClosedError`, and so does who calls. */
  close(): void {
    this.#waits.close();
  }

  #run<T>(job: Job<T>): Promise<T> {
    const { what, signal } = job;
    return this.#waits.run({ what, timeout: 0, signal }, (wanted) => this.#asUser(job, wanted));
  }

  /** A token that is refused although it looked good is renewed once: its server may have been given another secret. */
  async #asUser<T>(job: Job<T>, wanted: AbortSignal): Promise<T> {
    const { credentials } = job;
    const token =
      credentials && (await this.#isForServer(job, wanted)) ? await credentials.current() : undefined;
    try {
      return await this.#insist(job, token, wanted);
    } catch (error) {
      const refused = error instanceof CassApiError && error.status === 401;
      if (!refused || token === undefined || !credentials?.renewable) throw error;
    }
    return this.#insist(job, await credentials.fresh(token), wanted);
  }

  async #isForServer<T>({ what, target, elsewhere }: Job<T>, wanted: AbortSignal): Promise<boolean> {
    if (!elsewhere) return true;
    const { timeout } = this.#setup;
    return isOwn(target, await this.#waits.run({ what, timeout, signal: wanted }, () => this.base()));
  }

  async #insist<T>(job: Job<T>, token: string | undefined, wanted: AbortSignal): Promise<T> {
    const { what, repeatable } = job;
    const { timeout, retries } = this.#setup;
    const limits = { what, timeout, signal: wanted };
    for (let failures = 0; ; failures++) {
      try {
        return await this.#waits.run(limits, (signal) => this.#try(job, token, signal));
      } catch (error) {
        const wait = repeatable && failures < retries ? this.#waitAfter(error, failures) : undefined;
        if (wait === undefined) throw error;
        await this.#waits.pause(what, wait, wanted);
      }
    }
  }

  /** ms until another try, if that makes sense; behind a time-out it does not, for that has cost the caller's patience already. */
  #waitAfter(error: unknown, failures: number): number | undefined {
    const passes = error instanceof CassApiError || error instanceof ConnectError;
    if (!passes || !error.retryable) return undefined;
    const asked = error instanceof CassApiError ? (error.retryAfter ?? 0) : 0;
    if (asked > LONGEST_WAIT) return undefined;
    return Math.max(asked, jittered(this.#setup.clock.random(), FIRST_WAIT, LONGEST_WAIT, failures));
  }

  async #try<T>(job: Job<T>, token: string | undefined, signal: AbortSignal): Promise<T> {
    const { what, target, method, body, accept, secrets = [], read } = job;
    const base = await this.base();
    const bearer = isOwn(target, base) ? token : undefined;
    if ((bearer !== undefined || secrets.length > 0) && !this.#setup.allowInsecure)
      assertPrivate(new URL(base));
    const reading = this.#reading(what, [bearer, ...secrets]);
    const init = { method, headers: headersOf(accept, body, bearer), redirect: "manual", signal } as const;
    const response = await this.#fetch(
      String(new URL(target, base)),
      body ? { ...init, body: JSON.stringify(body) } : init,
      reading,
    );
    const redirect = redirectOf(response, reading);
    if (redirect) throw redirect;
    const answer = await receive(response, reading);
    const { status } = response;
    if (status < 200 || status >= 300) throw refusalOf(answer, response, reading);
    return read(answer, status, reading);
  }

  /** What the routes are relative to. */
  async base(): Promise<string> {
    const { url } = this.#setup;
    if (typeof url !== "function") return httpBaseOf(checkAddress(url));
    let asked: unknown;
    try {
      asked = await url();
    } catch (cause) {
      if (isAgentwireError(cause)) throw cause;
      throw new ConnectError("the `url` function failed; its error is the cause", {
        cause: cleanCause(cause, (text) => this.#setup.redactor.redact(text)),
      });
    }
    return httpBaseOf(checkAddress(asked));
  }

  #reading(what: string, secrets: readonly (string | undefined)[]): Reading {
    const { redactor, clock, maxReceiveBytes } = this.#setup;
    const own = new Redactor();
    for (const secret of secrets) own.add(secret);
    // First what this call holds: a member of broken JSON may end in the middle of it.
    return { what, clock, maxReceiveBytes, redact: (text) => redactor.redact(own.redact(text)) };
  }

  async #fetch(url: string, init: FetchInit, { what, redact }: Reading): Promise<FetchResponse> {
    // Called without an object: a browser's refuses any but its own.
    const { fetch = globalThis.fetch as FetchLike | undefined } = this.#setup;
    if (typeof fetch !== "function") {
      throw new UnsupportedError("this runtime has no `fetch`.", "Give one as the option of that name.");
    }
    let response: unknown;
    try {
      response = await fetch(url, init);
    } catch (error) {
      throw unreachable(`${what}: cannot reach ${new URL(url).origin}`, error, redact);
    }
    if (isResponse(response)) return response;
    throw new InvalidInputError(`\`fetch\` returned ${describe(response)}.`, "It must return a Response.");
  }
}

/** Whether it is the server itself that is asked. */
function isOwn(target: string, base: string): boolean {
  return new URL(target, base).origin === new URL(base).origin;
}

function headersOf(
  accept: string,
  body: object | undefined,
  bearer: string | undefined,
): Record<string, string> {
  if (bearer !== undefined && /[^\x20-\xff]/.test(bearer)) {
    const hint = "Pass it as the server gave it out.";
    throw new InvalidInputError("the token holds characters that no header takes.", hint);
  }
  return {
    accept,
    ...(body ? { "content-type": "application/json" } : {}),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  };
}

function isResponse(value: unknown): value is FetchResponse {
  if (typeof value !== "object" || value === null) return false;
  const { status, headers } = value as Partial<FetchResponse>;
  return typeof status === "number" && typeof headers?.get === "function";
}

async function receive(response: FetchResponse, reading: Reading): Promise<Uint8Array> {
  try {
    return await bytesOf(response, reading);
  } catch (error) {
    if (error instanceof PayloadTooLargeError) throw error;
    throw unreachable(`${reading.what}: the answer broke off`, error, reading.redact);
  }
}
