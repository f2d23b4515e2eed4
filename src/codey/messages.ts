// The messages of codey-server: types, schemas, `decode` and `encode`.
import * as z from "zod/mini";
import { fieldsOf, isObject } from "../core/checks.ts";
import type { HotKind } from "../core/link/template.ts";
import { boolean, lazy, list, literal, type Reads, readByType, type Shape } from "../core/schemas.ts";

/** The greeting; the first message of every connection. */
interface Connected {
  readonly type: "Connected";
  /** New for every connection: the server resumes no session. */
  readonly session_id: string;
}

/** A piece of the answer. */
export interface TextDelta {
  readonly type: "TextDelta";
  readonly agent_id: number;
  readonly content: string;
}

/** A piece of the model's thinking. */
export interface ThinkingDelta {
  readonly type: "ThinkingDelta";
  readonly agent_id: number;
  readonly content: string;
}

/** One call of a round. */
export interface RequestedCall {
  readonly call_id: string;
  readonly name: string;
  /** The input that the model chose: usually an object, but any JSON. */
  readonly params: unknown;
  /** The call runs beside the others. The turn waits for this call too. */
  readonly background: boolean;
}

/** All calls of a round. Needs no decision. */
export interface ToolRequest {
  readonly type: "ToolRequest";
  readonly agent_id: number;
  readonly calls: readonly RequestedCall[];
}

/** A call that needs a decision. */
export interface ToolAwaitingApproval extends RequestedCall {
  readonly type: "ToolAwaitingApproval";
  readonly agent_id: number;
}

/** A call begins. The real server does not send this after an approval, and sends it twice for some calls. */
export interface ToolStarted {
  readonly type: "ToolStarted";
  readonly agent_id: number;
  readonly call_id: string;
  readonly name: string;
}

/** A piece of a call's output; the real server sends none. */
export interface ToolDelta {
  readonly type: "ToolDelta";
  readonly agent_id: number;
  readonly call_id: string;
  readonly content: string;
}

/** A call has ended. `content` is its whole output, even for a failed command. */
export interface ToolCompleted {
  readonly type: "ToolCompleted";
  readonly agent_id: number;
  readonly call_id: string;
  readonly content: string;
}

/** A call has failed or was denied. */
export interface ToolError {
  readonly type: "ToolError";
  readonly agent_id: number;
  readonly call_id: string;
  readonly error: string;
}

/** Token counts of the server. */
export interface FinishedUsage {
  /** For the whole session. */
  readonly output_tokens: number;
  /** The three counts below are for the last request. */
  readonly context_tokens: number;
  readonly cache_creation_tokens: number;
  readonly cache_read_tokens: number;
}

/** The successful end of a turn. */
export interface Finished {
  readonly type: "Finished";
  readonly agent_id: number;
  /** `undefined` if unreadable. The turn has ended even then. */
  readonly usage?: FinishedUsage | undefined;
}

/**
 * The server repeats its request to the model. The real server always sends `attempt: 1`. The fifth in a row that does not count up fails
 * the turn, with the kind `misconfigured`.
 */
export interface Retrying {
  readonly type: "Retrying";
  readonly agent_id: number;
  readonly attempt: number;
  readonly error: string;
}

interface HistoryMessage {
  readonly role: string;
  readonly content: string;
  /** ISO 8601. */
  readonly timestamp: string | null;
}

/** The answer to `GetHistory`; always empty on the real server. */
export interface History {
  readonly type: "History";
  readonly messages: readonly HistoryMessage[];
}

export interface AgentState {
  readonly id: number;
  readonly name: string | null;
  readonly is_streaming: boolean;
}

export interface CodeyPendingApproval {
  readonly agent_id: number;
  readonly call_id: string;
  readonly name: string;
  readonly params: unknown;
}

/** The answer to `GetState`. A stub on the real server: show it, but do not base decisions on it. */
export interface State {
  readonly type: "State";
  readonly agents: readonly AgentState[];
  /** In no order. May contain calls that a cancel has ended. */
  readonly pending_approvals: readonly CodeyPendingApproval[];
}

/** The answer to `Ping`. */
interface Pong {
  readonly type: "Pong";
}

/** The failed end of a turn. */
export interface ServerError {
  readonly type: "Error";
  readonly message: string;
  /** Whether the session has ended too. */
  readonly fatal: boolean;
}

/** A message of a turn. */
export type TurnMessage =
  | TextDelta
  | ThinkingDelta
  | ToolRequest
  | ToolAwaitingApproval
  | ToolStarted
  | ToolDelta
  | ToolCompleted
  | ToolError
  | Finished
  | Retrying;

/** Every known message of the server. */
type KnownMessage = Connected | TurnMessage | History | State | Pong | ServerError;

/** The kind of a frame. */
export type CodeyServerMessage =
  | KnownMessage
  | { readonly type: "unknown"; readonly message: unknown }
  | Invalid;

/** A frame that is no message, or a message that cannot be read or handled. */
export interface Invalid {
  readonly type: "invalid";
  readonly problem: string;
  /** The `type` of the frame. */
  readonly claims?: string;
  /** The id of the call that needs a decision. The server waits without end for the decision. */
  readonly undecided?: string;
  /** The agent named in the frame. */
  readonly agentId?: number;
}

/** The largest id: an unsigned integer of 32 bits. */
export const MAX_U32 = 4_294_967_295;

export function isU32(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_U32;
}

const u32 = z.custom<number>(isU32);
const string = z.string();

/** A field that accepts any value: `read` converts it. */
const lenient = <T>(read: (value: unknown) => T): z.ZodMiniType<T> => z.transform(read);

const json = lenient((value: unknown): unknown => value ?? null);
const textOrNull = lenient((value) => (typeof value === "string" ? value : null));

/** A `Finished` ends its turn even if its usage is unreadable. */
const usage = lenient((value) => (isUsage(value) ? value : undefined));

function isUsage(value: unknown): value is FinishedUsage {
  if (!isObject(value)) return false;
  const { output_tokens, context_tokens, cache_creation_tokens, cache_read_tokens } = value;
  return [output_tokens, context_tokens, cache_creation_tokens, cache_read_tokens].every(isU32);
}

/** An `Error` ends its turn, whatever its fields hold. Only `true` ends the session. */
const words = lenient((value) => (typeof value === "string" ? value : "an error without words"));
const flag = lenient((value) => value === true);

const requestedCall = { call_id: string, name: string, params: json, background: boolean };
const piece = { agent_id: u32, content: string };
const ofCall = { agent_id: u32, call_id: string };

/** Each schema is made at its first use: making all of them takes as long as loading zod (`bench`, cold import). */
export const SCHEMAS: { readonly [Message in KnownMessage as Message["type"]]: Reads<Message> } = {
  Connected: lazy(() =>
    z.looseObject({ type: literal("Connected"), session_id: string } satisfies Shape<Connected>),
  ),
  TextDelta: lazy(() => z.looseObject({ type: literal("TextDelta"), ...piece } satisfies Shape<TextDelta>)),
  ThinkingDelta: lazy(() =>
    z.looseObject({ type: literal("ThinkingDelta"), ...piece } satisfies Shape<ThinkingDelta>),
  ),
  ToolRequest: lazy(() => {
    const calls = list(z.looseObject(requestedCall satisfies Shape<RequestedCall>));
    return z.looseObject({ type: literal("ToolRequest"), agent_id: u32, calls } satisfies Shape<ToolRequest>);
  }),
  ToolAwaitingApproval: lazy(() => {
    const type = literal("ToolAwaitingApproval");
    return z.looseObject({ type, agent_id: u32, ...requestedCall } satisfies Shape<ToolAwaitingApproval>);
  }),
  ToolStarted: lazy(() =>
    z.looseObject({ type: literal("ToolStarted"), ...ofCall, name: string } satisfies Shape<ToolStarted>),
  ),
  ToolDelta: lazy(() =>
    z.looseObject({ type: literal("ToolDelta"), ...ofCall, content: string } satisfies Shape<ToolDelta>),
  ),
  ToolCompleted: lazy(() => {
    const type = literal("ToolCompleted");
    return z.looseObject({ type, ...ofCall, content: string } satisfies Shape<ToolCompleted>);
  }),
  ToolError: lazy(() =>
    z.looseObject({ type: literal("ToolError"), ...ofCall, error: string } satisfies Shape<ToolError>),
  ),
  Finished: lazy(() =>
    z.looseObject({ type: literal("Finished"), agent_id: u32, usage } satisfies Shape<Finished>),
  ),
  Retrying: lazy(() => {
    const type = literal("Retrying");
    return z.looseObject({ type, agent_id: u32, attempt: u32, error: string } satisfies Shape<Retrying>);
  }),
  History: lazy(() => {
    const said = { role: string, content: string, timestamp: textOrNull } satisfies Shape<HistoryMessage>;
    const messages = list(z.looseObject(said));
    return z.looseObject({ type: literal("History"), messages } satisfies Shape<History>);
  }),
  State: lazy(() => {
    const agent = { id: u32, name: textOrNull, is_streaming: boolean } satisfies Shape<AgentState>;
    const pending = { ...ofCall, name: string, params: json } satisfies Shape<CodeyPendingApproval>;
    return z.looseObject({
      type: literal("State"),
      agents: list(z.looseObject(agent)),
      pending_approvals: list(z.looseObject(pending)),
    } satisfies Shape<State>);
  }),
  Pong: lazy(() => z.looseObject({ type: literal("Pong") } satisfies Shape<Pong>)),
  Error: lazy(() =>
    z.looseObject({ type: literal("Error"), message: words, fatal: flag } satisfies Shape<ServerError>),
  ),
};

const BY_TYPE: Readonly<Record<string, Reads<KnownMessage>>> = SCHEMAS;

/** Reads deltas, the most frequent messages, by hand. A property test compares this guard with the schemas. */
export function isDelta(frame: unknown): frame is TextDelta | ThinkingDelta {
  if (typeof frame !== "object" || frame === null || !("type" in frame)) return false;
  if (frame.type !== "TextDelta" && frame.type !== "ThinkingDelta") return false;
  return (
    "content" in frame && typeof frame.content === "string" && "agent_id" in frame && isU32(frame.agent_id)
  );
}

/** Deltas, the most frequent frames. */
export const hotDelta: HotKind = (frame) =>
  isDelta(frame)
    ? { strings: [frame.content], withStrings: ([content]) => ({ ...frame, content }) }
    : undefined;

/** Reads one parsed frame. Never throws. */
export function decode(frame: unknown): CodeyServerMessage {
  if (isDelta(frame)) return frame;
  if (!isObject(frame)) return { type: "invalid", problem: "a frame that is not an object" };
  const { type } = frame;
  if (typeof type !== "string") return { type: "invalid", problem: "a message without a `type`" };
  return readByType(BY_TYPE, type, frame, (problem) =>
    problem === undefined ? { type: "unknown", message: frame } : invalid(frame, problem),
  );
}

/** The readable facts of a frame that cannot be read or handled. */
export function invalid(frame: unknown, problem: string): Invalid {
  const { type, call_id: callId, agent_id: agentId } = fieldsOf(frame);
  if (typeof type !== "string") return { type: "invalid", problem };
  return {
    type: "invalid",
    problem,
    claims: type,
    ...(type === "ToolAwaitingApproval" && typeof callId === "string" ? { undecided: callId } : {}),
    ...(isU32(agentId) ? { agentId } : {}),
  };
}

/** The frames that a client sends. */
export const encode = {
  sendMessage: (content: string, agentId: number | null): string =>
    JSON.stringify({ type: "SendMessage", content, agent_id: agentId }),
  /** The answer to a `ToolAwaitingApproval`: `true` allows the call, `false` denies it. The server sends no confirmation. */
  toolDecision: (callId: string, approved: boolean): string =>
    JSON.stringify({ type: "ToolDecision", call_id: callId, approved }),
  cancel: '{"type":"Cancel"}',
  getHistory: '{"type":"GetHistory"}',
  getState: '{"type":"GetState"}',
  ping: '{"type":"Ping"}',
};
