import { Queue } from "../core/queue.ts";
import type { Ruling, TurnToolCall } from "../core/values.ts";
import { type CallMessage, isOver, newCall } from "./calls.ts";
import type { RequestedCall } from "./messages.ts";

/** A call of the turn, with what names it on the wire. */
export interface CodeyCall {
  readonly callId: string;
  readonly agentId: number;
  /** As it is now. */
  call: TurnToolCall;
  /** The decision on its question, as long as an older question of its id is open. */
  ruling?: Ruling;
}

/** The calls of one id and agent that are not over. Each line is in the order in which its calls joined it. */
interface SameId {
  readonly requested: Queue<CodeyCall>;
  readonly awaiting: Queue<CodeyCall>;
  readonly begun: Queue<CodeyCall>;
}

/**
 * The calls of a turn. A server may use the id of a call again: for a later call, or for two calls of one request (a
 * Gemini model's ids are the names of its tools). So an id names a line of calls, and the oldest call that a message
 * can be about gets it.
 */
export class TurnCalls {
  /** By agent and call id: a server may count them per agent. */
  readonly #byKey = new Map<string, SameId>();
  readonly #ids = new Set<string>();
  /** Makes an id that is unique in the client out of the server's. */
  readonly #idFor: (callId: string) => string;

  constructor(idFor: (callId: string) => string) {
    this.#idFor = idFor;
  }

  /** The agents and call ids of all its calls, the ended ones included. */
  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** A call that was just heard of. */
  add(agentId: number, callId: string, told: Partial<RequestedCall>, raw: unknown): CodeyCall {
    const key = keyOf(agentId, callId);
    const lines = this.#byKey.get(key) ?? {
      requested: new Queue(),
      awaiting: new Queue(),
      begun: new Queue(),
    };
    const added: CodeyCall = { callId, agentId, call: newCall(this.#newId(callId), agentId, told, raw) };
    this.#byKey.set(key, lines);
    lines.requested.add(added);
    return added;
  }

  /**
   * The call that a message is about; none, where all calls of its id are over, or no call has it.
   *
   * A call that awaits its decision is the last to be thought of: the server does nothing with it before the decision,
   * and a question that is taken back unanswered would hold up the turn for ever.
   */
  addressed(type: CallMessage["type"], agentId: number, callId: string): CodeyCall | undefined {
    const lines = this.#byKey.get(keyOf(agentId, callId));
    if (!lines) return undefined;
    const [requested, awaiting, begun] = [lines.requested.first, lines.awaiting.first, lines.begun.first];
    switch (type) {
      case "ToolAwaitingApproval":
        return requested ?? awaiting; // the very same question, where one is open
      case "ToolStarted":
        return requested ?? begun ?? awaiting;
      case "ToolDelta":
      case "ToolCompleted":
      case "ToolError":
        return begun ?? requested ?? awaiting;
    }
  }

  /** The call is now `next`. */
  update(known: CodeyCall, next: TurnToolCall): void {
    const lines = this.#byKey.get(keyOf(known.agentId, known.callId));
    const from = lineOf(known.call);
    const to = lineOf(next);
    known.call = next;
    if (from === to) return;
    // Always the first of its line: messages go to the first, and decisions are made in the order of the questions.
    if (from) lines?.[from].take();
    if (to) lines?.[to].add(known);
  }

  /** The call with the oldest open question of this id, if its decision has been made: no decision overtakes another. */
  nextRuled({ agentId, callId }: CodeyCall): (CodeyCall & { readonly ruling: Ruling }) | undefined {
    const asked = this.#byKey.get(keyOf(agentId, callId))?.awaiting.first;
    return asked && isRuled(asked) ? asked : undefined;
  }

  /** Takes out the oldest call of an id that nobody was asked about; whether there was one. */
  takeRequested(key: string): boolean {
    return this.#byKey.get(key)?.requested.take() !== undefined;
  }

  /** Takes out the calls that await a decision; those of one id in the order of their questions. */
  *takeAwaiting(): Iterable<CodeyCall> {
    for (const { awaiting } of this.#byKey.values())
      for (let next = awaiting.take(); next; next = awaiting.take()) yield next;
  }

  #newId(callId: string): string {
    let id = this.#idFor(callId);
    while (this.#ids.has(id)) id = this.#idFor(callId);
    this.#ids.add(id);
    return id;
  }
}

function lineOf(call: TurnToolCall): keyof SameId | undefined {
  if (isOver(call)) return undefined;
  return call.state === "requested" || call.state === "awaiting" ? call.state : "begun";
}

function isRuled(call: CodeyCall): call is CodeyCall & { readonly ruling: Ruling } {
  return call.ruling !== undefined;
}

export function keyOf(agentId: number, callId: string): string {
  return `${agentId} ${callId}`;
}
