import { checks, oneOf } from "../core/checks.ts";
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
  /** How the token gets to the server: in the address, where its access log shows it, or in a message. @default "query", which the protocol prefers */
  readonly auth?: "query" | "message";
  /** Who the server has to take this client for. @default the user whom the token names */
  readonly expectedUserId?: string;
  /**
   * Lets the connection be nobody's, or with no token whoever's the server says, such as its user for clients on the same
   * machine. Without a token nothing connects unless this is set. @default false: nobody should be another user unawares
   */
  readonly allowAnonymous?: boolean;
  /** `false`: an open socket counts as ready, for relays that do not greet. Who the user is then stays unverified. @default true */
  readonly requireConnected?: boolean;
  /** Silence of the server in a turn; the only way to notice one that hangs. @default 120_000: tools and local models are silent for long */
  readonly idleTimeout?: number;
  /** Until the answer to `getStatus()`, from when its request is written, and of one REST call. @default 10_000 */
  readonly requestTimeout?: number;
  /** Where REST is. @default `url` as http, without its last `/ws` */
  readonly httpUrl?: string | URL;
  /** A `fetch` to use for REST and audio instead of the platform's. */
  readonly fetch?: FetchLike;
  /** Looks for the reply of a turn that was lost with its connection, in what the server has stored. @default false: it takes REST and time */
  readonly recover?: boolean;
  /** How long it is looked for. @default 120_000: a turn that goes on without us may take as long */
  readonly recoverTimeout?: number;
  /**
   * There is no cancel on the wire. `wait`: the next turn is sent when the answer of the cancelled one has come, which
   * nobody gets. `reconnect`: at once, over a new connection. @default "wait"
   */
  readonly cancel?: "wait" | "reconnect";
  /**
   * Turns that are sent without waiting for the answer of the one before, once the server has shown how it answers. Above 1 it
   * also declares that the server reads while it works: `getStatus()` then does not wait for the end of a turn either. Most
   * servers do not read: behind one unread frame they ignore pongs too, and end the connection 20 to 40 s later (1011, "keepalive
   * ping timeout"), so every longer turn is lost. And a turn that fails takes all turns behind it down.
   * @default 1: nothing is sent while a turn runs
   */
  readonly maxTurnsInFlight?: number;
  /** Of one picture, decoded. @default 5_000_000: what the model's provider takes */
  readonly maxImageBytes?: number;
}

/** Options of one prompt. */
export interface CassPromptOptions {
  /** As the client's option of the same name. */
  readonly recover?: boolean;
  /** Lets the message be blank: the model gets it as it is. @default false */
  readonly allowEmpty?: boolean;
}

/** Every option with its default. */
export type CassSettings = Required<
  Pick<
    CassClientOptions,
    | "auth"
    | "allowAnonymous"
    | "requireConnected"
    | "idleTimeout"
    | "requestTimeout"
    | "recover"
    | "recoverTimeout"
    | "cancel"
    | "maxTurnsInFlight"
    | "maxImageBytes"
    | "maxSendBytes"
  >
> &
  Pick<CassClientOptions, "expectedUserId"> & { readonly socket: ResolvedSocketOptions };

/** The real server ends the connection over a larger frame. */
const MAX_SEND_BYTES = 16_777_216;

/** The server pings by itself at another level, every 20 s; this finds one that is open and mute. */
const KEEPALIVE = { interval: 25_000, timeout: 10_000 };

/** For ever: who is signed in wants to stay so. A refused identity ends it. */
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
  return {
    socket,
    auth: options.auth ?? "query",
    ...(expectedUserId === undefined ? {} : { expectedUserId }),
    allowAnonymous,
    requireConnected: options.requireConnected ?? true,
    idleTimeout: options.idleTimeout ?? 120_000,
    requestTimeout: options.requestTimeout ?? 10_000,
    recover: options.recover ?? false,
    recoverTimeout: options.recoverTimeout ?? 120_000,
    cancel: options.cancel ?? "wait",
    maxTurnsInFlight: options.maxTurnsInFlight ?? 1,
    maxImageBytes: options.maxImageBytes ?? 5_000_000,
    maxSendBytes: options.maxSendBytes ?? MAX_SEND_BYTES,
  };
}
