// Requests to a relay: headers, a limit of silence, and the relay's own words about an error.
import { fieldsOf } from "../core/checks.ts";
import { Deadline } from "../core/clock.ts";
import { type AgentwireError, ConnectError, isOurs } from "../core/errors.ts";
import { bytesOf, parsed, retryAfterOf, unreachable } from "../core/http/answer.ts";
import { type FetchInit, type FetchResponse, fetchWith } from "../core/http/fetch.ts";
import { credentialsInHeaders } from "../core/tell/credential-names.ts";
import type { Redactor } from "../core/tell/redact.ts";
import type { RemoteSettings } from "./options.ts";
import { type RelayAnswer, relayLost } from "./wire.ts";

/** ms between two beats of a relay, unless it says otherwise. */
const HEARTBEAT = 15_000;

/** After this number of missed beats the server is given up. */
const MISSED_BEATS = 2.5;

/** The largest answer that is no stream, such as a snapshot. */
const MAX_ANSWER = 64 * 1_048_576;

export interface RelayHttp {
  readonly settings: RemoteSettings;
  readonly redactor: Redactor;
  /** Tells the listeners of a frame. */
  frame(direction: "in" | "out", text: string): void;
}

/** Requests, one after the other. They are aborted when nothing has arrived for too long, and when the client closes. */
export class RelayExchange {
  readonly #http: RelayHttp;
  readonly #controller = new AbortController();
  readonly #idle: Deadline;
  #reject: (reason: unknown) => void = () => {};

  constructor(http: RelayHttp, heartbeat = HEARTBEAT) {
    this.#http = http;
    const expire = (): void => this.end(relayLost("nothing came from the relay for too long"));
    this.#idle = new Deadline(http.settings.clock, MISSED_BEATS * heartbeat, expire);
  }

  /** Waits for one thing at a time. Rejects once the exchange has ended: a `fetch` of the caller may ignore its signal. */
  until<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const { signal } = this.#controller;
      this.#reject = reject;
      if (signal.aborted) reject(signal.reason);
      work.then(resolve, reject);
    });
  }

  /** @param begins called right before the request is sent */
  async open(
    path: string,
    init: Pick<FetchInit, "method" | "headers" | "body">,
    begins: () => void = () => {},
  ): Promise<FetchResponse> {
    const { address, credentials, fetch, headers } = this.#http.settings;
    if (address.startsWith("/") && !fetch && !("location" in globalThis))
      throw new ConnectError(
        "`url` of `remote` has no host, which works in a page only: pass https://example.org/chats.",
        { retryable: false },
      );
    this.#idle.start();
    const own = await this.until(Promise.resolve(headers()));
    this.#http.redactor.use("headers", ...credentialsInHeaders(own));
    begins();
    return this.until(
      fetchWith(fetch, address + path, {
        ...init,
        ...(credentials && { credentials }),
        headers: { ...own, ...init.headers },
        redirect: "manual",
        signal: this.#controller.signal,
      }),
    );
  }

  /** Something has arrived. */
  touch(): void {
    this.#idle.touch();
  }

  /** Ends the requests, if they have not ended. */
  end(reason: AgentwireError = wasClosed()): void {
    this.#idle.stop();
    this.#controller.abort(reason);
    this.#reject(reason);
  }

  error(thrown: unknown, problem = "the relay cannot be reached"): AgentwireError {
    return isOurs(thrown) ? thrown : unreachable(problem, thrown, this.#redact);
  }

  /** An answer that is no stream. Its fields are empty if it has no JSON, or broke off. */
  async answer(response: FetchResponse): Promise<RelayAnswer> {
    const { status, headers } = response;
    const { clock } = this.#http.settings;
    const reading = { what: "the relay", maxReceiveBytes: MAX_ANSWER, clock, redact: this.#redact };
    const bytes = this.until(bytesOf(response, reading));
    const body = fieldsOf(await bytes.then(parsed, () => undefined));
    const { message } = body;
    return {
      status,
      body,
      message: typeof message === "string" && message !== "" ? this.#redact(message) : `HTTP ${status}`,
      retryAfter: retryAfterOf(headers, clock),
    };
  }

  readonly #redact = (text: string): string => this.#http.redactor.redact(text);
}

export const wasClosed = (): ConnectError =>
  new ConnectError("the client was closed during the request", { retryable: false });
