import { describe } from "../../core/checks.ts";
import { cleanCause } from "../../core/client/clean-cause.ts";
import { Redactor } from "../../core/client/redact.ts";
import type { Clock } from "../../core/clock.ts";
import { ConnectError, InvalidInputError, isAgentwireError, UnsupportedError } from "../../core/errors.ts";
import { jittered } from "../../core/link/backoff.ts";
import { assertPrivate } from "../../core/link/private-address.ts";
import type { Reads } from "../../core/schemas.ts";
import type { Credentials } from "../auth/credentials.ts";
import { CassApiError } from "../errors.ts";
import { checkAddress, httpBaseOf } from "./address.ts";
import {
  bytesOf,
  type FetchResponse,
  type Reading,
  readAnswer,
  redirectOf,
  refusalOf,
  unreachable,
} from "./answer.ts";
import { Waits } from "./waits.ts";

/** What a {@link FetchLike} is given. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Redirects are not followed: a call is meant for one server. */
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** The part of `fetch` that is used; the platform's fits. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Where the server is. A function is asked for every try. */
export type HttpAddress = string | URL | (() => string | URL | Promise<string | URL>);

export interface HttpSetup {
  /** The base of the routes, or the address of the socket. */
  readonly url: HttpAddress;
  /** Undefined for the platform's, read at each try. */
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

export interface HttpOptions {
  /** Sent to the server itself only. A token that the server refuses is renewed once. */
  readonly credentials?: Pick<Credentials, "current" | "fresh" | "renewable"> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpCall<T> extends HttpOptions {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to the base, and escaped. */
  readonly path: string;
  /** With its question mark. */
  readonly query?: string;
  /** Sent as JSON. A function is called when the token is known. */
  readonly body?: object | (() => object) | undefined;
  /** Parts of the body that appear in no error. */
  readonly secrets?: readonly string[];
  /** Whether doing it twice is as good as once. */
  readonly repeatable: boolean;
  readonly shape: Reads<T>;
}

/** A call or a download. */
interface Job<T> extends Omit<HttpCall<T>, "path" | "query" | "shape"> {
  /** For messages. */
  readonly what: string;
  /** Relative to the base, or a whole address. */
  readonly target: string;
  readonly accept: string;
  readonly read: (body: Uint8Array, status: number, reading: Reading) => T;
}

/** ms that the first wait before another try takes at most; each further one may be twice as long. */
const FIRST_WAIT = 500;

/** ms that a call waits before another try. When a server asks for more, the call fails: the caller can decide better. */
const LONGEST_WAIT = 30_000;

/** Calls of one server's routes: JSON out and in, each within its limits, and no credentials in errors. */
export class Http {
  readonly #setup: HttpSetup;
  readonly #waits: Waits;

  /** @throws InvalidInputError for an address that cannot be used. */
  constructor(setup: HttpSetup) {
    if (typeof setup.url !== "function") checkAddress(setup.url);
    this.#setup = setup;
    this.#waits = new Waits(setup.clock, setup.signal);
  }

  /** @throws InvalidInputError when credentials would travel unencrypted to another machine, as far as that is known. */
  assertPrivate(): void {
    const { url, allowInsecure } = this.#setup;
    if (typeof url !== "function" && !allowInsecure) assertPrivate(checkAddress(url));
  }

  /**
   * Calls a route.
   * @throws CassApiError for an answer of another shape or status; ConnectError, RequestTimeoutError, PayloadTooLargeError or
   *   ClosedError where no answer is read
   */
  call<T>(call: HttpCall<T>): Promise<T> {
    const { path, query = "", shape, signal } = call;
    const what = `${call.method} /${path}`;
    const job: Job<T> = {
      ...call,
      what,
      target: `${path}${query}`,
      accept: "application/json",
      read: (body, status, reading) => readAnswer(body, status, shape, reading),
    };
    return this.wait(what, signal, (wanted) => this.#asUser(job, wanted));
  }

  /** The bytes at an address. Another server gets no credentials. Fails as `call()` does. */
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

  /** Work of several calls: ends when they would. */
  wait<T>(
    what: string,
    signal: AbortSignal | undefined,
    work: (wanted: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#waits.run({ what, timeout: 0, signal }, work);
  }

  /** Calls under way and later ones fail with a `ClosedError`. */
  close(): void {
    this.#waits.close();
  }

  /** What the routes are relative to. */
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

  /** A token that looks good may still be refused, for example by a server with a new secret. It is renewed once. */
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

  /** ms until another try. None after a time-out, which has cost the caller's patience already. */
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
    // First this call's own secrets: a member of broken JSON may end in the middle of one.
    const redact = (text: string): string => redactor.redact(own.redact(text));
    const reading: Reading = { what, clock, maxReceiveBytes, redact };
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
    if (status < 200 || status >= 300) throw refusalOf(answer, response, reading);
    return read(answer, status, reading);
  }

  async #fetch(url: string, { what, redact }: Reading, init: FetchInit): Promise<FetchResponse> {
    // Called without an object: browsers require that.
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

function isResponse(value: unknown): value is FetchResponse {
  if (typeof value !== "object" || value === null) return false;
  const { status, headers } = value as Partial<FetchResponse>;
  return typeof status === "number" && typeof headers?.get === "function";
}
