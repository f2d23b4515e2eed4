import type { Clock } from "../core/clock.ts";
import type { Redactor } from "../core/redact.ts";
import type { FetchLike } from "./fetch.ts";

/** Where the server is. A function is asked for every call. */
export type HttpAddress = string | URL | (() => string | URL | Promise<string | URL>);

export interface HttpSetup {
  /** The base of the routes, or the address of the socket. */
  readonly url: HttpAddress;
  /** The platform's where it is undefined, read at each call. */
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
}

export interface HttpCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to the base, escaped, with its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** The access token to send. */
  readonly bearer?: string | undefined;
  /** What the body holds and nobody is to see. */
  readonly secrets?: readonly string[];
  /** Whether doing it twice is as good as once. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Calls of one server's REST routes: JSON out and in, each within its limits, and without credentials in what is said of it. */
export class Http {
  readonly url: HttpAddress;
  readonly #setup: HttpSetup;

  /** @throws InvalidInputError for an address that cannot be used. */
  constructor(setup: HttpSetup) {
    this.url = setup.url;
    this.#setup = setup;
  }

  /** The JSON that a call was answered with. */
  async call(call: HttpCall): Promise<unknown> {
    throw new TypeError(`${call.method} ${this.#setup.timeout}`);
  }

  /** Everybody who waits gets a `ClosedError`, and so does who calls. */
  close(): void {}
}
