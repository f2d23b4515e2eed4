import * as z from "zod/mini";
import { isObject } from "../core/checks.ts";
import type { Reads, Shape } from "../core/schemas.ts";
import { boolean, lazy, list, literal, readByType } from "../core/schemas.ts";

/** The greeting; the first message of every connection. */
export interface Connected {
  readonly type: "Connected";
  /** Another one for every connection: a server resumes nothing. */
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
  /** What the model made up as input: usually an object, but any JSON. */
  readonly params: unknown;
  /** It runs beside the others; the turn waits for it all the same. */
  readonly background: boolean;
}

/** All calls of a round; informational: it asks for nothing. */
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

/** A call begins. The real server does not say so after an approval, and says it twice for some calls. */
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

/** A call has ended. `content` is its whole output, also of a command that failed. */
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

/** Tokens as the server counts them. */
export interface FinishedUsage {
  /** Of the whole session. */
  readonly output_tokens: number;
  /** The other three are of the last request. */
  readonly context_tokens: number;
  readonly cache_creation_tokens: number;
  readonly cache_read_tokens: number;
}

/** The good end of a turn. */
export interface Finished {
  readonly type: "Finished";
  readonly agent_id: number;
  /** `undefined` when it could not be read: the turn has ended all the same. */
  readonly usage?: FinishedUsage | undefined;
}

/** The server tries its request again. The real one always says `attempt: 1`. */
export interface Retrying {
  readonly type: "Retrying";
  readonly agent_id: number;
  readonly attempt: number;
  readonly error: string;
}

export interface HistoryMessage {
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

export interface PendingApproval {
  readonly agent_id: number;
  readonly call_id: string;
  readonly name: string;
  readonly params: unknown;
}

/** The answer to `GetState`. On the real server a stub: show it, and decide nothing by it. */
export interface State {
  readonly type: "State";
  readonly agents: readonly AgentState[];
  /** In no order; may hold calls that a cancel has ended. */
  readonly pending_approvals: readonly PendingApproval[];
}

/** The answer to `Ping`. */
export interface Pong {
  readonly type: "Pong";
}

/** The bad end of a turn. */
export interface ServerError {
  readonly type: "Error";
  readonly message: string;
  /** The session cannot be used any more. */
  readonly fatal: boolean;
}

/** What belongs to a turn, in the order in which it came. */
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

/** Every message that is known, and what becomes of the others. */
export type ServerMessage =
  | Connected
  | TurnMessage
  | History
  | State
  | Pong
  | ServerError
  | { readonly type: "unknown"; readonly message: unknown }
  | Invalid;

/** A frame, or a message of a known type, that is not what it should be. */
export interface Invalid {
  readonly type: "invalid";
  readonly problem: string;
  /** The type that it claims, where that is one of the known ones. */
  readonly claims?: string;
  /** The call that it asks a decision for: without one the server would wait for ever. */
  readonly undecided?: string;
  /** The agent that it is of; the server's first where none is named. */
  readonly agentId?: number;
}

/** What can be read of a question that cannot be read as a whole. */
export interface UnreadableQuestion {
  readonly callId: string;
  readonly agentId: number;
  /** The frame. */
  readonly raw: string;
}

/** The largest id: an unsigned integer of 32 bits. */
export const MAX_U32 = 4_294_967_295;

export function isU32(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_U32;
}

const u32 = z.custom<number>(isU32);

/** Reads a field that nothing depends on; what it cannot be read as, `read` says. */
const lenient = <T>(read: (value: unknown) => T): z.ZodMiniType<T> => z.transform(read);

/** Absent is null: a field that may be null need not be there. */
const json = lenient((value: unknown): unknown => value ?? null);
const textOrNull = lenient((value) => (typeof value === "string" ? value : null));

const requestedCall = {
  call_id: z.string(),
  name: z.string(),
  params: json,
  background: boolean,
};

/** Whatever the server says of tokens, the turn is over. */
const usage = lenient((value) => (isUsage(value) ? value : undefined));

function isUsage(value: unknown): value is FinishedUsage {
  if (!isObject(value)) return false;
  const { output_tokens, context_tokens, cache_creation_tokens, cache_read_tokens } = value;
  return [output_tokens, context_tokens, cache_creation_tokens, cache_read_tokens].every(isU32);
}

/** The message ends the turn whatever it says; only a clear `true` ends the session. */
const words = lenient((value) => (typeof value === "string" ? value : "an error without words"));
const flag = lenient((value) => value === true);

// Each schema is made when it is first read: making them all takes as long as loading zod (`bench`, cold import).

const connected = lazy(() =>
  z.looseObject({ type: literal("Connected"), session_id: z.string() } satisfies Shape<Connected>),
);

export const textDelta = lazy(() =>
  z.looseObject({
    type: literal("TextDelta"),
    agent_id: u32,
    content: z.string(),
  } satisfies Shape<TextDelta>),
);

export const thinkingDelta = lazy(() =>
  z.looseObject({
    type: literal("ThinkingDelta"),
    agent_id: u32,
    content: z.string(),
  } satisfies Shape<ThinkingDelta>),
);

const toolRequest = lazy(() =>
  z.looseObject({
    type: literal("ToolRequest"),
    agent_id: u32,
    calls: list(z.looseObject(requestedCall satisfies Shape<RequestedCall>)),
  } satisfies Shape<ToolRequest>),
);

const toolAwaitingApproval = lazy(() =>
  z.looseObject({
    type: literal("ToolAwaitingApproval"),
    agent_id: u32,
    ...requestedCall,
  } satisfies Shape<ToolAwaitingApproval>),
);

const toolStarted = lazy(() =>
  z.looseObject({
    type: literal("ToolStarted"),
    agent_id: u32,
    call_id: z.string(),
    name: z.string(),
  } satisfies Shape<ToolStarted>),
);

const toolDelta = lazy(() =>
  z.looseObject({
    type: literal("ToolDelta"),
    agent_id: u32,
    call_id: z.string(),
    content: z.string(),
  } satisfies Shape<ToolDelta>),
);

const toolCompleted = lazy(() =>
  z.looseObject({
    type: literal("ToolCompleted"),
    agent_id: u32,
    call_id: z.string(),
    content: z.string(),
  } satisfies Shape<ToolCompleted>),
);

const toolError = lazy(() =>
  z.looseObject({
    type: literal("ToolError"),
    agent_id: u32,
    call_id: z.string(),
    error: z.string(),
  } satisfies Shape<ToolError>),
);

const finished = lazy(() =>
  z.looseObject({
    type: literal("Finished"),
    agent_id: u32,
    usage,
  } satisfies Shape<Finished>),
);

const retrying = lazy(() =>
  z.looseObject({
    type: literal("Retrying"),
    agent_id: u32,
    attempt: u32,
    error: z.string(),
  } satisfies Shape<Retrying>),
);

const history = lazy(() =>
  z.looseObject({
    type: literal("History"),
    messages: list(
      z.looseObject({
        role: z.string(),
        content: z.string(),
        timestamp: textOrNull,
      } satisfies Shape<HistoryMessage>),
    ),
  } satisfies Shape<History>),
);

const state = lazy(() =>
  z.looseObject({
    type: literal("State"),
    agents: list(
      z.looseObject({ id: u32, name: textOrNull, is_streaming: boolean } satisfies Shape<AgentState>),
    ),
    pending_approvals: list(
      z.looseObject({
        agent_id: u32,
        call_id: z.string(),
        name: z.string(),
        params: json,
      } satisfies Shape<PendingApproval>),
    ),
  } satisfies Shape<State>),
);

const pong = lazy(() => z.looseObject({ type: literal("Pong") } satisfies Shape<Pong>));

const serverError = lazy(() =>
  z.looseObject({
    type: literal("Error"),
    message: words,
    fatal: flag,
  } satisfies Shape<ServerError>),
);

const MESSAGES: Readonly<Record<string, Reads<ServerMessage>>> = {
  Connected: connected,
  TextDelta: textDelta,
  ThinkingDelta: thinkingDelta,
  ToolRequest: toolRequest,
  ToolAwaitingApproval: toolAwaitingApproval,
  ToolStarted: toolStarted,
  ToolDelta: toolDelta,
  ToolCompleted: toolCompleted,
  ToolError: toolError,
  Finished: finished,
  Retrying: retrying,
  History: history,
  State: state,
  Pong: pong,
  Error: serverError,
};

/** The hot frames get a guard by hand; a property test holds it equal to their schemas. */
export function isDelta(message: object): message is TextDelta | ThinkingDelta {
  if (!isObject(message)) return false;
  const { type } = message;
  return (
    (type === "TextDelta" || type === "ThinkingDelta") &&
    typeof message["content"] === "string" &&
    isU32(message["agent_id"])
  );
}

/** Reads one parsed frame. Never throws: what is not understood comes back as such. */
export function decode(message: unknown): ServerMessage {
  if (!isObject(message)) return { type: "invalid", problem: "a frame that is not an object" };
  if (isDelta(message)) return message;
  const { type } = message;
  if (typeof type !== "string") return { type: "invalid", problem: "a message without a `type`" };
  return readByType(MESSAGES, type, message, (problem) =>
    problem === undefined ? { type: "unknown", message } : unhandled(message, problem),
  );
}

/** A frame that was read, and cannot be handled. */
export function unhandled(message: unknown, problem: string): Invalid {
  const { type, call_id: callId, agent_id: agentId } = isObject(message) ? message : {};
  if (typeof type !== "string") return { type: "invalid", problem };
  return {
    type: "invalid",
    problem,
    claims: type,
    ...(type === "ToolAwaitingApproval" && typeof callId === "string" ? { undecided: callId } : {}),
    ...(isU32(agentId) ? { agentId } : {}),
  };
}

/** The frames a client sends. */
export const encode = {
  sendMessage: (content: string, agentId: number | null): string =>
    JSON.stringify({ type: "SendMessage", content, agent_id: agentId }),
  toolDecision: (callId: string, approved: boolean): string =>
    JSON.stringify({ type: "ToolDecision", call_id: callId, approved }),
  cancel: '{"type":"Cancel"}',
  getHistory: '{"type":"GetHistory"}',
  getState: '{"type":"GetState"}',
  ping: '{"type":"Ping"}',
};
