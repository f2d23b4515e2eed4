// Where access tokens come from, and their renewal, once for all callers.
import { describe } from "../../core/checks.ts";
import type { Clock } from "../../core/clock.ts";
import { ClosedError, copyError, InvalidInputError, isAgentwireError } from "../../core/errors.ts";
import { Waits } from "../../core/http/waits.ts";
import { cleanCause } from "../../core/tell/clean-cause.ts";
import type { Redactor } from "../../core/tell/redact.ts";
import { CassApiError, CassAuthError } from "../errors.ts";
import { readToken } from "./jwt.ts";

/** Gives an access token. `fresh`: the last token was refused or is about to expire. Otherwise a stored token is fine. */
export type CassTokenFunction = (ask: { readonly fresh: boolean }) => string | Promise<string>;

/** An access token, or a function that gives one. */
export type CassToken = string | CassTokenFunction;

/** The tokens that the server issues. */
export interface CassTokens {
  readonly accessToken: string;
  /** Gets new access tokens. */
  readonly refreshToken?: string;
}

/** The credentials of the user. Set `token` or `refreshToken`, or both. */
export interface CassCredentialOptions {
  /**
   * The access token, or a function that gives it. The function is called whenever a token is needed, with `fresh: true` if the last
   * token was refused or expires within a minute.
   */
  readonly token?: CassToken | undefined;
  /** Gets new access tokens when needed. Cannot be combined with a `token` function, which gets new tokens itself. */
  readonly refreshToken?: string | undefined;
  /** Called with all tokens that the server issues, for apps that store tokens. Errors that it throws are only reported. */
  readonly onTokens?: ((tokens: CassTokens) => void) | undefined;
}

export interface CredentialsSetup extends CassCredentialOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** ms for a token function; 0: no limit. */
  readonly timeout: number;
  /** Asks the server for new tokens. Has its own time limits. */
  readonly refresh: (refreshToken: string) => Promise<CassTokens>;
  /** Aborting the signal closes the credentials. */
  readonly signal?: AbortSignal | undefined;
  /** The user's `onTokens` threw. */
  readonly callbackThrew: (error: unknown, name: string) => void;
}

/** The source of new tokens. A login makes a new source: tokens that still come from the old source are another user's. */
type Source =
  | { readonly name: "none" }
  | { readonly name: "function"; readonly ask: CassTokenFunction }
  /** `refused`: the server has refused the refresh token, and will refuse it again. */
  | { readonly name: "server"; readonly refreshToken: string; readonly refused?: CassAuthError };

/** s before the expiry at which a token is renewed: the server checks the token a little later, when the connection is made. */
const EXPIRING = 60;

/** The tokens of one user. All callers share the tokens, and one renewal serves all callers. */
export class Credentials {
  readonly #setup: CredentialsSetup;
  readonly #waits: Waits;
  #source: Source;
  #known: string | undefined;
  /** The user that logged in: the token may not name its user. */
  #userId: string | undefined;
  #renewal: Promise<string> | undefined;
  /** Counts requests and tokens. `#latest` is the number of the current token: the answer to a request with a lower number is older. */
  #events = 0;
  #latest = 0;

  /** @throws InvalidInputError for an invalid token or refresh token. */
  constructor(setup: CredentialsSetup) {
    const { token, refreshToken, clock, signal } = setup;
    if (typeof token === "string") checkToken(token, "option `token`", "access");
    if (refreshToken !== undefined) checkToken(refreshToken, "option `refreshToken`", "refresh");
    if (typeof token === "function" && refreshToken !== undefined) {
      throw new InvalidInputError(
        "options `token`, as a function, and `refreshToken` are both given.",
        "Give one: the function gets new tokens itself.",
      );
    }
    this.#setup = setup;
    this.#waits = new Waits(clock, signal);
    this.#source = typeof token === "function" ? { name: "function", ask: token } : sourceOf(refreshToken);
    this.#set(typeof token === "string" ? token : undefined);
  }

  /** Whether a token exists or can be got. */
  get exists(): boolean {
    return this.#known !== undefined || this.renewable;
  }

  /** Whether a fresh token can be got. */
  get renewable(): boolean {
    return this.#source.name !== "none";
  }

  /** The last token, valid or not. */
  get known(): string | undefined {
    return this.#known;
  }

  /** The last tokens from the server, or the initial tokens. */
  get tokens(): CassTokens | undefined {
    return this.#known === undefined ? undefined : tokensOf(this.#known, this.#source);
  }

  /** The user of the current token, as far as known. */
  get userId(): string | undefined {
    const token = this.#known;
    return (token === undefined ? undefined : readToken(token)?.userId) ?? this.#userId;
  }

  /** A user has logged in: use these tokens from now on. */
  use(tokens: CassTokens, userId?: string): void {
    this.#userId = userId;
    this.#take(tokens);
  }

  /**
   * The token to use now; `undefined` without a token. A token that is about to expire is renewed first, if possible.
   * @throws CassAuthError if the token must be renewed and cannot be.
   */
  async current(): Promise<string | undefined> {
    if (this.#waits.closed) throw closedError();
    const token = this.#source.name === "function" ? await this.#kept(this.#source.ask) : this.#known;
    if (token !== undefined && !this.#isExpiring(token)) return token;
    return this.renewable ? this.fresh(token) : token;
  }

  /**
   * Another token than the refused one, or than the current one. Concurrent callers share one renewal. The new token may have the same
   * text: servers do not make two different tokens in one second.
   * @throws CassAuthError if no token can be got.
   */
  async fresh(refused?: string): Promise<string> {
    if (this.#waits.closed) throw closedError();
    const known = this.#known;
    if (refused !== undefined && known !== undefined && known !== refused && !this.#isExpiring(known))
      return known;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    try {
      return await this.#renewal;
    } catch (error) {
      throw isAgentwireError(error) ? copyError(error) : error; // several callers may share the error
    }
  }

  /** Ends every wait for a token. */
  close(): void {
    this.#waits.close();
  }

  /** The stored token of the user's function. A newer token may arrive during the call. */
  async #kept(ask: CassTokenFunction): Promise<string> {
    const order = ++this.#events;
    const got = await this.#got(() => this.#ask(ask, false));
    if (this.#latest > order && this.#known !== undefined) return this.#known;
    if (got instanceof CassAuthError) throw got;
    this.#set(got.accessToken);
    this.#latest = order; // a later request is newer, even if its answer came first
    return got.accessToken;
  }

  async #renew(): Promise<string> {
    const source = this.#source;
    const got = await this.#got(() => this.#askSource(source));
    if (this.#source !== source && this.#known !== undefined) return this.#known; // a user has logged in meanwhile
    if (got instanceof CassAuthError) {
      const { cause } = got;
      if (source.name === "server" && cause instanceof CassApiError && cause.status === 401)
        this.#source = { ...source, refused: got };
      throw got;
    }
    if (source.name === "server") this.#take(got);
    else this.#set(got.accessToken);
    return got.accessToken;
  }

  /** The answer, or the error. @throws ClosedError */
  async #got(ask: () => Promise<CassTokens>): Promise<CassTokens | CassAuthError> {
    try {
      return await ask();
    } catch (cause) {
      if (this.#waits.closed) throw closedError();
      return noToken(cleanCause(cause, (text) => this.#setup.redactor.redact(text)));
    }
  }

  /** Calls the user's function, with a time limit: every frame waits for the token. */
  async #ask(ask: CassTokenFunction, fresh: boolean): Promise<CassTokens> {
    const limits = { what: "the `token` function", timeout: this.#setup.timeout };
    const accessToken: unknown = await this.#waits.run(limits, async () => ask({ fresh }));
    checkToken(accessToken, "what the `token` function gave", "access");
    return { accessToken };
  }

  async #askSource(source: Source): Promise<CassTokens> {
    if (source.name === "function") return this.#ask(source.ask, true);
    if (source.name === "none") {
      const hint = "Log in, or give a `refreshToken` or a function as `token`.";
      throw new InvalidInputError("there is nothing to get one with.", hint);
    }
    const { refreshToken, refused } = source;
    if (refused) throw refused;
    const limits = { what: "refreshing the token", timeout: 0 };
    const tokens = await this.#waits.run(limits, () => this.#setup.refresh(refreshToken));
    return { refreshToken, ...tokens };
  }

  /** Stores the tokens that the server issued. */
  #take({ accessToken, refreshToken }: CassTokens): void {
    const { onTokens, callbackThrew } = this.#setup;
    this.#source = sourceOf(refreshToken);
    this.#set(accessToken);
    try {
      const later: unknown = onTokens?.(tokensOf(accessToken, this.#source));
      if (later instanceof Promise) later.catch((error: unknown) => callbackThrew(error, "onTokens"));
    } catch (error) {
      callbackThrew(error, "onTokens");
    }
  }

  #set(accessToken: string | undefined): void {
    const { redactor } = this.#setup;
    this.#latest = ++this.#events;
    this.#known = accessToken;
    redactor.use(this, accessToken, this.#source.name === "server" ? this.#source.refreshToken : undefined);
  }

  #isExpiring(token: string): boolean {
    const expiresAt = readToken(token)?.expiresAt;
    return expiresAt !== undefined && expiresAt - this.#setup.clock.wallTime() / 1000 < EXPIRING;
  }
}

function closedError(): ClosedError {
  return new ClosedError("the client was closed; make a new one");
}

function sourceOf(refreshToken: string | undefined): Source {
  return refreshToken === undefined ? { name: "none" } : { name: "server", refreshToken };
}

function tokensOf(accessToken: string, source: Source): CassTokens {
  return source.name === "server" ? { accessToken, refreshToken: source.refreshToken } : { accessToken };
}

/**
 * The error for a missing token. Retryable unless a retry would fail in the same way. Errors of the user's function are not quoted: their
 * messages may hold anything.
 */
function noToken(cause: unknown): CassAuthError {
  if (cause instanceof CassAuthError) return cause;
  const [why, retryable] = isAgentwireError(cause)
    ? [cause.message, cause.retryable]
    : ["the `token` function failed; its error is the cause", true];
  return new CassAuthError("refresh-failed", `no token to be had: ${why}`, { cause, retryable });
}

const OTHERS = {
  access: { kind: "an access token", other: "refresh", hint: "Give it as `refreshToken`." },
  refresh: { kind: "a refresh token", other: "access", hint: "Give it as `token`." },
} as const;

function checkToken(token: unknown, what: string, type: "access" | "refresh"): asserts token is string {
  const { kind, other, hint } = OTHERS[type];
  const must = `It must be ${kind}, a string.`;
  if (typeof token !== "string" || token === "")
    throw new InvalidInputError(`${what} is ${describe(token)}.`, must);
  // Often a line break at the end of a token. Lone surrogates also fit in no header and no address.
  if (/[\p{Cc}\p{Cs}]/u.test(token))
    throw new InvalidInputError(`${what} holds a line break or another control character.`, must);
  if (readToken(token)?.type === other)
    throw new InvalidInputError(`${what} is ${other === "access" ? "an" : "a"} ${other} token.`, hint);
}
