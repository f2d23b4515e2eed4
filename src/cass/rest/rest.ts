// The public class `CassRest`: a method for each REST route.
import { checkCallOptions } from "../../core/checks.ts";
import type { Reads } from "../../core/schemas.ts";
import type { CassTokens, Credentials } from "../auth/credentials.ts";
import { RestHost } from "./host.ts";
import type { CassHttp, CassHttpCall } from "./http.ts";
import {
  CALL,
  checkInput,
  checkText,
  LIST,
  LOGIN,
  MESSAGES,
  NEW,
  queryOf,
  REGISTRATION,
  segment,
} from "./input.ts";
import { type CassRestOptions, hostOf } from "./options.ts";
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
} from "./shapes.ts";
import * as shapes from "./shapes.ts";

/** Options of every call. */
export interface CassCallOptions {
  /** Aborting the signal stops the waiting: the call fails with a `ConnectError`. The server may still carry out the call. */
  readonly signal?: AbortSignal | undefined;
}

export interface CassLogin {
  readonly email: string;
  readonly password: string;
}

interface CassRegistration extends CassLogin {
  readonly displayName: string;
}

/** The user that has logged in. */
export interface CassSession extends Required<CassTokens> {
  readonly userId: string;
}

interface CassNewConversation {
  /** The server replaces any title once the conversation has two messages. @default the server's: `New Conversation` */
  readonly title?: string;
  readonly projectId?: string;
  /** The user of the conversation. @default the user of the token; older servers do not use the token for this */
  readonly userId?: string;
}

/**
 * The REST routes of a Cass server. Works alone, without a socket, or as a client's `rest` with the client's tokens.
 *
 * Invalid input throws an `InvalidInputError` at once. Every other error is a rejection: a `CassApiError` if the server refuses, a
 * `CassAuthError` if a token had to be renewed and could not be, a `ConnectError` without a server, a `RequestTimeoutError` or a
 * `PayloadTooLargeError`. An access token that is about to expire is renewed before a call. A refused token is renewed once. Redirects are
 * not followed.
 *
 * @example
 * const rest = new CassRest({ url: "http://127.0.0.1:8000/" });
 * const { userId } = await rest.login({ email, password });
 * const { conversations } = await rest.listConversations({ limit: 20 });
 */
export class CassRest {
  readonly #http: CassHttp;
  readonly #credentials: Credentials;

  /** @throws InvalidInputError for invalid options. */
  constructor(options: CassRestOptions) {
    const { http, credentials } = options instanceof RestHost ? options : hostOf(options);
    this.#http = http;
    this.#credentials = credentials;
  }

  /** Logs in. Later calls use this user's tokens; a socket stays whose it was until it connects again. Never tried twice. */
  login(login: CassLogin, options?: CassCallOptions): Promise<CassSession> {
    checkInput(login, LOGIN, "the login");
    const { email, password } = login;
    return this.#enter("auth/login", { email, password }, password, options);
  }

  /** Creates an account. Later calls use its tokens. Never tried twice. */
  register(registration: CassRegistration, options?: CassCallOptions): Promise<CassSession> {
    checkInput(registration, REGISTRATION, "the registration");
    const { email, password, displayName } = registration;
    return this.#enter("auth/register", { email, password, display_name: displayName }, password, options);
  }

  /**
   * Gets a fresh access token, with the refresh token or from the `token` function. The new token may have the same text: servers do not
   * make two different tokens in one second.
   * @throws CassAuthError if no token can be got
   */
  refresh(options: CassCallOptions = {}): Promise<CassTokens> {
    checkCallOptions(options, CALL);
    return this.#http.wait("refreshing the token", options.signal, async () => {
      const accessToken = await this.#credentials.fresh();
      return { ...this.#credentials.tokens, accessToken };
    });
  }

  /** The user of the token. */
  me(options?: CassCallOptions): Promise<CassUser> {
    return this.#asUser(get("auth/me", shapes.user), options);
  }

  /** The user's conversations, and those without a user; at most `limit`. */
  listConversations(
    options: CassCallOptions & { readonly limit?: number } = {},
  ): Promise<CassConversationList> {
    checkCallOptions(options, LIST);
    const { limit, signal } = options;
    return this.#asUser(
      { ...get("conversations", shapes.conversationList), query: queryOf({ limit }) },
      { signal },
    );
  }

  /** Starts a conversation. Never tried twice. */
  newConversation(options: CassCallOptions & CassNewConversation = {}): Promise<CassConversationInfo> {
    checkCallOptions(options, NEW);
    const { title, projectId: project_id, userId, signal } = options;
    // Built once the token is known: the token names the user of the conversation.
    const body = () => ({ title, project_id, user_id: userId ?? this.#credentials.userId });
    return this.#asUser(post("conversations/new", body, shapes.conversation), { signal });
  }

  /** The conversation for messages without a conversation id. The server creates it if needed. Older servers do not have it: 404. */
  continuousConversation(options?: CassCallOptions): Promise<CassConversationInfo> {
    return this.#asUser(get("conversations/continuous", shapes.conversation), options);
  }

  /** A conversation with all its messages. */
  getConversation(id: string, options?: CassCallOptions): Promise<CassConversationRecord> {
    return this.#asUser(get(`conversations/${segment(id)}`, shapes.record), options);
  }

  /**
   * The last messages of a conversation: at most `limit`, and only from the last `sinceHours` hours. Their ids are positions, counted
   * from the newest message, so they are no keys. Older servers answer 404, with `Not Found` as the `detail`.
   */
  getMessages(
    id: string,
    options: CassCallOptions & { readonly limit?: number; readonly sinceHours?: number } = {},
  ): Promise<CassMessageList> {
    checkCallOptions(options, MESSAGES);
    const { limit, sinceHours: since_hours, signal } = options;
    const call = get(`conversations/${segment(id)}/messages`, shapes.messageList);
    return this.#asUser({ ...call, query: queryOf({ limit, since_hours }) }, { signal });
  }

  /** Gives a conversation a title. */
  setTitle(id: string, title: string, options?: CassCallOptions): Promise<CassTitleChange> {
    checkText(title, "the title");
    const call = get(`conversations/${segment(id)}/title`, shapes.titleChange);
    return this.#asUser({ ...call, method: "PUT", body: { title } }, options);
  }

  /** Deletes a conversation. If the answer to a try is lost, the next try may get 404: the conversation is already deleted. */
  deleteConversation(id: string, options?: CassCallOptions): Promise<CassDeletion> {
    return this.#asUser(
      { ...get(`conversations/${segment(id)}`, shapes.deletion), method: "DELETE" },
      options,
    );
  }

  /** The current language model and the available ones. Sends no token. */
  getModel(options?: CassCallOptions): Promise<CassModelSettings> {
    return this.#call(get("settings/llm-provider", shapes.modelSettings), options);
  }

  /**
   * Sets the provider of the whole server, for new connections: a connection keeps its provider, model and voice. Clears the memory of its
   * model. Never tried twice.
   */
  setProvider(provider: string, options?: CassCallOptions): Promise<CassProviderChange> {
    checkText(provider, "the provider");
    return this.#asUser(post("settings/llm-provider", { provider }, shapes.providerChange), options);
  }

  /**
   * Sets the model of the current provider for new connections. The server does not check the model. Older servers: 404. Never tried
   * twice.
   */
  setModel(model: string, options?: CassCallOptions): Promise<CassModelChange> {
    checkText(model, "the model");
    return this.#asUser(post("settings/llm-model", { model }, shapes.modelChange), options);
  }

  /** The state of the server. Sends no token. */
  getStatus(options?: CassCallOptions): Promise<CassStatusReport> {
    return this.#call(get("status", shapes.status), options);
  }

  /** The gestures and emotes that the model was told about. Sends no token. */
  getLibrary(options?: CassCallOptions): Promise<CassLibrary> {
    return this.#call(get("gestures/library", shapes.library), options);
  }

  #enter(
    path: string,
    body: object,
    password: string,
    options: CassCallOptions | undefined,
  ): Promise<CassSession> {
    const call = { ...post(path, body, shapes.entrance), secrets: [password] };
    return this.#call(call, options).then((entrance) => {
      const { user_id: userId, access_token: accessToken, refresh_token: refreshToken } = entrance;
      this.#credentials.use({ accessToken, refreshToken }, userId);
      return { userId, accessToken, refreshToken };
    });
  }

  #asUser<T>(call: CassHttpCall<T>, options: CassCallOptions | undefined): Promise<T> {
    return this.#call({ ...call, credentials: this.#credentials }, options);
  }

  #call<T>(call: CassHttpCall<T>, options: CassCallOptions = {}): Promise<T> {
    checkCallOptions(options, CALL);
    return this.#http.call({ ...call, signal: options.signal });
  }
}

function get<T>(path: string, shape: Reads<T>): CassHttpCall<T> {
  return { method: "GET", path, repeatable: true, shape };
}

function post<T>(path: string, body: object | (() => object), shape: Reads<T>): CassHttpCall<T> {
  return { method: "POST", path, body, repeatable: false, shape };
}
