import { checks, defined, oneOf } from "../core/checks.ts";
import {
  type ResolvedSocketOptions,
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
} from "../core/client/options.ts";
import { ADDRESSES, RANDOM, TEXT } from "../core/engine.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { CassCredentialOptions } from "./auth/credentials.ts";
import type { FetchLike } from "./rest/http.ts";
import { CREDENTIAL_CHECKS } from "./rest/options.ts";

/** Options of {@link CassClient}. Times are in ms, sizes in bytes; 0 turns a time limit off. */
export interface CassClientOptions extends SocketClientOptions, CassCredentialOptions {
  /**
   * How the token gets to the server: in the address, or in a message. Set `"message"` where the server's access log must not
   * show the token. @default "query", which the protocol prefers
   */
  readonly auth?: "query" | "message";
  /** The user that the server has to take this client for. Set it for a token that names no user. @default the user of the token */
  readonly expectedUserId?: string;
  /**
   * Accepts a connection without a user. Without a token, also accepts a connection of another user, such as the server's user for
   * clients on its machine. Set it to connect without a token. @default false: no client should act as another user unawares
   */
  readonly allowAnonymous?: boolean;
  /** Set `false` for relays that do not greet: an open socket counts as ready, and the user is not verified. @default true */
  readonly requireConnected?: boolean;
  /**
   * Silence of the server in a turn; the only way to notice one that hangs. Raise it for slow tools.
   * @default 120_000: tools and local models are silent for long
   */
  readonly idleTimeout?: number;
  /** Until `getStatus()` is answered, from when its request is written; and one REST call. Raise it for slow servers. @default 10_000 */
  readonly requestTimeout?: number;
  /** Where REST is, for servers that have it elsewhere. @default `url` as http, without its last `/ws` */
  readonly httpUrl?: string | URL;
  /** Used for REST and audio instead of the platform's `fetch`; for tests, proxies and runtimes without one. */
  readonly fetch?: FetchLike;
  /** Searches for the reply of a turn that was lost with its connection. Set it where links break. @default false: it takes REST and time */
  readonly recover?: boolean;
  /** How long `recover` searches. Raise it with `idleTimeout`. @default 120_000: the server may work as long on a lost turn */
  readonly recoverTimeout?: number;
  /**
   * The protocol has no cancel. `"wait"`: the next turn is sent after the answer to the cancelled turn, and that answer is dropped.
   * `"reconnect"`: the next turn is sent at once, over a new connection; for apps whose users cancel often. @default "wait"
   */
  readonly cancel?: "wait" | "reconnect";
  /**
   * Turns that are sent before the one before is answered, once the server has shown how it answers. Set it above 1 only for
   * servers that read while they work: `getStatus()` then does not wait for the end of a turn either. Most servers do not: behind
   * one unread frame they ignore pongs too, and end the connection 20 to 40 s later (1011, "keepalive ping timeout"), so every
   * longer turn is lost. And a turn that fails takes all turns behind it down.
   * @default 1: nothing is sent while a turn runs
   */
  readonly maxTurnsInFlight?: number;
  /** Bytes of one picture, decoded. Raise it where the model takes more. @default 5_000_000: what the model's provider takes */
  readonly maxImageBytes?: number;
}

/** Options of one prompt. */
export interface CassPromptOptions {
  /** Overrides the client's option, for one turn that matters more or less. */
  readonly recover?: boolean;
  /** Lets the message be blank, for agents that speak first: the model gets it as it is. @default false */
  readonly allowEmpty?: boolean;
}

const OWN_DEFAULTS = {
  auth: "query",
  allowAnonymous: false,
  requireConnected: true,
  idleTimeout: 120_000,
  requestTimeout: 10_000,
  recover: false,
  recoverTimeout: 120_000,
  cancel: "wait",
  maxTurnsInFlight: 1,
  maxImageBytes: 5_000_000,
  /** The real server ends the connection over a larger frame. */
  maxSendBytes: 16_777_216,
} satisfies Partial<CassClientOptions>;

/** The options that the rooms of this flat read, with their defaults. */
export type CassSettings = Required<Pick<CassClientOptions, keyof typeof OWN_DEFAULTS>> &
  Pick<CassClientOptions, "expectedUserId"> & { readonly socket: ResolvedSocketOptions };

/** The server sends WebSocket pings every 20 s. The pings of the protocol find a server whose socket is open but which answers nothing. */
const KEEPALIVE = { interval: 25_000, timeout: 10_000 };

/** For ever: a signed-in user wants to stay so. A refused identity ends it. */
const RECONNECT = { maxAttempts: Number.POSITIVE_INFINITY, minDelay: 500, maxDelay: 30_000 };

/** Tokens and REST's answers are read as text. */
const DEFAULTS = { keepalive: KEEPALIVE, reconnect: RECONNECT, needs: [RANDOM, ADDRESSES, TEXT] };

const CHECKS = {
  ...SOCKET_CHECKS,
  ...CREDENTIAL_CHECKS,
  auth: oneOf("query", "message"),
  expectedUserId: checks.text,
  allowAnonymous: checks.boolean,
  requireConnected: checks.boolean,
  idleTimeout: checks.delay,
  requestTimeout: checks.delay,
  httpUrl: checks.any, // what is no address is refused where it is read
  fetch: checks.function,
  recover: checks.boolean,
  recoverTimeout: checks.delay,
  cancel: oneOf("wait", "reconnect"),
  maxTurnsInFlight: checks.count,
  maxImageBytes: checks.count,
};

/** @throws InvalidInputError naming the first option that does not exist or is wrong. */
export function resolveOptions(options: CassClientOptions): CassSettings {
  const socket = resolveSocketOptions(options, DEFAULTS, CHECKS);
  const { allowAnonymous = false, token, refreshToken, expectedUserId } = options;
  if (token === undefined && refreshToken === undefined && !allowAnonymous) {
    throw new InvalidInputError(
      "there is no `token`.",
      "Pass one, such as that of `CassRest.login()`; or set `allowAnonymous: true` to be nobody, or the server's local user.",
    );
  }
  const given = Object.entries(defined(options)).filter(([name]) => name in OWN_DEFAULTS);
  return {
    ...OWN_DEFAULTS,
    ...(Object.fromEntries(given) as Partial<CassSettings>),
    ...(expectedUserId === undefined ? {} : { expectedUserId }),
    socket,
  };
}
