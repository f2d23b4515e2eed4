// Pure: what one message of the server means for a turn.
import { decideCall, inferStart } from "../core/gate/outcome.ts";
import { GrowingText } from "../core/text.ts";
import type { TurnResult } from "../core/turn/turn.ts";
import type { Ruling, TurnToolCall } from "../core/values.ts";
import { type CallMessage, callKey, stepCall, TurnCalls, type WireCall } from "./calls.ts";
import type { RequestedCall, Retrying, ToolRequest, ToolStarted, TurnMessage } from "./messages.ts";
import type { CodeyUsage } from "./usage.ts";

/**
 * An event of a Codey turn: a message of the server, in the order of the wire. A `ToolStarted` with `inferred` is the client's own: the
 * real server does not report the start of an approved call. Messages of a sub-agent (another `agent_id`) add no text and end no turn.
 *
 * Where the real server differs from its guide, both work. Any `Error` fails the turn: no `Finished` follows, and none is `fatal`. A
 * repeated `ToolStarted` and messages for an ended call are left out. Bad input, which the server drops without a word, is refused
 * before it is sent. The server's ids of calls may repeat (a Gemini model uses the tool's name); each call gets its own `id`.
 */
export type CodeyEvent = Exclude<TurnMessage, ToolStarted> | (ToolStarted & { readonly inferred?: true });

/** One answer of the model. A turn with tools has several rounds. */
export interface CodeyRound {
  readonly text: string;
  readonly thinking: string;
  /** The ids of the round's calls in `toolCalls`. */
  readonly calls: readonly string[];
}

/** The result of a Codey turn. */
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

/** The state of one turn while it runs. */
export interface TurnState {
  readonly maxTextBytes: number;
  readonly rounds: Round[];
  readonly calls: TurnCalls;
  /** The root agent: the first agent that sent text or requested calls. Its `Finished` ends the turn. */
  root: number | undefined;
  /** The number of `Retrying` in a row that did not count up, and the last `attempt`. */
  retries: number;
  attempt: number;
}

/** @param idFor makes an id that is unique in the client from the server's id, a new one for each call */
export function newTurnState(idFor: (callId: string) => string, maxTextBytes: number): TurnState {
  const calls = new TurnCalls(idFor);
  return { maxTextBytes, rounds: [], calls, root: undefined, retries: 0, attempt: 0 };
}

/** The consequences of one message. */
export interface TurnStep {
  readonly event?: CodeyEvent;
  readonly changed: readonly TurnToolCall[];
  /** The call needs a decision. */
  readonly ask?: WireCall;
  /** The open decision on the call is no longer needed. */
  readonly decided?: WireCall;
  readonly warning?: string;
  /** The turn has finished, or the server retries without end. */
  readonly end?: "finished" | "retries";
}

/**
 * A turn fails after this many `Retrying` in a row that do not count up. The real server sends `attempt: 1` without end if it cannot
 * build its request, for example without an API key. A server that counts up may retry as often as it wants.
 */
export const MAX_RETRIES = 5;

const NOTHING: readonly TurnToolCall[] = [];

/** Handles one message of a running turn. */
export function stepTurn(state: TurnState, message: TurnMessage): TurnStep {
  const told = { event: message, changed: NOTHING };
  if (message.type !== "Retrying") state.retries = 0;
  switch (message.type) {
    case "TextDelta":
    case "ThinkingDelta": {
      state.root ??= message.agent_id;
      if (message.agent_id === state.root) {
        const { text, thinking } = prelude(state);
        (message.type === "TextDelta" ? text : thinking).add(message.content);
      }
      return told;
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
      return isRootAgent(state, message.agent_id) ? { ...told, end: "finished" } : told; // otherwise a sub-agent has finished
    default:
      return message satisfies never;
  }
}

/** Whether an agent is the root agent. Before the first message of any agent: agent 0. */
export function isRootAgent({ root = 0 }: TurnState, agentId: number): boolean {
  return agentId === root;
}

/** The text that an event adds to the turn's text. Only the root agent adds text. */
export function textOfEvent(state: TurnState, event: CodeyEvent): string {
  return event.type === "TextDelta" && event.agent_id === state.root ? event.content : "";
}

/** Applies a decision to a call that awaits it. */
export function decide(
  { calls }: TurnState,
  asked: WireCall,
  ruling: Ruling,
): TurnStep & { readonly approved: boolean } {
  const decided = decideCall(asked.call, ruling);
  calls.update(asked, decided);
  if (decided.state === "denied") return { changed: [decided], approved: false };
  const running = inferStart(decided);
  calls.update(asked, running);
  const { agentId: agent_id, callId: call_id } = asked;
  const event: CodeyEvent = { type: "ToolStarted", agent_id, call_id, name: running.name, inferred: true };
  return { event, changed: [decided, running], approved: true };
}

/** Handles a question of which only the ids are readable. The call is shown; the question is no event. */
export function stepUnreadable(
  state: TurnState,
  { agentId, callId, raw }: { readonly agentId: number; readonly callId: string; readonly raw: string },
): TurnStep {
  const asked =
    state.calls.addressed("ToolAwaitingApproval", agentId, callId) ?? add(state, agentId, callId, {}, raw);
  if (asked.call.state === "awaiting") return { changed: NOTHING }; // an open question is repeated
  state.calls.update(asked, { ...asked.call, raw, state: "awaiting" });
  return { changed: [asked.call], ask: asked };
}

export function roundsOf({ rounds }: TurnState): readonly CodeyRound[] {
  return rounds.map(({ text, thinking, calls }) => ({ text: text.value, thinking: thinking.value, calls }));
}

/** The last round if no call was requested in it yet, otherwise a new round. */
function prelude(state: TurnState): Round {
  const last = state.rounds.at(-1);
  return last && last.calls.length === 0 ? last : newRound(state);
}

function newRound({ rounds, maxTextBytes }: TurnState): Round {
  const [text, thinking] = [new GrowingText(maxTextBytes), new GrowingText(maxTextBytes)];
  const round: Round = { text, thinking, calls: [] };
  rounds.push(round);
  return round;
}

/** Each entry is a new call. The root agent's calls end its round, even one without text. */
function onRequest(state: TurnState, message: ToolRequest): TurnToolCall[] {
  const { agent_id: agentId, calls } = message;
  if (isRootAgent(state, agentId) && calls.length > 0) prelude(state);
  return calls.map((told) => add(state, agentId, told.call_id, told, told).call);
}

function onCall(state: TurnState, message: CallMessage): TurnStep {
  const { type, agent_id: agentId, call_id: callId } = message;
  const { calls } = state;
  const known = calls.addressed(type, agentId, callId);
  // All calls of this id have ended, and only a question begins another call.
  if (!known && type !== "ToolAwaitingApproval" && calls.has(callKey(agentId, callId)))
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
): WireCall {
  const added = state.calls.add(agentId, callId, told, raw);
  const round = state.rounds.at(-1) ?? newRound(state);
  round.calls.push(added.call.id);
  return added;
}
