// Pure: what one event of the program means for a turn.
import { isAskUser, questionOf, questionOutcome } from "../codebuff-events/ask-user.ts";
import type { PrintModeEvent } from "../codebuff-events/print-mode.ts";
import { fieldsOf } from "../core/checks.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnResult } from "../core/turn/turn.ts";
import type { Cost, Question, TurnToolCall } from "../core/values.ts";
import type { CodebuffCliStderr } from "./errors.ts";
import type { CodebuffCliEvent, CodebuffCliFinish, CodebuffCliToolOutput, PrintedEvent } from "./messages.ts";
import { SESSION_ID } from "./options.ts";

/** The result of a turn. */
export interface CodebuffCliResult extends TurnResult {
  /** In credits, as the program reported them. */
  readonly cost?: Cost;
  /**
   * The session that the next prompt can continue: the one that an event names as `session_id`, `sessionId`,
   * `conversationId`, `conversation_id` or `chatId`, otherwise the requested one.
   */
  readonly sessionId?: string;
  readonly toolCalls: readonly TurnToolCall[];
  /** The program succeeded without `finish`. */
  readonly missingFinish?: true;
  /** Null if this library ended the program, because it was still running after its `finish`. */
  readonly exitCode: number | null;
  readonly stderr: CodebuffCliStderr;
}

/** The session of a conversation. Undefined until the program reports one. */
export interface SessionRef {
  id: string | undefined;
}

export type CliTurnState = ReturnType<typeof newCliTurnState>;

/** `maxText` is in characters. `questionId` makes a question's id: the call's id, unless it was in use. */
export function newCliTurnState(maxText: number, questionId = (callId: string): string => callId) {
  return {
    /** The root's text in chunks since its last block. Stops growing at the limit of the turn's text. */
    chunked: "",
    maxChunked: maxText,
    /** The root's running sub-agents, with their types. */
    subagents: new Map<string, string>(),
    calls: new Map<string, TurnToolCall>(),
    /** Open questions, by the id of their call. */
    questions: new Map<string, Question>(),
    questionId,
    /** The agent of the last `start`. In most builds, the type of the previous agent. */
    started: undefined as string | undefined,
    sessionId: undefined as string | undefined,
    /** The requested session, which counts until the program reports one. */
    requestedSessionId: undefined as string | undefined,
    finish: undefined as CodebuffCliFinish | undefined,
    /** The last error that did not end the run. */
    lastError: undefined as string | undefined,
  };
}

export interface CliTurnStep {
  readonly event: CodebuffCliEvent;
  /** A tool call that is new or has changed. */
  readonly call?: TurnToolCall;
  readonly asked?: Question;
  /** The result of a question arrived, with or without an answer. */
  readonly answered?: { readonly id: string; readonly isAnswered: boolean };
  /** The root agent has finished. Only the exit is outstanding. */
  readonly finished?: boolean;
}

export function textOfEvent(event: CodebuffCliEvent): string {
  return event.type === "text" || event.type === "chunk" ? event.delta : "";
}

export function costOf({ finish }: CliTurnState): Cost | undefined {
  return finish?.totalCost === undefined ? undefined : { amount: finish.totalCost, unit: "credits" };
}

/** The result of a turn, without the facts about its process. */
export function resultOf(
  state: CliTurnState,
  { textResult, toolCalls }: Pick<LiveTurn<never, CodebuffCliResult>, "textResult" | "toolCalls">,
): Omit<CodebuffCliResult, "exitCode" | "stderr"> {
  const cost = costOf(state);
  const sessionId = state.sessionId ?? state.requestedSessionId;
  return {
    ...textResult,
    ...(cost ? { cost } : {}),
    ...(sessionId === undefined ? {} : { sessionId }),
    toolCalls,
  };
}

/** Handles one event. `raw` is the parsed line. Changes only `state`. */
export function stepCliTurn(state: CliTurnState, printed: PrintedEvent, raw: unknown): CliTurnStep {
  state.sessionId ??= sessionIdOf(raw);
  switch (printed.type) {
    case "chunk":
      if (state.chunked.length < state.maxChunked) state.chunked += printed.text;
      return { event: { type: "chunk", delta: printed.text } };
    case "text":
      return {
        event: { ...printed, delta: isOfRoot(state, printed.agentId) ? newText(state, printed.text) : "" },
      };
    case "start":
      state.started = printed.agentId;
      return { event: printed };
    case "tool_call":
      return onCall(state, printed, raw);
    case "tool_progress":
      return withCall(state, printed, (call) =>
        call.state === "running" ? { ...call, output: withMore(state, call, printed.output) } : undefined,
      );
    case "tool_result":
      return onResult(state, printed);
    case "subagent_start":
      state.subagents.set(printed.agentId, printed.agentType);
      return { event: printed };
    case "subagent_finish":
      state.subagents.delete(printed.agentId);
      return { event: printed };
    case "error":
      if (printed.source === undefined) state.lastError = printed.message; // with a source the program recovers by itself
      return { event: printed };
    case "finish":
      return onFinish(state, printed);
    case "download":
    case "reasoning_delta":
    case "reasoning_chunk":
    case "subagent_chunk":
    case "unknown":
      return { event: printed };
    default:
      return printed satisfies never;
  }
}

/** The session id, under the name that the program gives it. Any event may have one. */
export function sessionIdOf(raw: unknown): string | undefined {
  const { session_id, sessionId, conversationId, conversation_id, chatId } = fieldsOf(raw);
  // The id becomes an argument: no flag, no spaces.
  return [session_id, sessionId, conversationId, conversation_id, chatId].find(
    (id): id is string => typeof id === "string" && SESSION_ID.test(id),
  );
}

const MAIN_AGENT = "main-agent";

/** Whether an agent is the root. A sub-agent is not the root, whatever its name. */
function isOfRoot({ started, subagents }: CliTurnState, agentId: string | undefined): boolean {
  if (agentId === undefined || agentId === MAIN_AGENT) return true;
  return agentId === started && !subagents.has(agentId);
}

/** The part of a block that was not printed in chunks. Builds that print chunks repeat them in the block. */
function newText(state: CliTurnState, text: string): string {
  const { chunked } = state;
  state.chunked = "";
  if (chunked === "") return text;
  if (chunked.endsWith(text)) return "";
  return text.startsWith(chunked) ? text.slice(chunked.length) : text;
}

type Printed<Type extends PrintModeEvent["type"]> = Extract<PrintedEvent, { readonly type: Type }>;

function onCall(state: CliTurnState, event: Printed<"tool_call">, raw: unknown): CliTurnStep {
  const { toolCallId: id, toolName: name, input, agentId } = event;
  const call: TurnToolCall = {
    id,
    name,
    input,
    raw,
    state: "running",
    ...(agentId === undefined ? {} : { agentId }),
  };
  state.calls.set(id, call);
  const asked = isAskUser(name) ? questionOf({ id: state.questionId(id), name, input, raw }) : undefined;
  if (asked) state.questions.set(id, asked);
  return { event, call, ...(asked ? { asked } : {}) };
}

function onResult(state: CliTurnState, event: Printed<"tool_result">): CliTurnStep {
  const { toolCallId: id, output } = event;
  const error = errorOf(output);
  const step = withCall(state, event, (call) => ({
    ...call,
    output,
    state: error === undefined ? "done" : "failed",
    ...(error === undefined ? {} : { error }),
  }));
  const question = state.questions.get(id);
  if (!question) return step;
  state.questions.delete(id);
  const answer = questionOutcome(question, output);
  return {
    ...step,
    ...(answer ? { event: { ...event, answer } } : {}),
    answered: { id: question.id, isAnswered: answer?.status === "answered" },
  };
}

/** The step of a tool event. Without a known call or a change, the step has only the event. */
function withCall(
  state: CliTurnState,
  event: Printed<"tool_progress" | "tool_result">,
  change: (call: TurnToolCall) => TurnToolCall | undefined,
): CliTurnStep {
  const known = state.calls.get(event.toolCallId);
  const call = known && change(known);
  if (!call) return { event };
  state.calls.set(call.id, call);
  return { event, call };
}

/** The output of a call so far. Stops growing at the limit of the turn's text. */
function withMore({ maxChunked }: CliTurnState, { output }: TurnToolCall, more: string): string {
  const soFar = typeof output === "string" ? output : "";
  return soFar.length < maxChunked ? soFar + more : soFar;
}

/** The error that a tool reports. A command's exit code other than 0 is not an error of the tool. */
function errorOf(output: readonly CodebuffCliToolOutput[]): string | undefined {
  for (const part of output) {
    if (part.type !== "json" || typeof part.value !== "object" || part.value === null) continue;
    const { errorMessage, error } = part.value as Readonly<Record<string, unknown>>;
    if (typeof errorMessage === "string") return errorMessage;
    if (error !== undefined && error !== null) return wordsOf(error);
  }
  return undefined;
}

function wordsOf(error: unknown): string {
  if (typeof error === "string") return error;
  try {
    return JSON.stringify(error);
  } catch {
    return "it failed, with an error that is nested too deeply to be written";
  }
}

/** Counts only the root's first `finish`. Ignores one with a running sub-agent's id or type. */
function onFinish(state: CliTurnState, event: CodebuffCliFinish): CliTurnStep {
  const { agentId } = event;
  const { subagents } = state;
  if (agentId !== undefined && (subagents.has(agentId) || [...subagents.values()].includes(agentId)))
    return { event };
  if (state.finish) return { event };
  state.finish = event;
  return { event, finished: true };
}
