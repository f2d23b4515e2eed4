// Pure: what one update means for a turn, and its result.

import { GrowingText } from "../core/text.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnResult } from "../core/turn/turn.ts";
import type { Cost, TurnToolCall, Usage } from "../core/values.ts";
import type { AcpContentBlock, AcpUnknownBlock } from "./blocks.ts";
import { AcpCalls, type CallStep, isTool } from "./calls.ts";
import type { AcpPlanEntry, AcpToolCall, Update } from "./messages.ts";
import { type AcpUsage, addTokens } from "./usage.ts";

/** An event of a turn, in the order of the wire. */
export type AcpEvent =
  | { readonly type: "text"; readonly delta: string; readonly messageId?: string }
  | { readonly type: "thought"; readonly delta: string; readonly messageId?: string }
  /** A picture, a sound or a resource in the answer, or in a thought. */
  | {
      readonly type: "content";
      readonly block: Exclude<AcpContentBlock, { readonly type: "text" }> | AcpUnknownBlock;
      readonly isThought?: true;
    }
  /**
   * A call is new, or has changed. `callId`: its id in `turn.toolCalls`, where `name` is the agent's name of the tool, else
   * the kind, and `input` the `rawInput`, else the title and the text.
   */
  | { readonly type: "tool_call"; readonly callId: string; readonly call: AcpToolCall }
  /** New output of a running call. */
  | { readonly type: "tool_output"; readonly callId: string; readonly delta: string }
  /** The whole plan. It replaces the last one. */
  | { readonly type: "plan"; readonly entries: readonly AcpPlanEntry[] }
  /** A message of the agent's program to the user. No part of the answer. */
  | {
      readonly type: "notice";
      readonly severity: "info" | "warning" | "error";
      readonly title: string;
      readonly description?: string;
    }
  /** The agent shortens its history. */
  | { readonly type: "compaction"; readonly state: "started" | "completed"; readonly summary?: string }
  /** An update of an unknown type, unchanged. */
  | { readonly type: "unknown"; readonly update: unknown };

/** Why a turn has ended, as the agent says. Other agents may have more. */
export type AcpStopReason =
  | "end_turn"
  | "max_tokens"
  | "max_turn_requests"
  | "refusal"
  /** The agent has cancelled the turn by itself, such as after a rejected call. */
  | "cancelled";

export interface AcpResult extends TurnResult {
  /** The session, for `conversation({ from })`. */
  readonly sessionId: string;
  readonly stopReason: AcpStopReason | (string & {});
  readonly toolCalls: readonly TurnToolCall[];
  readonly thought: string;
  readonly plan?: readonly AcpPlanEntry[];
  /** Of this turn, also where the agent counts the session (Copilot, Vibe). */
  readonly usage?: AcpUsage;
  readonly cost?: Cost;
  /** The agent said and did nothing (warning `empty-turn`): its model may have failed. */
  readonly isEmpty?: true;
}

export type AcpTurn = LiveTurn<AcpEvent, AcpResult>;

export interface AcpTurnState {
  readonly calls: AcpCalls;
  readonly thought: GrowingText;
  /** The tokens of single model calls, as some agents report them in chunks. */
  tokens: Usage | undefined;
  plan: readonly AcpPlanEntry[] | undefined;
  /** The summary of the compaction under way, in chunks. */
  summary: string;
  isEmpty: boolean;
}

export function newAcpTurnState(idFor: (toolCallId: string) => string, maxTextBytes: number): AcpTurnState {
  return {
    calls: new AcpCalls(idFor),
    thought: new GrowingText(maxTextBytes),
    tokens: undefined,
    plan: undefined,
    summary: "",
    isEmpty: true,
  };
}

/** The consequences of one update. */
interface AcpTurnStep {
  readonly event?: AcpEvent;
  readonly call?: CallStep;
}

const NOTHING: AcpTurnStep = {};

export function textOfEvent(event: AcpEvent): string {
  return event.type === "text" ? event.delta : "";
}

/** Handles an update of a running turn. Updates of the session, such as its mode, are not for the turn. */
export function stepAcpTurn(state: AcpTurnState, update: Update): AcpTurnStep {
  switch (update.type) {
    case "chunk":
      return onChunk(state, update);
    case "call": {
      if (!isTool(update.call)) return NOTHING;
      state.isEmpty = false;
      const call = state.calls.update(update.call, update.isNew);
      if (!call) return NOTHING;
      return { call, event: callEvent(call) };
    }
    case "plan":
      state.isEmpty = false;
      state.plan = update.entries;
      return { event: update };
    case "notice":
      return { event: update };
    case "compaction": {
      if (update.isPart) {
        state.summary += update.summary ?? "";
        return NOTHING;
      }
      const summary = update.summary ?? (update.state === "completed" ? state.summary : "");
      state.summary = "";
      const said = { type: update.type, state: update.state ?? "started" } as const;
      return { event: summary === "" ? said : { ...said, summary } };
    }
    case "unknown":
      return { event: update };
    case "commands":
    case "mode":
    case "options":
    case "info":
    case "usage":
      return NOTHING;
    default:
      return update satisfies never;
  }
}

export function callEvent({ tracked }: Pick<CallStep, "tracked">): AcpEvent {
  return { type: "tool_call", callId: tracked.call.id, call: tracked.wire };
}

/** What an agent writes of the user's prompt is an echo, and no event. Empty textFields carry only the usage. */
function onChunk(state: AcpTurnState, update: Extract<Update, { readonly type: "chunk" }>): AcpTurnStep {
  const { from, block, messageId, usage } = update;
  if (usage) state.tokens = addTokens(state.tokens, usage);
  if (from === "user") return NOTHING;
  if (block.type !== "text") {
    state.isEmpty = false;
    return { event: { type: "content", block, ...(from === "thought" ? { isThought: true } : {}) } };
  }
  if (block.text === "") return NOTHING;
  state.isEmpty = false;
  if (from === "thought") state.thought.add(block.text);
  return {
    event: {
      type: from === "thought" ? "thought" : "text",
      delta: block.text,
      ...(messageId === undefined ? {} : { messageId }),
    },
  };
}

/** The result of a turn that the agent has ended. */
export function acpResultOf(
  state: AcpTurnState,
  { textResult, toolCalls }: Pick<LiveTurn<AcpEvent, AcpResult>, "textResult" | "toolCalls">,
  said: {
    readonly sessionId: string;
    readonly stopReason: string;
    readonly usage: AcpUsage | undefined;
    readonly cost: Cost | undefined;
  },
): AcpResult {
  const { sessionId, stopReason, usage, cost } = said;
  return {
    ...textResult,
    sessionId,
    stopReason,
    toolCalls,
    thought: state.thought.value,
    ...(state.plan ? { plan: state.plan } : {}),
    ...(usage ? { usage } : {}),
    ...(cost ? { cost } : {}),
    ...(state.isEmpty ? { isEmpty: true as const } : {}),
  };
}
