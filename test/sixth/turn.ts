import { decideCall, inferStart } from "../../src/core/gate/outcome.ts";
import type { TurnResult } from "../../src/core/turn/turn.ts";
import { hasEnded, type Ruling, type TurnToolCall } from "../../src/core/values.ts";
import type { Ask, Delta, Done, Output, TurnMessage } from "./messages.ts";

/** What a turn yields: the messages of the server, up to its good end. */
export type EchoEvent = Delta | Ask | Output | Done;

/** What a turn ends with. */
export interface EchoResult extends TurnResult {
  readonly toolCalls: readonly TurnToolCall[];
}

/** What is known of a turn while it runs: its tool calls, by the ids of the server. */
export interface TurnState {
  readonly calls: Map<string, TurnToolCall>;
  /** Makes an id that is unique in the client out of an id of the server. */
  readonly idFor: (callId: string) => string;
}

/** What to do about one message; nothing about one that repeats what is known. */
export interface TurnStep {
  readonly event?: EchoEvent;
  /** A tool call that is new or has changed. */
  readonly call?: TurnToolCall;
  readonly end?: "done" | { readonly kind: "error" | "cancelled"; readonly words: string };
}

/** One message of a turn. */
export function stepTurn(state: TurnState, message: TurnMessage): TurnStep {
  switch (message.type) {
    case "delta":
      return { event: message };
    case "ask":
      return onAsk(state, message);
    case "output":
      return onOutput(state, message);
    case "done":
      return { event: message, end: "done" };
    case "error":
      return { end: { kind: "error", words: message.message } };
    case "cancelled":
      return { end: { kind: "cancelled", words: "the server cancelled the turn" } };
    default:
      return message satisfies never;
  }
}

/** The text that an event adds to the turn's. */
export function textOf(event: EchoEvent): string {
  return event.type === "delta" ? event.text : "";
}

/** What a decision makes of a call; nothing of a call that awaits none. */
export function decide({ calls }: TurnState, callId: string, ruling: Ruling): TurnToolCall | undefined {
  const call = calls.get(callId);
  if (call?.state !== "awaiting") return undefined;
  const decided = decideCall(call, ruling);
  const next = decided.state === "approved" ? inferStart(decided) : decided;
  calls.set(callId, next);
  return next;
}

function onAsk({ calls, idFor }: TurnState, message: Ask): TurnStep {
  const { callId, name, input } = message;
  if (calls.has(callId)) return {};
  const call: TurnToolCall = { id: idFor(callId), name, input, state: "awaiting", raw: message };
  calls.set(callId, call);
  return { event: message, call };
}

/** Also for a call that still awaits its decision: the server has decided it otherwise. */
function onOutput({ calls }: TurnState, message: Output): TurnStep {
  const known = calls.get(message.callId);
  if (!known || hasEnded(known)) return {};
  const call: TurnToolCall = { ...known, state: "done", output: message.text };
  calls.set(message.callId, call);
  return { event: message, call };
}
