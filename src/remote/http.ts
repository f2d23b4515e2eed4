// Requests to a relay: headers, a limit of silence, and the relay's own words about an error.
import { fieldsOf } from "../core/checks.ts";
import { Deadline } from "../core/clock.ts";
import { type AgentwireError, ConnectError, isOurs } from "../core/errors.ts";
import { bytesOf, parsed, retryAfterOf, unreachable } from "../core/http/answer.ts";
import { type FetchResponse, fetchWith } from "../core/http/fetch.ts";
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

/** One request. It is aborted when nothing has arrived for too long, and when the client closes. */
export class RelayExchange {
  readonly #http: RelayHttp;
  readonly #controller = new AbortController();
  readonly #idle: Deadline;

  constructor(http: RelayHttp, heartbeat = HEARTBEAT) {
    this.#http = http;
    const { clock } = http.settings;
    const expire = (): void => this.end(relayLost("nothing came from the relay for too long"));
    this.#idle = new Deadline(clock, MISSED_BEATS * heartbeat, expire);
  }

  /** Rejects once the exchange has ended. A `fetch` of the caller may ignore its signal. */
  async until<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    work.catch(() => {}); // the signal's reason is reported instead
    let onAbort = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * @param begins called right before the request is sent
   * @throws AgentwireError if there is no response
   */
  async open(
    path: string,
    init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string },
    begins: () => void = () => {},
  ): Promise<FetchResponse> {
    const { settings, redactor } = this.#http;
    const { address, credentials, fetch } = settings;
    this.#idle.start();
    try {
      const own = await this.until(Promise.resolve(settings.headers()));
      redactor.use("headers", ...credentialsInHeaders(own));
      const headers = { ...own, ...init.headers };
      begins();
      const { signal } = this.#controller;
      const more = credentials === undefined ? {} : { credentials };
      return await this.until(
        fetchWith(fetch, `${address}${path}`, { ...init, ...more, headers, redirect: "manual", signal }),
      );
    } catch (thrown) {
      throw this.error(thrown);
    }
  }

  /** Something has arrived. */
  touch(): void {
    this.#idle.touch();
  }

  /** Ends the request, if it has not ended. */
  end(reason: AgentwireError): void {
    this.#idle.stop();
    this.#controller.abort(reason);
  }

  error(thrown: unknown, problem = "the relay cannot be reached"): AgentwireError {
    if (isOurs(thrown)) return thrown;
    return unreachable(problem, thrown, (text) => this.#http.redactor.redact(text));
  }

  /** The JSON of an answer. Undefined if it is none. */
  async json(response: FetchResponse): Promise<unknown> {
    const { settings, redactor } = this.#http;
    const reading = {
      what: "the relay",
      maxReceiveBytes: MAX_ANSWER,
      clock: settings.clock,
      redact: (text: string) => redactor.redact(text),
    };
    return parsed(await this.until(bytesOf(response, reading)));
  }

  /** What the relay says about an error. */
  async answer(
    response: FetchResponse,
  ): Promise<RelayAnswer & { readonly body: Readonly<Record<string, unknown>> }> {
    const body = fieldsOf(await this.json(response).catch(() => undefined));
    const { code, message } = body;
    return {
      status: response.status,
      code: typeof code === "string" ? code : undefined,
      message: typeof message === "string" ? this.#http.redactor.redact(message) : "",
      retryAfter: retryAfterOf(response.headers, this.#http.settings.clock),
      body,
    };
  }
}

export interface RelayHttp {
  readonly settings: RemoteSettings;
  readonly redactor: Redactor;
  /** Tells listeners of a frame. */
  frame(direction: "in" | "out", text: string): void;
}

export const wasClosed = (): ConnectError =>
  new ConnectError("the client was closed during the request", { retryable: false });
