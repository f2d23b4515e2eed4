// Where the client's token comes from: an option, or a function that is called each time.
import { describe } from "../../core/checks.ts";
import { type Deferred, deferred } from "../../core/deferred.ts";
import { ClosedError, HandshakeError, InvalidInputError, RequestTimeoutError } from "../../core/errors.ts";
import { Table } from "../../core/table.ts";
import { cleanCause } from "../../core/tell/clean-cause.ts";
import type { Redactor } from "../../core/tell/redact.ts";
import type { CodebuffCore } from "../events.ts";

/**
 * The client's token, from an option or a function that is called each time. Also knows whether calls brought their own tokens. All
 * tokens are redacted.
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
    core.redactor.use(this, this.known); // a server may quote the token before the first prompt
  }

  /** The token if it is a string: the size of a frame can then be checked before sending. */
  get known(): string | undefined {
    return typeof this.#source === "string" ? this.#source : undefined;
  }

  /** Whether any token goes to the server: the client's, or a call's own. */
  get exists(): boolean {
    return this.#wasGiven || this.#source !== undefined;
  }

  /** A call brings its own token. */
  given(token: string): void {
    this.#core.redactor.add(token);
    this.#wasGiven = true;
  }

  /** The token. Returned at once if it is no function, so prompts do not wait needlessly. Rejects if the function throws. */
  get(): string | undefined | Promise<string | undefined> {
    return typeof this.#source === "function" ? this.#ask(this.#source) : this.#source;
  }

  /** The client is closed: ends all waits for tokens. */
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

  /** Calls the caller's function, unless the client was closed meanwhile. */
  #call(source: () => string | Promise<string>, isAwaited: () => boolean): Promise<string> {
    return new Promise((resolve) => {
      this.#core.outbox.tell(() => {
        if (isAwaited()) resolve((async () => source())());
      });
    });
  }

  /** Limits the time of the function: every frame waits for the token. */
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

/** ms for a token function: enough for a refresh over a slow network. */
const TOKEN_TIMEOUT = 30_000;

/** The error of a prompt or init that was never sent, because the token function failed. */
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
