import { describe } from "../../core/checks.ts";
import { cleanCause } from "../../core/client/clean-cause.ts";
import type { Redactor } from "../../core/client/redact.ts";
import type { Clock } from "../../core/clock.ts";
import { ClosedError, copyError, InvalidInputError, isAgentwireError } from "../../core/errors.ts";
import { CassApiError, CassAuthError } from "../errors.ts";
import { Waits } from "../rest/waits.ts";
import { readToken } from "./jwt.ts";

/** Gives an access token. `fresh`: the last one was refused, or is about to expire; otherwise a kept one will do. */
export type CassTokenFunction = (ask: { readonly fresh: boolean }) => string | Promise<string>;

/** An access token, or where to get one. */
export type CassToken = string | CassTokenFunction;

/** Tokens as the server gives them out. */
export interface CassTokens {
  readonly accessToken: string;
  /** Gets new access tokens. */
  readonly refreshToken?: string;
}

/** The credentials of the user. Apps set `token` or `refreshToken`, or both. */
export interface CassCredentialOptions {
  /**
   * The access token, or a function that gives it: called whenever a token is needed, with `fresh: true` if the last one was
   * refused or expires within a minute.
   */
  readonly token?: CassToken | undefined;
  /** Gets new access tokens when they are needed. Not together with a function, which does that itself. */
  readonly refreshToken?: string | undefined;
  /** Told of all tokens that the server gives out; for apps that keep them. What it throws is reported and hurts nothing. */
  readonly onTokens?: ((tokens: CassTokens) => void) | undefined;
}

export interface CredentialsSetup extends CassCredentialOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** ms for a token function; 0 for no limit. */
  readonly timeout: number;
  /** Asks the server for new tokens, with limits of its own. */
  readonly refresh: (refreshToken: string) => Promise<CassTokens>;
  /** Aborting it closes. */
  readonly signal?: AbortSignal | undefined;
  /** The user's `onTokens` threw. */
  readonly callbackThrew: (error: unknown, name: string) => void;
}

/** Where new tokens come from. A login makes a new source: what the old one still gives is another user's. */
type Source =
  | { readonly name: "none" }
  | { readonly name: "function"; readonly ask: CassTokenFunction }
  /** Once the server has refused the token, it refuses it again. */
  | { readonly name: "server"; readonly refreshToken: string; readonly refused?: CassAuthError };

/** s before a token expires from which on it is renewed: the server checks it a little later, when the connection is made. */
const EXPIRING = 60;

/** The tokens of one user. All that speak for the user share them, and renew a token once. */
export class Credentials {
  readonly #setup: CredentialsSetup;
  readonly #waits: Waits;
  #source: Source;
  #known: string | undefined;
  /** The user that logged in: the token may not name one. */
  #userId: string | undefined;
  #renewal: Promise<string> | undefined;
  /** Counts questions and answers. The present token is the answer `#latest`: answers to older questions are older than it. */
  #events = 0;
  #latest = 0;

  /** @throws InvalidInputError for a token or refresh token that cannot be one. */
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

  /** Whether there is a token, or could be. */
  get exists(): boolean {
    return this.#known !== undefined || this.renewable;
  }

  /** Whether there is a way to a fresh token. */
  get renewable(): boolean {
    return this.#source.name !== "none";
  }

  /** The last token that was given, whether or not it is good. */
  get known(): string | undefined {
    return this.#known;
  }

  /** What the server gave out last, or was given at first. */
  get tokens(): CassTokens | undefined {
    return this.#known === undefined ? undefined : tokensOf(this.#known, this.#source);
  }

  /** The user of the present token, as far as that is known. */
  get userId(): string | undefined {
    const token = this.#known;
    return (token === undefined ? undefined : readToken(token)?.userId) ?? this.#userId;
  }

  /** A user has logged in: from now on use these tokens. */
  use(tokens: CassTokens, userId?: string): void {
    this.#userId = userId;
    this.#take(tokens);
  }

  /**
   * The token for use now; undefined where there is none. One that is about to expire is renewed before, if it can be.
   * @throws CassAuthError when it has to be renewed and cannot be
   */
  async current(): Promise<string | undefined> {
    if (this.#waits.closed) throw closedError();
    const token = this.#source.name === "function" ? await this.#kept(this.#source.ask) : this.#known;
    if (token !== undefined && !this.#isExpiring(token)) return token;
    return this.renewable ? this.fresh(token) : token;
  }

  /**
   * Another token than the refused one, or than the present one. All that need one at the same time share it. It may be the same
   * text: servers do not make two different tokens in one second.
   * @throws CassAuthError when none can be got
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
      throw isAgentwireError(error) ? copyError(error) : error; // several may wait for it
    }
  }

  /** Ends every wait for a token. */
  close(): void {
    this.#waits.close();
  }

  /** The token that the user's function has kept. A newer one may come while the function is asked. */
  async #kept(ask: CassTokenFunction): Promise<string> {
    const order = ++this.#events;
    const got = await this.#got(() => this.#ask(ask, false));
    if (this.#latest > order && this.#known !== undefined) return this.#known;
    if (got instanceof CassAuthError) throw got;
    this.#set(got.accessToken);
    this.#latest = order; // the answer to a later question is newer, also if it came before
    return got.accessToken;
  }

  async #renew(): Promise<string> {
    const source = this.#source;
    const got = await this.#got(() => this.#askSource(source));
    if (this.#source !== source && this.#known !== undefined) return this.#known; // somebody has logged in
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

  /** The answer, or why there is none. @throws ClosedError */
  async #got(ask: () => Promise<CassTokens>): Promise<CassTokens | CassAuthError> {
    try {
      return await ask();
    } catch (cause) {
      if (this.#waits.closed) throw closedError();
      return noToken(cleanCause(cause, (text) => this.#setup.redactor.redact(text)));
    }
  }

  /** All that is to be sent waits for the token, so the function has a limit. */
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

  /** The server gave out tokens. */
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

/** Retryable unless it would fail in the same way again. The user's own errors are not quoted: they may hold anything. */
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
  // Usually a line break at the end; no header and no address takes half a character either.
  if (/[\p{Cc}\p{Cs}]/u.test(token))
    throw new InvalidInputError(`${what} holds a line break or another control character.`, must);
  if (readToken(token)?.type === other)
    throw new InvalidInputError(`${what} is ${other === "access" ? "an" : "a"} ${other} token.`, hint);
}
