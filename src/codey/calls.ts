// What a message or a decision means for one tool call, and which call is meant: servers reuse ids.
import { Queue } from "../core/queue.ts";
import { hasEnded, type Ruling, type TurnToolCall } from "../core/values.ts";
import type { RequestedCall, ToolError, TurnMessage } from "./messages.ts";

/** A message about one call. */
export type CallMessage = Extract<TurnMessage, { readonly call_id: string }>;

/** The effect of a message on a call. */
interface CallStep {
  readonly call: TurnToolCall;
  /** Whether the message becomes an event of the turn. A repeated message does not. */
  readonly tell: boolean;
  /** The call needs a decision. */
  readonly ask?: true;
  /** The open decision is no longer needed. */
  readonly decided?: true;
  readonly warning?: string;
}

/** The server's error for a denied call, denied by the server's own filter or by this client. */
const DENIED = "Denied by user";

/** The name of a call until a message names it. */
const UNKNOWN = "unknown";

/** A new call, from the first message about it. */
export function newCall(
  id: string,
  agentId: number,
  told: Partial<RequestedCall>,
  raw: unknown,
): TurnToolCall {
  const { name = UNKNOWN, params = null, background } = told;
  const call: TurnToolCall = { id, name, input: params, state: "requested", agentId, raw };
  return background === undefined ? call : { ...call, background };
}

/**
 * Applies one message to a call. The letters are the messages: A (`ToolAwaitingApproval`), S, D, C, E.
 *
 *     requested ──A──▶ awaiting ──decision──▶ approved ──▶ running ──▶ done | failed
 *         │                │                  denied  ──▶ (the server's ToolError)
 *         └──── S, D, C, E ┴── decided elsewhere
 *
 * A message for an ended call changes nothing.
 */
export function stepCall(call: TurnToolCall, message: CallMessage): CallStep {
  if (isOver(call)) return { call, tell: false };
  switch (message.type) {
    case "ToolAwaitingApproval": {
      if (call.state !== "requested") return { call, tell: false };
      const { name, params, background } = message;
      const asked = { ...call, name, input: params, background, raw: message, state: "awaiting" } as const;
      return { call: asked, tell: true, ask: true };
    }
    case "ToolStarted": {
      if (call.state === "running") return { call, tell: false };
      const name = call.name === UNKNOWN ? message.name : call.name;
      return goesOn(call, { ...call, name, state: "running" }, "runs although it was denied");
    }
    case "ToolDelta": {
      const output = (typeof call.output === "string" ? call.output : "") + message.content;
      const next: TurnToolCall = call.state === "denied" ? call : { ...call, state: "running", output };
      return goesOn(call, next, "sends output although it was denied");
    }
    case "ToolCompleted": {
      const next: TurnToolCall = { ...call, state: "done", output: message.content };
      return goesOn(call, next, "has run although it was denied");
    }
    case "ToolError":
      return onError(call, message);
    default:
      return message satisfies never;
  }
}

function onError(call: TurnToolCall, { error }: ToolError): CallStep {
  if (call.state === "denied") return { call: { ...call, error }, tell: true };
  // The client was not asked, so the server's own filter has denied the call.
  if (error === DENIED && call.state === "requested")
    return { call: { ...call, state: "denied", deniedBy: "server", error }, tell: true };
  return goesOn(call, { ...call, state: "failed", error });
}

/** The server goes on with a call, whatever the decision was. */
function goesOn(call: TurnToolCall, next: TurnToolCall, oddity = ""): CallStep {
  const step = { call: next, tell: true };
  if (call.state === "awaiting") return { ...step, decided: true };
  return call.state === "denied" ? { ...step, warning: oddity } : step;
}

/** Whether no further message about a call is expected. The server confirms a denial with a `ToolError`. */
function isOver(call: TurnToolCall): boolean {
  return hasEnded(call) && (call.state !== "denied" || call.error !== undefined);
}

/** A call of the turn, with its ids on the wire. */
export interface WireCall {
  readonly callId: string;
  readonly agentId: number;
  /** The current state. */
  call: TurnToolCall;
  /** The decision on this call. Not sent yet, because an older question with the same id is still open. */
  ruling?: Ruling;
}

/** The unfinished calls of one agent and id, in three lines. Each line keeps the order in which calls joined it. */
interface SameId {
  readonly requested: Queue<WireCall>;
  readonly awaiting: Queue<WireCall>;
  readonly begun: Queue<WireCall>;
}

/**
 * The calls of a turn. A server may reuse an id for a later call, or for two calls of one request (a Gemini model uses the tools' names
 * as ids). So an id names a line of calls. A message is about the oldest matching call of that line.
 */
export class TurnCalls {
  readonly #byKey = new Map<string, SameId>();
  readonly #idFor: (callId: string) => string;

  /** @param idFor makes a new id from the server's id, at each call */
  constructor(idFor: (callId: string) => string) {
    this.#idFor = idFor;
  }

  /** The keys (`keyOf`) of all calls, including ended ones. */
  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Adds a new call. */
  add(agentId: number, callId: string, told: Partial<RequestedCall>, raw: unknown): WireCall {
    const key = callKey(agentId, callId);
    let lines = this.#byKey.get(key);
    if (!lines) {
      lines = { requested: new Queue(), awaiting: new Queue(), begun: new Queue() };
      this.#byKey.set(key, lines);
    }
    const added: WireCall = { callId, agentId, call: newCall(this.#idFor(callId), agentId, told, raw) };
    lines.requested.add(added);
    return added;
  }

  /**
   * The call that a message is about, if a call of its id is unfinished. A call that awaits its decision comes last: the server does
   * nothing with it before the decision, and a question that is withdrawn without an answer would block the turn.
   */
  addressed(type: CallMessage["type"], agentId: number, callId: string): WireCall | undefined {
    const lines = this.#byKey.get(callKey(agentId, callId));
    if (!lines) return undefined;
    const [requested, awaiting, begun] = [lines.requested.first, lines.awaiting.first, lines.begun.first];
    switch (type) {
      case "ToolAwaitingApproval":
        return requested ?? awaiting; // an open question is repeated
      case "ToolStarted":
        return requested ?? begun ?? awaiting;
      case "ToolDelta":
      case "ToolCompleted":
      case "ToolError":
        return begun ?? requested ?? awaiting;
      default:
        return type satisfies never;
    }
  }

  /** Changes the state of a call to `next`. */
  update(known: WireCall, next: TurnToolCall): void {
    const lines = this.#byKey.get(callKey(known.agentId, known.callId));
    const from = lineOf(known.call);
    const to = lineOf(next);
    known.call = next;
    if (from === to) return;
    // The call is the first of its line: messages go to the first call, and decisions are sent in the order of the questions.
    if (from) lines?.[from].take();
    if (to) lines?.[to].add(known);
  }

  /** The call with the oldest open question of this id, if it has been decided: decisions are sent in the order of the questions. */
  nextRuled({ agentId, callId }: WireCall): WireCall | undefined {
    const asked = this.#byKey.get(callKey(agentId, callId))?.awaiting.first;
    return asked?.ruling ? asked : undefined;
  }

  /** Removes the oldest call of this key that has needed no decision yet. Returns whether there was one. */
  takeRequested(key: string): boolean {
    return this.#byKey.get(key)?.requested.take() !== undefined;
  }

  /** Removes the calls that await a decision. Calls of one id come in the order of their questions. */
  *takeAwaiting(): Iterable<WireCall> {
    for (const { awaiting } of this.#byKey.values())
      for (let next = awaiting.take(); next; next = awaiting.take()) yield next;
  }
}

function lineOf(call: TurnToolCall): keyof SameId | undefined {
  if (isOver(call)) return undefined;
  return call.state === "requested" || call.state === "awaiting" ? call.state : "begun";
}

/** The key of the calls of one agent and id: a server may count ids separately for each agent. */
export function callKey(agentId: number, callId: string): string {
  return `${agentId} ${callId}`;
}
