import { describe } from "../../core/checks.ts";
import { cleanCause } from "../../core/client/clean-cause.ts";
import type { Redactor } from "../../core/client/redact.ts";
import type { Clock } from "../../core/clock.ts";
import {
  ClosedError,
  copyError,
  InvalidInputError,
  isAgentwireError,
  withoutCode,
} from "../../core/errors.ts";
import { CassApiError, CassAuthError } from "../errors.ts";
import { Waits } from "../rest/waits.ts";
import { readToken } from "./jwt.ts";

/** Gives an access token. `fresh`: the last one was refused, or is about to expire; otherwise one that was kept will do. */
export type CassTokenFunction = (ask: { readonly fresh: boolean }) => string | Promise<string>;

/** An access token, or where to get one. */
export type CassToken = string | CassTokenFunction;

/** Tokens as the server gives them out. */
export interface CassTokens {
  readonly accessToken: string;
  /** With it, new access tokens can be had. */
  readonly refreshToken?: string;
}

/** The options that say who the user is. */
export interface CassCredentialOptions {
  /**
   * The access token, or a function that gives it: asked whenever one is needed, with `fresh: true` if the last one was
   * refused or expires within a minute.
   */
  readonly token?: CassToken | undefined;
  /** With it new access tokens are got when they are needed. Not together with a function, which does that itself. */
  readonly refreshToken?: string | undefined;
  /** Told of all tokens that the server gives out, to keep them. What it throws is reported and hurts nothing. */
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

/** What was asked for, or why not. */
type Got = { readonly tokens: CassTokens } | { readonly error: CassAuthError };

/** s before a token expires from which on it is renewed: it is checked when the connection is made, which takes its time. */
const EXPIRING = 60;

/** Where the tokens of one user come from. Shared by all that speak for the user, so that they renew a token once. */
export class Credentials {
  readonly #setup: CredentialsSetup;
  readonly #waits: Waits;
  /** Undefined once the server has given out tokens. */
  #source: CassTokenFunction | undefined;
  #known: string | undefined;
  #refreshToken: string | undefined;
  /** Who it was that logged in: the token itself may not tell. */
  #userId: string | undefined;
  /** What the server thinks of the refresh token. It will think the same of it the next time. */
  #refused: CassAuthError | undefined;
  #renewal: Promise<string> | undefined;
  /** Counts what happens; what was asked for before `#latest`, which the present token came by, is older than that. */
  #events = 0;
  #latest = 0;
  /** The last time that somebody logged in: what was asked for before is somebody else's. */
  #login = 0;

  /** @throws InvalidInputError for a token or refresh token that cannot be one. */
  constructor(setup: CredentialsSetup) {
    const { token, refreshToken, clock, signal } = setup;
    if (typeof token === "string") checkAccessToken(token, "option `token`");
    if (refreshToken !== undefined) checkRefreshToken(refreshToken);
    if (typeof token === "function" && refreshToken !== undefined) {
      throw new InvalidInputError(
        "options `token`, as a function, and `refreshToken` are both given.",
        "Give one: the function gets new tokens itself.",
      );
    }
    this.#setup = setup;
    this.#waits = new Waits(clock, signal);
    if (typeof token === "function") this.#source = token;
    else this.#known = token;
    this.#refreshToken = refreshToken;
    this.#keepSecret();
  }

  /** Whether there is a token, or could be. */
  get exists(): boolean {
    return this.#known !== undefined || this.renewable;
  }

  /** Whether there is a way to a fresh token: a function, or a refresh token. */
  get renewable(): boolean {
    return (this.#source ?? this.#refreshToken) !== undefined;
  }

  /** The present token: the last that was given, whatever it is worth. */
  get known(): string | undefined {
    return this.#known;
  }

  /** What the server gave out last, or was given at first. */
  get tokens(): CassTokens | undefined {
    if (this.#known === undefined) return undefined;
    return tokensOf(this.#known, this.#refreshToken);
  }

  /** Whose the present token is, as far as it can be told. */
  get userId(): string | undefined {
    const token = this.#known;
    return (token === undefined ? undefined : readToken(token)?.userId) ?? this.#userId;
  }

  /** From now on these, of whoever has logged in. */
  use(tokens: CassTokens, userId?: string): void {
    this.#source = undefined;
    this.#userId = userId;
    this.#login = ++this.#events;
    this.#take(tokens);
  }

  /**
   * The token for use now, or undefined where there is none. One that is about to expire is renewed before, if it can be.
   * @throws CassAuthError when it has to be renewed and cannot be
   */
  async current(): Promise<string | undefined> {
    if (this.#waits.closed) throw closedError();
    const token = this.#source ? await this.#kept(this.#source) : this.#known;
    if (token !== undefined && !this.#isExpiring(token)) return token;
    if (!this.renewable) return token;
    return this.fresh(token);
  }

  /**
   * Another token than the one that was refused, or than the present one. All who need one at the same time share it. It may
   * be the same text: servers do not make two different tokens in one second.
   * @throws CassAuthError when there is none to be had
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

  /** Nobody waits for a token any more. */
  close(): void {
    this.#waits.close();
  }

  /** What the user's function has kept. While it was asked, something newer may have come. */
  async #kept(source: CassTokenFunction): Promise<string> {
    const order = ++this.#events;
    const got = await this.#got(this.#ask(source, false));
    if (this.#latest > order && this.#known !== undefined) return this.#known;
    if ("error" in got) throw got.error;
    this.#known = got.tokens.accessToken;
    this.#latest = order; // and not now: what was asked for later is newer, though it may have come before
    this.#keepSecret();
    return this.#known;
  }

  async #renew(): Promise<string> {
    const order = ++this.#events;
    const source = this.#source;
    const got = await this.#got(source ? this.#ask(source, true) : this.#askServer());
    if (this.#login > order && this.#known !== undefined) return this.#known;
    if (!("error" in got)) return source ? this.#set(got.tokens.accessToken) : this.#take(got.tokens);
    const { cause } = got.error;
    if (!source && cause instanceof CassApiError && cause.status === 401) this.#refused = got.error;
    throw got.error;
  }

  /** Waits, and tells why in vain. Throws for who is closed. */
  async #got(asking: Promise<CassTokens>): Promise<Got> {
    try {
      return { tokens: await asking };
    } catch (cause) {
      if (this.#waits.closed) throw closedError();
      return { error: noToken(cleanCause(cause, (text) => this.#setup.redactor.redact(text))) };
    }
  }

  /** Everything that is to be sent waits for the token, so the function has a limit. */
  async #ask(source: CassTokenFunction, fresh: boolean): Promise<CassTokens> {
    const { timeout } = this.#setup;
    const limits = { what: "the `token` function", timeout };
    const accessToken: unknown = await this.#waits.run(limits, async () => source({ fresh }));
    checkAccessToken(accessToken, "what the `token` function gave");
    return { accessToken };
  }

  async #askServer(): Promise<CassTokens> {
    if (this.#refused) throw this.#refused;
    const refreshToken = this.#refreshToken;
    if (refreshToken === undefined) {
      const hint = "Log in, or give a `refreshToken` or a function as `token`.";
      throw new InvalidInputError("there is nothing to get one with.", hint);
    }
    const limits = { what: "refreshing the token", timeout: 0 };
    const tokens = await this.#waits.run(limits, () => this.#setup.refresh(refreshToken));
    return { refreshToken, ...tokens };
  }

  /** Tokens that the server gave out. */
  #take(tokens: CassTokens): string {
    const { accessToken, refreshToken } = tokens;
    this.#refreshToken = refreshToken;
    this.#refused = undefined;
    this.#set(accessToken);
    this.#tell(tokensOf(accessToken, refreshToken));
    return accessToken;
  }

  #set(accessToken: string): string {
    this.#latest = ++this.#events;
    this.#known = accessToken;
    this.#keepSecret();
    return accessToken;
  }

  #keepSecret(): void {
    this.#setup.redactor.use(this, this.#known, this.#refreshToken);
  }

  #tell(tokens: CassTokens): void {
    const { onTokens, callbackThrew } = this.#setup;
    try {
      const later: unknown = onTokens?.(tokens);
      if (later instanceof Promise) later.catch((error: unknown) => callbackThrew(error, "onTokens"));
    } catch (error) {
      callbackThrew(error, "onTokens");
    }
  }

  #isExpiring(token: string): boolean {
    const expiresAt = readToken(token)?.expiresAt;
    return expiresAt !== undefined && expiresAt - this.#setup.clock.wallTime() / 1000 < EXPIRING;
  }
}

function closedError(): ClosedError {
  return new ClosedError("the client was closed; make a new one");
}

function tokensOf(accessToken: string, refreshToken: string | undefined): CassTokens {
  return refreshToken === undefined ? { accessToken } : { accessToken, refreshToken };
}

/** Only what would fail again in the same way is final. The user's own errors are not quoted: nobody knows what they hold. */
function noToken(cause: unknown): CassAuthError {
  if (cause instanceof CassAuthError) return cause;
  if (!isAgentwireError(cause)) {
    const message = "no token to be had: the `token` function failed; its error is the cause";
    return new CassAuthError("refresh-failed", message, { cause, retryable: true });
  }
  const { retryable } = cause;
  return new CassAuthError("refresh-failed", `no token to be had: ${withoutCode(cause)}`, {
    cause,
    retryable,
  });
}

function checkAccessToken(token: unknown, what: string): asserts token is string {
  const hint = "It must be an access token, a string.";
  if (typeof token !== "string" || token === "") {
    throw new InvalidInputError(`${what} is ${describe(token)}.`, hint);
  }
  if (!isSendable(token)) {
    throw new InvalidInputError(`${what} holds a line break or another control character.`, hint);
  }
  if (readToken(token)?.type === "refresh") {
    throw new InvalidInputError(`${what} is a refresh token.`, "Give it as `refreshToken`.");
  }
}

function checkRefreshToken(token: unknown): void {
  const hint = "It must be a refresh token, a string.";
  if (typeof token !== "string" || token === "")
    throw new InvalidInputError(`option \`refreshToken\` is ${describe(token)}.`, hint);
  if (!isSendable(token))
    throw new InvalidInputError(
      "option `refreshToken` holds a line break or another control character.",
      hint,
    );
  if (readToken(token)?.type === "access")
    throw new InvalidInputError("option `refreshToken` is an access token.", "Give it as `token`.");
}

/** A line break at its end is the usual case; half a character is the other that no header and no address takes. */
function isSendable(token: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(token);
}
