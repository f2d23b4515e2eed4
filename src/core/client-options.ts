import type { ReconnectOptions, ReconnectPolicy } from "./backoff.ts";
import { type Clock, MAX_DELAY, systemClock } from "./clock.ts";
import { InvalidInputError } from "./errors.ts";
import { checkNames, labelled } from "./names.ts";
import type { WebSocketInit, WebSocketLike } from "./socket.ts";
import type { TurnOptions } from "./turn.ts";

/** Where the library writes what it notices; silent unless given. `console` fits. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface KeepaliveOptions {
  /** ms between pings; 0 turns them off. */
  readonly interval?: number;
  /** ms without any sign of life after a ping until the link counts as dead; 0 never. */
  readonly timeout?: number;
}

/** The options that every socket client takes. */
export interface SocketClientOptions {
  /** Where to connect, `ws://` or `wss://`; a function is called for every dial. Used as it is: nothing is added but a token, where the protocol puts it there. */
  readonly url: string | URL | (() => string | URL | Promise<string | URL>);
  /**
   * A WebSocket class to use instead of the platform's (on Node: instead of `ws`). Node's global one cannot be
   * cut: with a server that never answers Close it holds the process although `close()` has resolved.
   */
  readonly WebSocket?: new (
    url: string,
    protocols?: string[],
  ) => WebSocketLike;
  /** Makes the socket, for every dial: for proxies, headers in odd places, tests. Not together with `WebSocket`. */
  readonly createWebSocket?: (url: string, init: WebSocketInit) => WebSocketLike;
  /** Sent with the upgrade request. Node only: browsers cannot, and there it is an `UnsupportedError`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** ms until the socket is open. @default 10_000 */
  readonly connectTimeout?: number;
  /** Pings; `false` turns them off. The defaults are the protocol's. */
  readonly keepalive?: KeepaliveOptions | false;
  /** How to come back after a lost connection; with `false` the first loss closes the client for good. The default is the protocol's. */
  readonly reconnect?: ReconnectOptions | false;
  /** Bytes of one outgoing frame, checked before anything is sent. The default is what the protocol's servers take. */
  readonly maxSendBytes?: number;
  /** Bytes of one incoming frame; a larger one ends the connection. @default 134_217_728 (128 MiB): the largest real frames are some tens of MB */
  readonly maxReceiveBytes?: number;
  /** Bytes of prompts that wait to be sent. @default 1_048_576: more than that waiting means that nobody watches */
  readonly maxQueuedBytes?: number;
  /** Turns that wait to be sent. @default 100 */
  readonly maxQueuedTurns?: number;
  /**
   * Bytes of memory that the events of one turn may take while they wait for a slow reader, estimated: text and whatever else
   * they hold, and some for each event. Past it the iteration fails, and it alone. See also the option `read` of a turn.
   * @default 67_108_864 (64 MiB): bounds memory, far above any answer
   */
  readonly maxBufferedBytes?: number;
  /** Bytes of `turn.text` and `result.text`; past it text still streams and the result says `truncated`. @default 67_108_864 (64 MiB) */
  readonly maxTextBytes?: number;
  /** Aborting it closes the client, as `close()` does. */
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
  /** Writes one readable line per frame, without credentials, to `logger.debug`, or to the console when there is no logger. @default false */
  readonly debug?: boolean;
  /** Lets credentials travel over plain `ws://` to another machine than `localhost`, 127.0.0.0/8 and ::1. @default false: everyone on the way could read them */
  readonly allowInsecure?: boolean;
  /** Time and chance; tests inject a `ManualClock`. @default the platform's */
  readonly clock?: Clock;
}

/** What differs from protocol to protocol. */
export interface SocketDefaults {
  readonly keepalive: Required<KeepaliveOptions>;
  readonly reconnect: ReconnectPolicy | undefined;
}

/** The shared options with every default filled in. */
export interface ResolvedSocketOptions {
  readonly clock: Clock;
  readonly connectTimeout: number;
  readonly keepalive: Required<KeepaliveOptions>;
  readonly reconnect: ReconnectPolicy | undefined;
  readonly maxReceiveBytes: number;
  readonly maxQueuedBytes: number;
  readonly maxQueuedTurns: number;
  readonly maxBufferedBytes: number;
  readonly maxTextBytes: number;
}

const MEBIBYTE = 1_048_576;

/**
 * @param expected of every option of the client, also those of its protocol: {@link SOCKET_CHECKS} has the shared ones
 * @throws InvalidInputError naming the first option that does not exist or is of a wrong type.
 */
export function resolveSocketOptions<Options extends SocketClientOptions, Table extends Checks<Options>>(
  options: Options,
  defaults: SocketDefaults,
  expected: Table & Only<Options, Table>,
): ResolvedSocketOptions {
  if (isObject(options)) checkNames(options, expected, "option"); // before the one is missed that is misspelt
  if (!isObject(options as unknown) || (options.url as unknown) === undefined) {
    throw new InvalidInputError(
      "option `url` is missing.",
      'Give the server\'s address, such as { url: "ws://127.0.0.1:8000/ws" }.',
    );
  }
  checkFields<Options, Table>(options, expected, "option");
  if (options.WebSocket && options.createWebSocket) {
    throw new InvalidInputError(
      "options `WebSocket` and `createWebSocket` are both given.",
      "Give one: the class, or the function that makes the socket.",
    );
  }
  const { keepalive, reconnect } = options;
  return {
    clock: options.clock ?? systemClock,
    connectTimeout: options.connectTimeout ?? 10_000,
    keepalive:
      keepalive === false ? { interval: 0, timeout: 0 } : { ...defaults.keepalive, ...defined(keepalive) },
    reconnect: reconnect === false ? undefined : reconnectPolicy(reconnect, defaults.reconnect),
    maxReceiveBytes: options.maxReceiveBytes ?? 128 * MEBIBYTE,
    maxQueuedBytes: options.maxQueuedBytes ?? MEBIBYTE,
    maxQueuedTurns: options.maxQueuedTurns ?? 100,
    maxBufferedBytes: options.maxBufferedBytes ?? 64 * MEBIBYTE,
    maxTextBytes: options.maxTextBytes ?? 64 * MEBIBYTE,
  };
}

function reconnectPolicy(
  asked: ReconnectOptions | undefined,
  usual: ReconnectPolicy | undefined,
): ReconnectPolicy | undefined {
  if (!asked) return usual;
  const base = usual ?? { maxAttempts: 5, minDelay: 500, maxDelay: 30_000 };
  return { ...base, ...defined(asked) };
}

/** Without the fields that are `undefined`, so that they do not hide a default. */
export function defined<T extends object>(
  value: T | undefined,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** One expectation of a value: whether it holds, and how to say it. */
export interface Check {
  readonly expects: string;
  readonly holds: (value: unknown) => boolean;
  /** Of the fields of a value that is an object, or of each object in a list. It has no others. */
  readonly fields?: Readonly<Record<string, Check>>;
}

/** A check for each field of `T`, also for those that may be left out: what has none does not exist for callers. */
export type Checks<T> = Readonly<Record<keyof T, Check>>;

/** Forbids a table to have more than the fields of `T`: it would let something pass that is not there. */
export type Only<T, Table> = Readonly<Record<Exclude<keyof Table, keyof T>, never>>;

export const checks = {
  /** For what is checked elsewhere: only the name is looked at. */
  any: { expects: "anything", holds: () => true },
  string: { expects: "a string", holds: (value) => typeof value === "string" },
  text: {
    expects: "a string that is not blank",
    holds: (value) => typeof value === "string" && value.trim() !== "",
  },
  boolean: { expects: "true or false", holds: (value) => typeof value === "boolean" },
  function: { expects: "a function", holds: (value) => typeof value === "function" },
  object: { expects: "an object", holds: isObject },
  array: { expects: "an array", holds: (value) => Array.isArray(value) },
  objects: {
    expects: "an array of objects",
    holds: (value) => Array.isArray(value) && value.every(isObject),
  },
  delay: {
    expects: `a number of milliseconds from 0 to ${MAX_DELAY}`,
    holds: (value) => typeof value === "number" && value >= 0 && value <= MAX_DELAY,
  },
  count: {
    expects: "a whole number, 1 or more",
    holds: (value) =>
      typeof value === "number" && value >= 1 && (Number.isInteger(value) || value === Infinity),
  },
  tries: {
    expects: "a whole number, 0 or more",
    holds: (value) =>
      typeof value === "number" && value >= 0 && (Number.isInteger(value) || value === Infinity),
  },
  signal: {
    expects: "an AbortSignal",
    holds: (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
  },
  headers: {
    expects: "an object of strings",
    holds: (value) => isObject(value) && Object.values(value).every((field) => typeof field === "string"),
  },
  logger: {
    expects: "an object with the functions debug, info, warn and error",
    holds: (value) =>
      typeof value === "object" &&
      value !== null &&
      ["debug", "info", "warn", "error"].every((level) => typeof Reflect.get(value, level) === "function"),
  },
} satisfies Record<string, Check>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function oneOf(...values: readonly string[]): Check {
  return {
    expects: `one of ${values.map((value) => `"${value}"`).join(", ")}`,
    holds: (value) => typeof value === "string" && values.includes(value),
  };
}

function either(first: Check, second: Check): Check {
  return {
    expects: `${first.expects} or ${second.expects}`,
    holds: (value) => first.holds(value) || second.holds(value),
  };
}

const orFalse = (check: Check): Check =>
  either(check, { expects: "false", holds: (value) => value === false });

const KEEPALIVE_CHECKS: Checks<KeepaliveOptions> = { interval: checks.delay, timeout: checks.delay };

const RECONNECT_CHECKS: Checks<ReconnectOptions> = {
  maxAttempts: checks.count,
  minDelay: checks.delay,
  maxDelay: checks.delay,
  shouldReconnect: checks.function,
};

/** What the options have to be that every socket client takes. */
export const SOCKET_CHECKS: Checks<SocketClientOptions> = {
  url: {
    expects: "a string, a URL or a function that returns one",
    holds: (value) => typeof value === "string" || typeof value === "function" || value instanceof URL,
  },
  WebSocket: checks.function,
  createWebSocket: checks.function,
  headers: checks.headers,
  connectTimeout: checks.delay,
  keepalive: { ...orFalse(checks.object), fields: KEEPALIVE_CHECKS },
  reconnect: { ...orFalse(checks.object), fields: RECONNECT_CHECKS },
  maxSendBytes: checks.count,
  maxReceiveBytes: checks.count,
  maxQueuedBytes: checks.count,
  maxQueuedTurns: checks.count,
  maxBufferedBytes: checks.count,
  maxTextBytes: checks.count,
  signal: checks.signal,
  logger: checks.logger,
  debug: checks.boolean,
  allowInsecure: checks.boolean,
  clock: checks.object,
};

/** What the options of one turn have to be that every protocol takes. */
export const TURN_CHECKS: Checks<TurnOptions> = {
  signal: checks.signal,
  timeout: checks.delay,
  idleTimeout: checks.delay,
  read: checks.boolean,
};

/** @throws InvalidInputError when `options` is given and no object, or as {@link checkFields}. */
export function checkCallOptions<Options extends object, Table extends Checks<Options>>(
  options: Options | undefined,
  expected: Table & Only<Options, Table>,
): void {
  if (options === undefined) return;
  if (!isObject(options as unknown))
    throw new InvalidInputError(`the options are ${describe(options)}.`, "Pass an object, or nothing.");
  checkFields<Options, Table>(options, expected, "option");
}

/** @throws InvalidInputError for the first field of `value` that does not exist, or is given and is not what it should be. */
export function checkFields<Value extends object, Table extends Checks<Value>>(
  value: Value,
  expected: Table & Only<Value, Table>,
  what: string,
): void;
export function checkFields(value: object, expected: Readonly<Record<string, Check>>, what: string): void {
  checkNames(value, expected, what);
  checkValues(value, expected, what);
}

/** The same for an object that may have other fields as well, which go to a server as they are. */
export function checkValues(value: object, expected: Readonly<Record<string, Check>>, what: string): void {
  const given = new Map<string, unknown>(Object.entries(value));
  for (const [name, { expects, holds, fields }] of Object.entries(expected)) {
    const field = given.get(name);
    if (field === undefined) continue;
    const label = labelled(what, name);
    const inner = fields ? innerOf(field, fields, label.replaceAll("`", "")) : [];
    for (const each of inner) checkNames(...each); // before it is missed: a rule without a `then` may have a `than`
    if (!holds(field))
      throw new InvalidInputError(`${label} is ${describe(field)}.`, `It must be ${expects}.`);
    for (const each of inner) checkValues(...each);
  }
}

type Table = Readonly<Record<string, Check>>;

/** The objects in a field that has fields of its own, each with its checks and its place. */
function innerOf(
  field: unknown,
  fields: Table,
  label: string,
): readonly (readonly [item: object, fields: Table, place: string])[] {
  if (!Array.isArray(field)) return isObject(field) ? [[field, fields, `${label}.`]] : [];
  return field.flatMap((item: unknown, at) => (isObject(item) ? [[item, fields, `${label}[${at}].`]] : []));
}

/** Says what a value is without quoting it: it may be a credential, or long. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value === "") return "an empty string";
  if (typeof value === "string") return value.trim() === "" ? "a blank string" : "a string";
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "undefined")
    return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
