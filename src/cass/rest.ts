import type * as z from "zod/mini";
import type { Logger } from "../core/client-options.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { said } from "../core/errors.ts";
import { Redactor } from "../core/redact.ts";
import { type CassCredentialOptions, type CassTokens, Credentials } from "./credentials.ts";
import type { FetchLike } from "./fetch.ts";
import { Http, type HttpCall } from "./http.ts";
import { renew } from "./rest-auth.ts";
import { RestHost } from "./rest-host.ts";
import type {
  CassConversationInfo,
  CassConversationList,
  CassConversationRecord,
  CassDeletion,
  CassLibrary,
  CassMessageList,
  CassModelChange,
  CassModelSettings,
  CassProviderChange,
  CassStatusReport,
  CassTitleChange,
  CassUser,
} from "./rest-shapes.ts";
import {
  conversationListShape,
  deletionShape,
  infoShape,
  libraryShape,
  messageListShape,
  modelSettingsShape,
  modelShape,
  providerShape,
  recordShape,
  statusShape,
  titleShape,
  tokenShape,
  userShape,
} from "./rest-shapes.ts";

/** Options of {@link CassRest}. Times are in ms, sizes in bytes. */
export interface CassRestOptions extends CassCredentialOptions {
  /**
   * Where the server is: the base of its routes, `https://host/cass/`, or the address of its socket, `wss://host/cass/ws`,
   * which tells it too. A function is called for every call.
   */
  readonly url: string | URL | (() => string | URL | Promise<string | URL>);
  /** Used instead of the platform's `fetch`. */
  readonly fetch?: FetchLike;
  /** Until one try of a call is answered; 0 waits without end. Also until a `token` function has given one. @default 10_000 */
  readonly timeout?: number;
  /** Further tries of calls that may be repeated, after 429, 5xx and failures of the network. @default 2: a restart is not worth an error */
  readonly retries?: number;
  /** Of one answer. @default 134_217_728 (128 MiB), as for frames */
  readonly maxReceiveBytes?: number;
  /** Lets credentials travel over plain `http://` to another machine. @default false: everyone on the way could read them */
  readonly allowInsecure?: boolean;
  /** Aborting it ends all calls, as `close()` does. */
  readonly signal?: AbortSignal;
  /** Hears of an `onTokens` that throws. */
  readonly logger?: Logger;
  /** Time and chance; tests inject a `ManualClock`. @default the platform's */
  readonly clock?: Clock;
}

/** Options of every call. */
export interface CassCallOptions {
  /** Stops waiting for the answer: the call fails with a `ConnectError`. The server may have done it all the same. */
  readonly signal?: AbortSignal;
}

export interface CassLogin {
  readonly email: string;
  readonly password: string;
}

export interface CassRegistration extends CassLogin {
  readonly displayName: string;
}

/** Who has logged in. */
export interface CassSession extends Required<CassTokens> {
  readonly userId: string;
}

export interface CassNewConversation {
  /** @default the server's: `New Conversation` */
  readonly title?: string;
  readonly projectId?: string;
  /** Whose it is to be. @default the user of the token */
  readonly userId?: string;
}

/**
 * The REST routes of a Cass server. Works alone, before there is a socket, and as `client.rest` with the tokens of a client.
 */
export class CassRest {
  readonly #host: RestHost;

  /** @throws InvalidInputError for options that cannot work. */
  constructor(options: CassRestOptions) {
    this.#host = options instanceof RestHost ? options : hostOf(options);
  }

  /** Logs in. From now on the tokens are used that come of it. Never tried twice. */
  async login(login: CassLogin, options: CassCallOptions = {}): Promise<CassSession> {
    return this.#enter("auth/login", login, { email: login.email, password: login.password }, options);
  }

  /** Makes an account, and is logged in. Never tried twice. */
  async register(registration: CassRegistration, options: CassCallOptions = {}): Promise<CassSession> {
    const { email, password, displayName } = registration;
    return this.#enter(
      "auth/register",
      registration,
      { email, password, display_name: displayName },
      options,
    );
  }

  /** Gets a fresh access token, with the refresh token or from the `token` function. */
  async refresh(_options: CassCallOptions = {}): Promise<CassTokens> {
    return { accessToken: await this.#host.credentials.fresh() };
  }

  /** Whose the token is. */
  async me(options: CassCallOptions = {}): Promise<CassUser> {
    return this.#get("auth/me", userShape, options);
  }

  async listConversations(
    options: CassCallOptions & { readonly limit?: number } = {},
  ): Promise<CassConversationList> {
    return this.#get(`conversations${queryOf({ limit: options.limit })}`, conversationListShape, options);
  }

  /** Starts a conversation, for the user of the token unless another id is given. Never tried twice. */
  async newConversation(options: CassCallOptions & CassNewConversation = {}): Promise<CassConversationInfo> {
    const { title, projectId, userId = this.#host.credentials.userId } = options;
    const body = { title, project_id: projectId, user_id: userId };
    return this.#send("POST", "conversations/new", body, infoShape, options);
  }

  /** The conversation that messages go to which name none; made when there is none. Not on older servers. */
  async continuousConversation(options: CassCallOptions = {}): Promise<CassConversationInfo> {
    return this.#get("conversations/continuous", infoShape, options);
  }

  async getConversation(id: string, options: CassCallOptions = {}): Promise<CassConversationRecord> {
    return this.#get(`conversations/${segment(id)}`, recordShape, options);
  }

  /**
   * The last messages of a conversation. Their ids are places, counted from the newest: no keys. Not on older servers, which
   * answer 404 with `Not Found`.
   */
  async getMessages(
    id: string,
    options: CassCallOptions & { readonly limit?: number; readonly sinceHours?: number } = {},
  ): Promise<CassMessageList> {
    const { limit, sinceHours } = options;
    const query = queryOf({ limit, since_hours: sinceHours });
    return this.#get(`conversations/${segment(id)}/messages${query}`, messageListShape, options);
  }

  async setTitle(id: string, title: string, options: CassCallOptions = {}): Promise<CassTitleChange> {
    return this.#send("PUT", `conversations/${segment(id)}/title`, { title }, titleShape, options);
  }

  async deleteConversation(id: string, options: CassCallOptions = {}): Promise<CassDeletion> {
    return this.#send("DELETE", `conversations/${segment(id)}`, undefined, deletionShape, options);
  }

  async getModel(options: CassCallOptions = {}): Promise<CassModelSettings> {
    return this.#get("settings/llm-provider", modelSettingsShape, options);
  }

  /** Of the whole server, for connections to come. */
  async setProvider(provider: string, options: CassCallOptions = {}): Promise<CassProviderChange> {
    return this.#send("POST", "settings/llm-provider", { provider }, providerShape, options);
  }

  /** Of the whole server, for connections to come. */
  async setModel(model: string, options: CassCallOptions = {}): Promise<CassModelChange> {
    return this.#send("POST", "settings/llm-model", { model }, modelShape, options);
  }

  async getStatus(options: CassCallOptions = {}): Promise<CassStatusReport> {
    return this.#get("status", statusShape, options);
  }

  async getLibrary(options: CassCallOptions = {}): Promise<CassLibrary> {
    return this.#get("gestures/library", libraryShape, options);
  }

  /** Ends all calls; who waits, and who calls later, gets a `ClosedError`. */
  close(): void {
    this.#host.http.close();
  }

  async #enter(path: string, _input: object, body: object, options: CassCallOptions): Promise<CassSession> {
    const reply = await this.#send("POST", path, body, tokenShape, options);
    const { access_token: accessToken, refresh_token, user_id } = reply;
    const tokens = { accessToken, refreshToken: refresh_token ?? "" };
    this.#host.credentials.use(tokens, user_id ?? undefined);
    return { ...tokens, userId: user_id ?? "" };
  }

  #get<T>(path: string, shape: z.ZodMiniType<T>, options: CassCallOptions): Promise<T> {
    return this.#send("GET", path, undefined, shape, options);
  }

  async #send<T>(
    method: HttpCall["method"],
    path: string,
    body: object | undefined,
    shape: z.ZodMiniType<T>,
    { signal }: CassCallOptions,
  ): Promise<T> {
    const call = { method, path, repeatable: method !== "POST", signal, ...(body ? { body } : {}) };
    return shape.parse(await this.#host.http.call(call));
  }
}

function segment(id: string): string {
  return encodeURIComponent(id);
}

function queryOf(fields: Readonly<Record<string, number | undefined>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return given.length === 0 ? "" : `?${given.join("&")}`;
}

function hostOf(options: CassRestOptions): RestHost {
  const { url, fetch, timeout = 10_000, retries = 2, maxReceiveBytes = 134_217_728 } = options;
  const { allowInsecure = false, clock = systemClock } = options;
  const redactor = new Redactor();
  const http = new Http({ url, fetch, timeout, retries, maxReceiveBytes, allowInsecure, clock, redactor });
  const credentials = new Credentials({
    ...options,
    clock,
    redactor,
    timeout,
    refresh: (refreshToken) => renew(http, refreshToken),
    callbackThrew: (error, name) => options.logger?.warn(`${name}: ${said(error)}`),
  });
  return new RestHost(http, credentials);
}
