import { describe } from "../core/checks.ts";
import { cleanCause } from "../core/client/clean-cause.ts";
import type { Redactor } from "../core/client/redact.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import { ClosedError, HandshakeError, InvalidInputError, RequestTimeoutError } from "../core/errors.ts";
import { Table } from "../core/table.ts";
import type { CodebuffCore } from "./events.ts";

/**
 * The client's token, as a value or from a function that is asked each time; and whether calls brought tokens of their own.
 * Each one is kept out of what the library says.
 */
export class TokenSource {
  readonly #source: string | (() => string | Promise<string>) | undefined;
  readonly #core: Pick<CodebuffCore, "redactor" | "clock" | "outbox">;
  readonly #asking = new Table<Deferred<never>, true>();
  #wasGiven = false;

  constructor(
    source: string | (() => string | Promise<string>) | undefined,
    core: Pick<CodebuffCore, "redactor" | "clock" | "outbox">,
  ) {
    this.#source = source;
    this.#core = core;
    core.redactor.use(this, this.known); // a server may quote it before the first prompt
  }

  /** The token, if it is a value: the size of a frame can then be checked before sending. */
  get known(): string | undefined {
    return typeof this.#source === "string" ? this.#source : undefined;
  }

  /** Whether tokens go to the server: the client's, or the token of a call. */
  get exists(): boolean {
    return this.#wasGiven || this.#source !== undefined;
  }

  /** A call brings a token of its own. */
  given(token: string): void {
    this.#core.redactor.add(token);
    this.#wasGiven = true;
  }

  /** At once where that is possible, so that prompts do not wait for nothing. A function that throws gives a rejection. */
  get(): string | undefined | Promise<string | undefined> {
    return typeof this.#source === "function" ? this.#ask(this.#source) : this.#source;
  }

  /** The client is closed: ends the wait for tokens. */
  close(): void {
    for (const late of this.#asking.keys()) late.reject(new ClosedError("the client was closed"));
    this.#asking.clear();
  }

  async #ask(source: () => string | Promise<string>): Promise<string> {
    const token: unknown = await this.#inTime((isAwaited) => this.#call(source, isAwaited));
    if (typeof token !== "string" || token === "") {
      throw new InvalidInputError(
        `\`authToken\` returned ${describe(token)}.`,
        "It must return the token, a string.",
      );
    }
    this.#core.redactor.use(this, token);
    return token;
  }

  /** The function is the caller's code. A client that was closed meanwhile does not call it. */
  #call(source: () => string | Promise<string>, isAwaited: () => boolean): Promise<string> {
    return new Promise((resolve) => {
      this.#core.outbox.tell(() => {
        if (isAwaited()) resolve((async () => source())());
      });
    });
  }

  /** Everything that is to be sent waits for the token, so the function has a limit. */
  async #inTime<T>(ask: (isAwaited: () => boolean) => Promise<T>): Promise<T> {
    const late = deferred<never>();
    this.#asking.set(late, true);
    const error = new RequestTimeoutError("the `authToken` function did not answer", {
      timeout: TOKEN_TIMEOUT,
    });
    const cancel = this.#core.clock.setTimeout(() => late.reject(error), TOKEN_TIMEOUT, { unref: true });
    try {
      return await Promise.race([ask(() => this.#asking.has(late)), late.promise]);
    } finally {
      cancel();
      this.#asking.delete(late);
    }
  }
}

/** ms for a token function: long enough for a refresh over a slow network. */
const TOKEN_TIMEOUT = 30_000;

/** What a prompt or an init fails with that was never sent for want of a token. */
export function tokenFailed(thrown: unknown, redactor: Redactor): HandshakeError {
  const message = "the `authToken` function failed, so nothing was sent; its error is the cause";
  return new HandshakeError("refresh-failed", message, {
    cause: cleanCause(thrown, (text) => redactor.redact(text)),
  });
}

/** Adds a token to an action's JSON, which is an object with at least one member. */
export function withToken(json: string, token: string | undefined): string {
  if (token === undefined) return json;
  return `${json.slice(0, -1)},"authToken":${JSON.stringify(token)}}`;
}
