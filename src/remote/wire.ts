// What a relay says on the wire: positions, the state of a chat, and refusals.
import { fieldsOf } from "../core/checks.ts";
import type { Capabilities } from "../core/client/agent-client.ts";
import type { InboxPrompt } from "../core/client/inbox.ts";
import {
  type AgentwireError,
  ConnectError,
  ConnectionLostError,
  InvalidInputError,
  QueueFullError,
  RequestError,
  UnsupportedError,
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

/** The capabilities that do not depend on the backend behind the relay. */
const OWN = {
  cancelOnWire: true,
  history: "server",
  conversations: "one",
  survivesReconnect: true,
  reopens: true,
  recovers: true,
  files: false,
} as const;

/** What is assumed before the relay says more. */
export const USUAL: Capabilities = {
  textDeltas: true,
  reasoning: true,
  toolCalls: true,
  toolOutputDeltas: true,
  subagents: true,
  permissions: "wire",
  questions: true,
  usage: "none",
  images: true,
  plan: true,
  context: true,
  branches: false,
  preview: true,
  modes: false, // there is nothing to choose from yet
  models: false,
  ...OWN,
};

/** Undefined if the value is not a state. */
export function readState(value: unknown): RelayState | undefined {
  const state = fieldsOf(value);
  const { log, head, heartbeat } = state;
  if (typeof log !== "string" || typeof head !== "number" || !Number.isSafeInteger(head)) return undefined;
  return {
    log,
    head,
    isCaughtUp: state["caught_up"] === true,
    isBusy: state["busy"] === true,
    isDriverLost: state["driver"] === "lost",
    contextLost: state["context_lost"] === true,
    capabilities: readCapabilities(fieldsOf(state["capabilities"])),
    queue: read(state["queue"], readPrompt),
    grants: read(state["grants"], readGrant),
    heartbeat: typeof heartbeat === "number" && heartbeat > 0 ? heartbeat : undefined,
  };
}

/** Takes the fields of the right type. */
function readCapabilities(given: Readonly<Record<string, unknown>>): Capabilities {
  const told = Object.entries(USUAL).filter(([name, usual]) => typeof given[name] === typeof usual);
  return { ...USUAL, ...Object.fromEntries(told.map(([name]) => [name, given[name]])), ...OWN };
}

function readPrompt({ key, at, by, input }: Readonly<Record<string, unknown>>): InboxPrompt | undefined {
  if (typeof key !== "string" || !isInput(input)) return undefined;
  const time = typeof at === "string" ? Date.parse(at) : Number(at);
  return { key, input, at: time || 0, ...(typeof by === "string" ? { by } : {}) };
}

/** The chat checks the images, as it does those of its own prompts. */
function isInput(value: unknown): value is PromptInput {
  return typeof fieldsOf(value)["text"] === "string";
}

function readGrant(value: Readonly<Record<string, unknown>>): Grant | undefined {
  const { id, tool, grant, scope, turn_id: turnId } = value;
  if (typeof id !== "string" || typeof tool !== "string" || typeof grant !== "string") return undefined;
  if (scope !== "turn" && scope !== "session") return undefined;
  return { id, tool, grant, scope, ...(typeof turnId === "string" ? { turnId } : {}) };
}

function read<T>(
  list: unknown,
  each: (fields: Readonly<Record<string, unknown>>) => T | undefined,
): readonly T[] {
  return Array.isArray(list) ? list.flatMap((item: unknown) => each(fieldsOf(item)) ?? []) : [];
}

/** An answer of a relay that is no stream. */
export interface RelayAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The relay's words, or the status. */
  readonly message: string;
  /** ms */
  readonly retryAfter: number | undefined;
}

const FINAL: readonly number[] = [401, 403, 404];

/** The error of an attempt. With a final status no further attempt can help. */
export function attemptError({ status, message }: RelayAnswer): AgentwireError {
  if (status === 404) return gone("the relay has no such chat", message, status);
  const retryable = !FINAL.includes(status);
  const advice = retryable ? isBusy(status) && "wait, and try again" : "check the credentials in `headers`";
  return new ConnectError(advice ? `${message}; ${advice}` : message, { status, retryable });
}

/** The relay has no such chat, or has it no longer. */
export const gone = (what: string, serverMessage = what, status?: number): AgentwireError =>
  new RequestError(what, { serverMessage }, { status });

export const relayLost = (message: string, cause?: unknown): ConnectionLostError =>
  new ConnectionLostError(message, { cause, delivery: "unknown" });

/** The relay will not carry out a command. @param waiting the number of prompts that wait */
export function commandRefusal(
  { status, body, message, retryAfter }: RelayAnswer,
  waiting: number,
): AgentwireError {
  const { code } = body;
  const delivery = "not-sent";
  if (code === "queue-full") return new QueueFullError("turns", waiting + 1, waiting);
  if (code === "invalid-input") return new InvalidInputError(message, "Change the input.", { delivery });
  if (code === "unsupported")
    return Object.assign(new UnsupportedError(message, "`capabilities` say what the backend can do."), {
      delivery,
    });
  const options = { serverMessage: message, retryable: status === 429, delivery } as const;
  return new RequestError(message, options, { status, retryAfter, kind: code });
}
