import { decideCall, inferStart } from "../core/gate/decision.ts";
import { GrowingText } from "../core/turn/growing-text.ts";
import type { TurnResult } from "../core/turn/turn.ts";
import type { Ruling, TurnToolCall } from "../core/values.ts";
import { type CallMessage, stepCall } from "./calls.ts";
import type {
  RequestedCall,
  Retrying,
  ToolRequest,
  ToolStarted,
  TurnMessage,
  UnreadableQuestion,
} from "./messages.ts";
import { type CodeyCall, keyOf, TurnCalls } from "./turn-calls.ts";
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
}

/** What is known of one turn while it runs. */
export interface TurnState {
  readonly maxTextBytes: number;
  readonly rounds: Round[];
  readonly calls: TurnCalls;
  /** The agent whose end is the turn's: the first that spoke or asked for calls. */
  root: number | undefined;
  /** `Retrying` in a row that do not count up, and the last number. */
  retries: number;
  attempt: number;
}

/** @param idFor makes an id that is unique in the client out of the server's, another one each time */
export function newTurnState(idFor: (callId: string) => string, maxTextBytes: number): TurnState {
  return {
    maxTextBytes,
    rounds: [],
    calls: new TurnCalls(idFor),
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
  /** A call whose decision is not needed any more. */
  readonly decided?: CodeyCall;
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
      state.root ??= message.agent_id;
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
      if (!isOfRoot(state, message)) return { event: message, changed: NOTHING };
      return { event: message, changed: NOTHING, end: "finished" };
  }
}

/** Whether it is of the agent whose end is the turn's; of the first one, before any has spoken. */
export function isOfRoot({ root = 0 }: TurnState, { agent_id }: { readonly agent_id: number }): boolean {
  return agent_id === root;
}

/** The text that an event adds to the turn's: what the root agent says. */
export function textOf(state: TurnState, event: CodeyEvent): string {
  return event.type === "TextDelta" && event.agent_id === state.root ? event.content : "";
}

/** What a decision makes of a call that awaits it, and what users hear of that. */
export function decide(
  { calls }: TurnState,
  asked: CodeyCall,
  ruling: Ruling,
): TurnStep & { readonly approved: boolean } {
  const decided = decideCall(asked.call, ruling);
  calls.update(asked, decided);
  if (decided.state === "denied") return { changed: [decided], approved: false };
  const running = inferStart(decided);
  calls.update(asked, running);
  const event: CodeyEvent = {
    type: "ToolStarted",
    agent_id: asked.agentId,
    call_id: asked.callId,
    name: running.name,
    inferred: true,
  };
  return { event, changed: [decided, running], approved: true };
}

/** A question of which no more than the ids can be read. Users hear of the call; there is no event to show. */
export function stepUnreadable(state: TurnState, question: UnreadableQuestion): TurnStep {
  const { agentId, callId, raw } = question;
  const asked =
    state.calls.addressed("ToolAwaitingApproval", agentId, callId) ?? add(state, agentId, callId, {}, raw);
  if (asked.call.state === "awaiting") return { changed: NOTHING }; // the very same question
  state.calls.update(asked, { ...asked.call, raw, state: "awaiting" });
  return { changed: [asked.call], ask: asked };
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
  };
  rounds.push(round);
  return round;
}

/** The calls that the server means to make, each a new one. Those of the root end its round, also when it has said nothing in it. */
function onRequest(state: TurnState, message: ToolRequest): TurnToolCall[] {
  const { agent_id: agentId, calls } = message;
  if (isOfRoot(state, message) && calls.length > 0) prelude(state);
  return calls.map((told) => add(state, agentId, told.call_id, told, told).call);
}

function onCall(state: TurnState, message: CallMessage): TurnStep {
  const { type, agent_id: agentId, call_id: callId } = message;
  const { calls } = state;
  const known = calls.addressed(type, agentId, callId);
  // Its calls are over, and only a question begins another one.
  if (!known && type !== "ToolAwaitingApproval" && calls.has(keyOf(agentId, callId)))
    return { changed: NOTHING };
  const addressed = known ?? add(state, agentId, callId, "name" in message ? message : {}, message);
  const step = stepCall(addressed.call, message);
  if (!step.tell) return { changed: NOTHING };
  calls.update(addressed, step.call);
  return {
    event: message,
    changed: [step.call],
    ...(step.ask ? { ask: addressed } : {}),
    ...(step.decided ? { decided: addressed } : {}),
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
  const added = state.calls.add(agentId, callId, told, raw);
  const round = state.rounds.at(-1) ?? newRound(state);
  round.calls.push(added.call.id);
  return added;
}
