// What a relay says on the wire: positions, the state of a chat, and refusals.
import { defined, fieldsOf, isObject } from "../core/checks.ts";
import type { Capabilities } from "../core/client/agent-client.ts";
import type { InboxPrompt } from "../core/client/inbox.ts";
import {
  type AgentwireError,
  ConnectError,
  ConnectionLostError,
  InvalidInputError,
  QueueFullError,
  RequestError,
} from "../core/errors.ts";
import { isBusy } from "../core/link/connection-errors.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { Grant } from "../core/values.ts";

/** The place of an event in a chat: the `at`th event of this log. */
export interface Position {
  readonly log: string;
  readonly at: number;
}

export const positionText = ({ log, at }: Position): string => `${log}.${at}`;

export function readPosition(text: unknown): Position | undefined {
  const [, log, at] = (typeof text === "string" && /^(.+)\.(\d{1,15})$/.exec(text)) || [];
  return log === undefined ? undefined : { log, at: Number(at) };
}

/** The state of a chat beside its events. */
export interface RelayState {
  readonly log: string;
  readonly head: number;
  readonly isCaughtUp: boolean;
  readonly isBusy: boolean;
  /** The driver ended, and a turn may follow that says so. */
  readonly isDriverLost: boolean;
  readonly contextLost: boolean;
  readonly capabilities: Capabilities;
  readonly queue: readonly InboxPrompt[];
  readonly grants: readonly Grant[];
  /** ms between two beats, if the relay says so. */
  readonly heartbeat: number | undefined;
}

/** What every backend can do behind a relay, and what is assumed before the relay says more. */
const REMOTE_CAPABILITIES: Capabilities = {
  textDeltas: true,
  reasoning: true,
  toolCalls: true,
  toolOutputDeltas: true,
  subagents: true,
  permissions: "wire",
  questions: true,
  usage: "none",
  images: true,
  cancelOnWire: true,
  history: "server",
  conversations: "one",
  survivesReconnect: true,
  reopens: true,
  recovers: true,
  plan: true,
  context: true,
  branches: false,
  preview: true,
};

/** The capabilities that do not depend on the backend behind the relay. */
const OWN = ["cancelOnWire", "history", "conversations", "survivesReconnect", "reopens", "recovers"] as const;

/** Undefined if the value is not a state. */
export function readState(value: unknown): RelayState | undefined {
  const { log, head, caught_up, busy, driver, context_lost, capabilities, queue, grants, heartbeat } =
    fieldsOf(value);
  if (typeof log !== "string" || typeof head !== "number" || !Number.isSafeInteger(head)) return undefined;
  return {
    log,
    head,
    isCaughtUp: caught_up === true,
    isBusy: busy === true,
    isDriverLost: driver === "lost",
    contextLost: context_lost === true,
    capabilities: readCapabilities(capabilities),
    queue: listIn(queue).flatMap((each) => readPrompt(each) ?? []),
    grants: listIn(grants).flatMap((each) => readGrant(each) ?? []),
    heartbeat: typeof heartbeat === "number" && heartbeat > 0 ? heartbeat : undefined,
  };
}

/** Takes the fields of the right type. */
export function readCapabilities(value: unknown): Capabilities {
  const given = fieldsOf(value);
  const known = Object.entries(REMOTE_CAPABILITIES).map(([name, usual]) => {
    const told = given[name];
    const isOwn = (OWN as readonly string[]).includes(name);
    return [name, isOwn || typeof told !== typeof usual ? usual : told];
  });
  return Object.fromEntries(known) as Capabilities; // the same names, with values of the same types
}

function readPrompt(value: unknown): InboxPrompt | undefined {
  const { key, at, by, input } = fieldsOf(value);
  if (typeof key !== "string" || !isInput(input)) return undefined;
  const time = typeof at === "string" ? Date.parse(at) : at;
  const writer = typeof by === "string" ? { by } : {};
  return { key, input, at: typeof time === "number" && !Number.isNaN(time) ? time : 0, ...writer };
}

/** The chat checks the images, as it does those of its own prompts. */
function isInput(value: unknown): value is PromptInput {
  return isObject(value) && typeof value["text"] === "string";
}

function readGrant(value: unknown): Grant | undefined {
  const { id, tool, grant, scope, turn_id } = fieldsOf(value);
  if (typeof id !== "string" || typeof tool !== "string" || typeof grant !== "string") return undefined;
  if (scope !== "turn" && scope !== "session") return undefined;
  return { id, tool, grant, scope, ...(typeof turn_id === "string" ? { turnId: turn_id } : {}) };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The `code` and `message` of a relay's answer. */
export interface RelayAnswer {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string;
  /** ms */
  readonly retryAfter: number | undefined;
}

/** The error that closes the client: no further attempt can help. */
export function finalError({ status, message }: RelayAnswer): AgentwireError {
  const words = message === "" ? `the relay refused the chat (HTTP ${status})` : message;
  if (status === 404)
    return new RequestError("the relay has no such chat", { serverMessage: words }, { status });
  return new ConnectError(`${words}; check the credentials in \`headers\``, { status, retryable: false });
}

export const removed = (): AgentwireError =>
  new RequestError("the chat was removed from the relay", { serverMessage: "the chat was removed" });

/** The error of an attempt that is repeated. */
export function attemptError({ status, message }: RelayAnswer): AgentwireError {
  const words = message === "" ? `the relay answered with HTTP ${status}` : message;
  const advice = isBusy(status) ? "; wait, and try again" : "";
  return new ConnectError(`${words}${advice}`, { status });
}

export const relayLost = (message: string, cause?: unknown): ConnectionLostError =>
  new ConnectionLostError(message, { cause, delivery: "unknown" });

/** The relay will not carry out a command. */
export function commandRefusal(
  { status, code, message, retryAfter }: RelayAnswer,
  waiting: number,
): AgentwireError {
  const delivery = "not-sent";
  if (code === "queue-full") return new QueueFullError("turns", waiting + 1, waiting);
  const serverMessage = message === "" ? `HTTP ${status}` : message;
  if (code === "invalid-input")
    return new InvalidInputError(serverMessage, "Change the input.", { delivery });
  const options = { serverMessage, retryable: status === 429, delivery } as const;
  return new RequestError(serverMessage, options, defined({ status, retryAfter, kind: code }));
}
