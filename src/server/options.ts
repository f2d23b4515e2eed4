// The options of a relay, with their checks and defaults.
import { type Check, type Checks, checkCallOptions, checks, defined, describe } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { Logger } from "../core/tell/voice.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { AgentSource } from "../universal/stream.ts";
import type { EventLog } from "./event-log.ts";
import { LIMIT_CHECKS, LIMITS, type RelayLimits } from "./limits.ts";

/**
 * What a request wants to do. `read`: see the chat. `prompt`: also change or move prompts that wait, and ask again. `cancel`:
 * also take back a prompt. `grant`: decide for more than one call, or revoke such a decision. `resume`: go on after the
 * agent has forgotten the conversation. `remove`: the chat, for all.
 */
export type RelayAction = "read" | "prompt" | "cancel" | "decide" | "answer" | "grant" | "resume" | "remove";

/** What `authorize` is asked. */
export interface RelayQuestion {
  /** The id of the chat, decoded. The chat may not exist: the first command makes it. */
  readonly chat: string;
  readonly action: RelayAction;
}

/** The user of a request. */
export interface RelayUser {
  /** Not empty. Other viewers see it at waiting prompts, and `maxCommands` counts by it. The backend does not get it. */
  readonly user: string;
}

/** The global `Request`. `unknown` in programs whose types have none. */
export type RelayRequest = typeof globalThis extends { Request: { prototype: infer Type } } ? Type : unknown;

/** The global `Response`. `unknown` in programs whose types have none. */
export type RelayResponse = typeof globalThis extends { Response: { prototype: infer Type } }
  ? Type
  : unknown;

/**
 * Says who may do what. `false` answers 401, and a `Response` is the answer as it is. What it throws goes to the logger,
 * and the answer is 503. A viewer whose `read` is refused with 401, 403 or 404 closes its chat. A refused command fails
 * alone.
 */
export type Authorize = (
  request: RelayRequest,
  question: RelayQuestion,
) => RelayUser | false | RelayResponse | Promise<RelayUser | false | RelayResponse>;

/** What the runtime passes beside a request. */
export interface RelayContext {
  /** Keeps the process alive until the promise settles, where processes end with the response. */
  readonly waitUntil?: (promise: Promise<unknown>) => void;
}

/** Options of `createRelay`. The limits have defaults. */
export interface RelayOptions extends Partial<RelayLimits> {
  /**
   * Makes the backend of a chat, by the chat's id: such as `() => codey({ url, onToolApproval: "manual" })`. Called when this
   * process begins to drive the chat. Its client must ask by hand (`"manual"`). Otherwise the viewers are not asked. If it
   * throws or rejects, the prompts that wait end as failed (`relay.source-failed`).
   */
  readonly source: (chat: string) => AgentSource | Promise<AgentSource>;
  /** Where events, commands and leases are kept. `relay.close()` does not close it. */
  readonly log: EventLog;
  /** Decides who may do what. Asked for each request, and again for open streams. There is no default. */
  readonly authorize: Authorize;
  /** The path of all chats, without a slash at its end. `""`: the chats are at the top. @default "/chats" */
  readonly basePath?: string;
  /** Foreign origins whose pages may use the relay, such as `https://app.example`, or `"*"`. @default none */
  readonly origins?: readonly string[] | "*";
  /** Whether pages of `origins` may send cookies. Not with `"*"`. @default false */
  readonly credentials?: boolean;
  /**
   * The host names that the server is known by, without ports. Requests with another `Host` get 403, because a foreign page
   * can point its own name at this server. Replaces the default: name the public domain here, and have a proxy pass on
   * the `Host` that it gets. @default localhost, 127.0.0.1, [::1]
   */
  readonly hosts?: readonly string[];
  /**
   * Changes each event before the log has it. Must keep its type, ids and `sequence`. If it throws, the turn ends as
   * failed, and the event is shown to nobody. @default changes nothing
   */
  readonly redact?: (event: UniversalEvent) => UniversalEvent;
  /**
   * Whether this process drives chats: whether it runs their agents. If not, another process over the same log must. Both
   * take requests. @default true
   */
  readonly drive?: boolean;
  /**
   * The host's function that keeps the process alive after the response. Needed where processes end with the response,
   * unless `drive` is false. `"request"`: each call of the handler brings its own, in the second argument.
   * @default none: the process stays alive
   */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | "request";
  /** For tests. @default the machine's clock */
  readonly clock?: Clock;
  /** For tests: makes the ids of this process and of the relay's own sessions. @default a random id */
  readonly newId?: (prefix: string) => string;
  /** Gets what goes wrong, such as a log that does not answer. Its messages have no content of chats. @default none */
  readonly logger?: Logger;
}

export interface RelaySettings extends RelayLimits {
  readonly source: RelayOptions["source"];
  readonly log: EventLog;
  readonly authorize: Authorize;
  readonly basePath: string;
  readonly origins: ReadonlySet<string> | "*";
  readonly credentials: boolean;
  readonly hosts: ReadonlySet<string>;
  readonly redact: (event: UniversalEvent) => UniversalEvent;
  readonly drive: boolean;
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly logger: Logger | undefined;
}

const HOSTS = ["localhost", "127.0.0.1", "[::1]"];

const strings: Check = {
  expects: "an array of strings",
  holds: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
};

const CHECKS: Checks<RelayOptions> = {
  ...LIMIT_CHECKS,
  source: checks.function,
  log: checks.any,
  authorize: checks.function,
  basePath: {
    expects: "a path such as `/chats`, without a slash at its end",
    holds: (value) => typeof value === "string" && (value === "" || /^(\/[\w.~-]+)+$/.test(value)),
  },
  origins: {
    expects: 'an array of origins such as `https://app.example`, or "*"',
    holds: (value) => value === "*" || strings.holds(value),
  },
  credentials: checks.boolean,
  hosts: strings,
  redact: checks.function,
  drive: checks.boolean,
  waitUntil: {
    expects: 'a function, or "request"',
    holds: (value) => value === "request" || typeof value === "function",
  },
  clock: checks.object,
  newId: checks.function,
  logger: checks.logger,
};

/** @throws InvalidInputError for a wrong or unknown option; UnsupportedError on a host that ends idle processes */
export function resolveRelayOptions(options: RelayOptions): RelaySettings {
  checkCallOptions(options, CHECKS);
  const { source, log, authorize } = options;
  for (const [name, value] of Object.entries({ source, log, authorize }))
    if (value === undefined)
      throw new InvalidInputError(`\`${name}\` is missing.`, `Pass ${NEEDED[name as keyof typeof NEEDED]}.`);
  if (typeof log !== "object" || log === null || typeof log.append !== "function")
    throw new InvalidInputError(`the log is ${describe(log)}.`, `Pass ${NEEDED.log}.`);
  const { origins = [], hosts = HOSTS, credentials = false, drive = true, waitUntil } = options;
  checkEach("hosts", hosts, isHostName, "a host name without scheme and port, such as `chat.example.com`");
  if (origins !== "*")
    checkEach("origins", origins, isOrigin, "scheme and host without a path, such as `https://app.example`");
  if (origins === "*" && credentials)
    throw new InvalidInputError(
      '`origins` is "*" and `credentials` is true: each page could act for its visitor.',
      "List the origins.",
    );
  if (drive && waitUntil === undefined && endsWithResponse())
    throw new UnsupportedError(
      "this host ends processes after the response, and turns with them.",
      "Pass `waitUntil`, or `drive: false` and run another process that drives.",
    );
  return {
    ...LIMITS,
    basePath: "/chats",
    redact: (event) => event,
    clock: systemClock,
    newId: randomId,
    logger: undefined,
    ...defined(options),
    source,
    log,
    authorize,
    credentials,
    drive,
    waitUntil: waitUntil === "request" ? undefined : waitUntil,
    origins: origins === "*" ? origins : new Set(origins),
    hosts: new Set(hosts.map((host) => host.toLowerCase())),
  };
}

const NEEDED = {
  source: "a function that makes the backend of a chat, such as () => codey({ url })",
  log: 'a log, such as memoryLog() or sqliteLog("chats.sqlite")',
  authorize: "a function that says who may do what: (request, { chat, action }) => ({ user }) or false",
} as const;

/** @throws InvalidInputError that names the first text which does not hold */
function checkEach(
  option: string,
  texts: readonly string[],
  holds: (text: string) => boolean,
  expects: string,
): void {
  const at = texts.findIndex((text) => !holds(text));
  if (at >= 0)
    throw new InvalidInputError(`\`${option}[${at}]\` is ${JSON.stringify(texts[at])}.`, `Pass ${expects}.`);
}

const isHostName = (text: string): boolean => /^(?:\[[\da-f:.]+\]|[^\s/:[\]]+)$/i.test(text);

function isOrigin(text: string): boolean {
  try {
    return new URL(text).origin === text;
  } catch {
    return false;
  }
}

/** Variables that hosts set which freeze or end a process after its response. */
const FREEZING = ["VERCEL", "AWS_LAMBDA_FUNCTION_NAME", "NETLIFY", "FUNCTIONS_WORKER_RUNTIME"];

function endsWithResponse(): boolean {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, unknown>> };
  };
  return FREEZING.some((name) => typeof process?.env?.[name] === "string");
}
