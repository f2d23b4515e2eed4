// One REST call: its limits, further tries and token.

import type { Clock } from "../../core/clock.ts";
import { ConnectError, InvalidInputError, isAgentwireError } from "../../core/errors.ts";
import { bytesOf, type ReadSettings, unreachable } from "../../core/http/answer.ts";
import { type FetchInit, type FetchLike, type FetchResponse, fetchWith } from "../../core/http/fetch.ts";
import { Waits } from "../../core/http/waits.ts";
import { jittered } from "../../core/link/backoff.ts";
import { assertPrivate } from "../../core/link/private-address.ts";
import type { Reads } from "../../core/schemas.ts";
import { cleanCause } from "../../core/tell/clean-cause.ts";
import { Redactor } from "../../core/tell/redact.ts";
import type { Credentials } from "../auth/credentials.ts";
import { CassApiError } from "../errors.ts";
import { checkAddress, httpBaseOf } from "./address.ts";
import { apiErrorOf, readApiAnswer, redirectOf } from "./answer.ts";

/** The address of the server. A function is called for every try. */
export type HttpAddress = string | URL | (() => string | URL | Promise<string | URL>);

export interface HttpSetup {
  /** The base of the routes, or the address of the socket. */
  readonly url: HttpAddress;
  /** Undefined: the platform's `fetch`, read at each try. */
  readonly fetch: FetchLike | undefined;
  /** ms for one try of a call; 0: no limit. */
  readonly timeout: number;
  /** Further tries of a repeatable call that failed. */
  readonly retries: number;
  /** The limit for one answer. */
  readonly maxReceiveBytes: number;
  readonly allowInsecure: boolean;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Aborting the signal closes the object. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpOptions {
  /** Sent only to the server itself. A refused token is renewed once. */
  readonly credentials?: Pick<Credentials, "current" | "fresh" | "renewable"> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CassHttpCall<T> extends HttpOptions {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to the base, and already escaped. */
  readonly path: string;
  /** Begins with the question mark. */
  readonly query?: string;
  /** Sent as JSON. A function is called once the token is known. */
  readonly body?: object | (() => object) | undefined;
  /** Parts of the body that must not appear in errors. */
  readonly secrets?: readonly string[];
  /** Whether the call may be sent twice. */
  readonly repeatable: boolean;
  readonly shape: Reads<T>;
}

/** A call or a download. */
interface Job<T> extends Omit<CassHttpCall<T>, "path" | "query" | "shape"> {
  /** The call in words, for messages. */
  readonly what: string;
  /** A path relative to the base, or a whole address. */
  readonly target: string;
  readonly accept: string;
  readonly read: (body: Uint8Array, status: number, reading: ReadSettings) => T;
}

/** ms; the maximum of the first wait before another try. The maximum doubles for each further wait. */
const FIRST_WAIT = 500;

/** ms; the longest wait before another try. If a server asks for a longer wait, the call fails, and the caller decides. */
const LONGEST_WAIT = 30_000;

/** Calls a server's routes with JSON, within limits, and without credentials in errors. */
export class CassHttp {
  readonly #setup: HttpSetup;
  readonly #waits: Waits;

  /** @throws InvalidInputError for an invalid address. */
  constructor(setup: HttpSetup) {
    if (typeof setup.url !== "function") checkAddress(setup.url);
    this.#setup = setup;
    this.#waits = new Waits(setup.clock, setup.signal);
  }

  /** @throws InvalidInputError when credentials would travel unencrypted to another machine, as far as known. */
  assertPrivate(): void {
    const { url, allowInsecure } = this.#setup;
    if (typeof url !== "function" && !allowInsecure) assertPrivate(checkAddress(url));
  }

  /**
   * Calls a route.
   * @throws CassApiError for an answer of another shape or status; ConnectError, RequestTimeoutError, PayloadTooLargeError or
   * ClosedError without a readable answer
   */
  call<T>(call: CassHttpCall<T>): Promise<T> {
    const { path, query = "", shape, signal } = call;
    const what = `${call.method} /${path}`;
    const job: Job<T> = {
      ...call,
      what,
      target: `${path}${query}`,
      accept: "application/json",
      read: (body, status, reading) => readApiAnswer(body, status, shape, reading),
    };
    return this.wait(what, signal, (wanted) => this.#asUser(job, wanted));
  }

  /** The bytes at an address. Another server gets no credentials. Throws like `call()`. */
  download(url: string, { credentials, signal }: HttpOptions = {}): Promise<Uint8Array> {
    const { origin, pathname } = checkAddress(url);
    const what = `GET ${origin}${pathname}`;
    return this.wait(what, signal, async (wanted) => {
      const limits = { what, timeout: this.#setup.timeout, signal: wanted };
      const isOurs = credentials && isOwn(url, await this.#waits.run(limits, () => this.base()));
      const job: Job<Uint8Array> = {
        method: "GET",
        repeatable: true,
        what,
        target: url,
        accept: "*/*",
        credentials: isOurs ? credentials : undefined,
        read: (body) => body,
      };
      return this.#asUser(job, wanted);
    });
  }

  /** Runs work that makes several calls. An abort or `close()` ends the wait, as for a call. */
  wait<T>(
    what: string,
    signal: AbortSignal | undefined,
    work: (wanted: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#waits.run({ what, timeout: 0, signal }, work);
  }

  /** Ends all calls, also later ones, with a `ClosedError`. */
  close(): void {
    this.#waits.close();
  }

  /** The base address of the routes. */
  async base(): Promise<string> {
    const { url, redactor } = this.#setup;
    if (typeof url !== "function") return httpBaseOf(checkAddress(url));
    let asked: unknown;
    try {
      asked = await url();
    } catch (thrown) {
      if (isAgentwireError(thrown)) throw thrown;
      const cause = cleanCause(thrown, (text) => redactor.redact(text));
      throw new ConnectError("the `url` function failed; its error is the cause", { cause });
    }
    return httpBaseOf(checkAddress(asked));
  }

  /**
   * Calls with the user's token, and renews a refused token once. A valid-looking token may be refused, for example by a server with a
   * new secret.
   */
  async #asUser<T>(job: Job<T>, wanted: AbortSignal): Promise<T> {
    const { credentials } = job;
    const token = await credentials?.current();
    try {
      return await this.#insist(job, token, wanted);
    } catch (error) {
      const refused = error instanceof CassApiError && error.status === 401;
      if (!refused || token === undefined || !credentials?.renewable) throw error;
      return this.#insist(job, await credentials.fresh(token), wanted);
    }
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

  /** ms until another try; `undefined`: none. No try follows a time-out: the caller has waited long enough. */
  #waitAfter(error: unknown, failures: number): number | undefined {
    const passes = error instanceof CassApiError || error instanceof ConnectError;
    if (!passes || !error.retryable) return undefined;
    const asked = error instanceof CassApiError ? (error.retryAfter ?? 0) : 0;
    if (asked > LONGEST_WAIT) return undefined;
    return Math.max(asked, jittered(this.#setup.clock.random(), FIRST_WAIT, LONGEST_WAIT, failures));
  }

  async #try<T>(job: Job<T>, token: string | undefined, signal: AbortSignal): Promise<T> {
    const { what, target, method, body, accept, secrets = [], read } = job;
    const { redactor, clock, maxReceiveBytes, allowInsecure } = this.#setup;
    const base = await this.base();
    const bearer = isOwn(target, base) ? token : undefined;
    if ((bearer !== undefined || secrets.length > 0) && !allowInsecure) assertPrivate(new URL(base));
    const own = new Redactor();
    for (const secret of [bearer, ...secrets]) own.add(secret);
    // This call's own secrets first: a member of broken JSON may end in the middle of a secret.
    const redact = (text: string): string => redactor.redact(own.redact(text));
    const reading: ReadSettings = { what, clock, maxReceiveBytes, redact };
    const response = await this.#fetch(String(new URL(target, base)), reading, {
      method,
      headers: headersOf(accept, body, bearer),
      redirect: "manual",
      signal,
      ...(body ? { body: JSON.stringify(typeof body === "function" ? body() : body) } : {}),
    });
    const redirect = redirectOf(response, reading);
    if (redirect) throw redirect;
    const answer = await bytesOf(response, reading);
    const { status } = response;
    if (status < 200 || status >= 300) throw apiErrorOf(answer, response, reading);
    return read(answer, status, reading);
  }

  async #fetch(url: string, { what, redact }: ReadSettings, init: FetchInit): Promise<FetchResponse> {
    try {
      return await fetchWith(this.#setup.fetch, url, init);
    } catch (error) {
      if (isAgentwireError(error)) throw error;
      throw unreachable(`${what}: cannot reach ${new URL(url).origin}`, error, redact);
    }
  }
}

/** Whether a target is on the server itself. */
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
