import type { Ruling } from "../core/approvals.ts";
import { GrowingText } from "../core/growing-text.ts";
import type { TurnToolCall } from "../core/tool-call.ts";
import type { TurnResult } from "../core/turn.ts";
import { type CallMessage, decideCall, inferStart, newCall, stepCall } from "./calls.ts";
import type { RequestedCall, Retrying, ToolRequest, ToolStarted, TurnMessage } from "./messages.ts";
import type { CodeyUsage } from "./usage.ts";

/**
 * What a Codey turn yields: the server's messages of this turn, in order. Repeated ones are left out. A `ToolStarted`
 * with `inferred` was not sent by the server, which does not tell that an approved call begins.
 */
export type CodeyEvent = Exclude<TurnMessage, ToolStarted> | (ToolStarted & { readonly inferred?: true });

/** One answer of the model; a turn has several when it uses tools. */
export interface CodeyRound {
  readonly text: string;
  readonly thinking: string;
  /** The ids of its calls in `toolCalls`. */
  readonly calls: readonly string[];
}

/** What a Codey turn ends with. */
export interface CodeyResult extends TurnResult {
  /** The session of the connection that the turn ran on. */
  readonly sessionId: string;
  readonly rounds: readonly CodeyRound[];
  /** All the thinking, in order. */
  readonly thinking: string;
  readonly toolCalls: readonly TurnToolCall[];
  readonly usage?: CodeyUsage;
}

interface Round {
  readonly text: GrowingText;
  readonly thinking: GrowingText;
  readonly calls: string[];
  /** Its calls were told, which is its end: what comes is of the next one. */
  requested: boolean;
}

/** A call of the turn, with what names it on the wire. */
export interface CodeyCall {
  readonly callId: string;
  readonly agentId: number;
  readonly call: TurnToolCall;
}

/** What is known of one turn while it runs. */
export interface TurnState {
  /** Makes an id that is unique in the client out of the server's. */
  readonly idFor: (callId: string) => string;
  readonly maxTextBytes: number;
  readonly rounds: Round[];
  /** By agent and call id; a server may count them per agent. */
  readonly calls: Map<string, CodeyCall>;
  /** The agent whose end is the turn's: the first that was heard of. */
  root: number | undefined;
  /** `Retrying` in a row that do not count up, and the last number. */
  retries: number;
  attempt: number;
}

export function newTurnState(idFor: (callId: string) => string, maxTextBytes: number): TurnState {
  return {
    idFor,
    maxTextBytes,
    rounds: [],
    calls: new Map(),
    root: undefined,
    retries: 0,
    attempt: 0,
  };
}

/** What to do about one message. */
export interface TurnStep {
  readonly event?: CodeyEvent;
  readonly changed: readonly TurnToolCall[];
  /** A decision is needed. */
  readonly ask?: CodeyCall;
  /** The id of a call whose decision is not needed any more. */
  readonly decided?: string;
  readonly warning?: string;
  /** The turn is over, or the server only says that it tries again. */
  readonly end?: "finished" | "retries";
}

/**
 * `Retrying` in a row that do not count up: the real server floods the same number without end when it cannot build
 * its request at all, for example without an API key. A server that counts gets all the attempts it wants.
 */
export const MAX_RETRIES = 5;

const NOTHING: readonly TurnToolCall[] = [];

/** One message of a running turn. */
export function stepTurn(state: TurnState, message: TurnMessage): TurnStep {
  if (message.type !== "Retrying") state.retries = 0;
  switch (message.type) {
    case "TextDelta":
    case "ThinkingDelta": {
      state.root ??= message.agent_id;
      if (message.agent_id === state.root) {
        const { text, thinking } = prelude(state);
        (message.type === "TextDelta" ? text : thinking).add(message.content);
      }
      return { event: message, changed: NOTHING };
    }
    case "ToolRequest":
      return { event: message, changed: onRequest(state, message) };
    case "ToolAwaitingApproval":
    case "ToolStarted":
    case "ToolDelta":
    case "ToolCompleted":
    case "ToolError":
      return onCall(state, message);
    case "Retrying":
      return onRetrying(state, message);
    case "Finished":
      // A sub-agent is done, not the turn.
      if (message.agent_id !== rootOf(state)) return { event: message, changed: NOTHING };
      return { event: message, changed: NOTHING, end: "finished" };
  }
}

/** The agent whose end is the turn's; the first one while nobody has spoken. */
export function rootOf({ root }: TurnState): number {
  return root ?? 0;
}

/** The text that an event adds to the turn's: what the root agent says. */
export function textOf(state: TurnState, event: CodeyEvent): string {
  return event.type === "TextDelta" && event.agent_id === state.root ? event.content : "";
}

/** What a decision makes of a call that awaits it, and what users hear of that. */
export function decide(
  state: TurnState,
  key: CodeyCall,
  ruling: Ruling,
): TurnStep & { readonly approved: boolean } {
  const { callId, agentId } = key;
  const decided = decideCall(currentOf(state, key), ruling);
  if (decided.state === "denied") {
    keep(state, { callId, agentId, call: decided });
    return { changed: [decided], approved: false };
  }
  const running = inferStart(decided);
  keep(state, { callId, agentId, call: running });
  const event: CodeyEvent = {
    type: "ToolStarted",
    agent_id: agentId,
    call_id: callId,
    name: running.name,
    inferred: true,
  };
  return { event, changed: [decided, running], approved: true };
}

/** The call as it is now. */
export function currentOf({ calls }: TurnState, { agentId, callId, call }: CodeyCall): TurnToolCall {
  return calls.get(keyOf(agentId, callId))?.call ?? call;
}

export function roundsOf({ rounds }: TurnState): readonly CodeyRound[] {
  return rounds.map(({ text, thinking, calls }) => ({ text: text.value, thinking: thinking.value, calls }));
}

/** The round whose calls have not begun. */
function prelude(state: TurnState): Round {
  const last = state.rounds.at(-1);
  return last && last.calls.length === 0 ? last : newRound(state);
}

function newRound({ rounds, maxTextBytes }: TurnState): Round {
  const round: Round = {
    text: new GrowingText(maxTextBytes),
    thinking: new GrowingText(maxTextBytes),
    calls: [],
    requested: false,
  };
  rounds.push(round);
  return round;
}

/** The calls that the server means to make; those that are known already change nothing. */
function onRequest(state: TurnState, { agent_id: agentId, calls }: ToolRequest): TurnToolCall[] {
  state.root ??= agentId;
  const isNew = ({ call_id: callId }: RequestedCall): boolean => !state.calls.has(keyOf(agentId, callId));
  if (agentId === state.root && calls.some(isNew)) {
    const last = state.rounds.at(-1);
    const round = last && !last.requested ? last : newRound(state); // the model may have nothing to say in between
    round.requested = true;
  }
  return calls.flatMap((told) => (isNew(told) ? [add(state, agentId, told.call_id, told, told).call] : []));
}

function onCall(state: TurnState, message: CallMessage): TurnStep {
  const { agent_id: agentId, call_id: callId } = message;
  const known = state.calls.get(keyOf(agentId, callId));
  const { call } = known ?? add(state, agentId, callId, "name" in message ? message : {}, message);
  const step = stepCall(call, message);
  if (!step.tell) return { changed: known ? NOTHING : [call] };
  const current = { callId, agentId, call: step.call };
  keep(state, current);
  return {
    event: message,
    changed: [step.call],
    ...(step.ask ? { ask: current } : {}),
    ...(step.decided ? { decided: step.call.id } : {}),
    ...(step.warning === undefined ? {} : { warning: `the call ${callId} ${step.warning}` }),
  };
}

function onRetrying(state: TurnState, message: Retrying): TurnStep {
  const counts = state.retries > 0 && message.attempt > state.attempt;
  state.retries = counts ? 1 : state.retries + 1;
  state.attempt = message.attempt;
  const event = { event: message, changed: NOTHING };
  return state.retries < MAX_RETRIES ? event : { ...event, end: "retries" };
}

function add(
  state: TurnState,
  agentId: number,
  callId: string,
  told: Partial<RequestedCall>,
  raw: unknown,
): CodeyCall {
  const added = { callId, agentId, call: newCall(state.idFor(callId), agentId, told, raw) };
  keep(state, added);
  const round = state.rounds.at(-1) ?? newRound(state);
  round.calls.push(added.call.id);
  return added;
}

function keep({ calls }: TurnState, call: CodeyCall): void {
  calls.set(keyOf(call.agentId, call.callId), call);
}

export function keyOf(agentId: number, callId: string): string {
  return `${agentId} ${callId}`;
}
