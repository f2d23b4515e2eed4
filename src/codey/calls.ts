import { hasEnded } from "../core/turn/turn-tools.ts";
import type { TurnToolCall } from "../core/values.ts";
import type {
  RequestedCall,
  ToolAwaitingApproval,
  ToolCompleted,
  ToolDelta,
  ToolError,
  ToolStarted,
} from "./messages.ts";

/** What tells of one call. */
export type CallMessage = ToolAwaitingApproval | ToolStarted | ToolDelta | ToolCompleted | ToolError;

/** What a message makes of a call. */
export interface CallStep {
  readonly call: TurnToolCall;
  /** Whether users hear of the message; not of one that repeats what they know. */
  readonly tell: boolean;
  /** The call needs a decision. */
  readonly ask?: true;
  /** The decision that was open is not needed any more. */
  readonly decided?: true;
  readonly warning?: string;
}

/** What the server says of a call that its own filter, or this client, denied. */
const DENIED = "Denied by user";

/** The name of a call whose name no message has told. */
const UNKNOWN = "unknown";

/** A call that was just heard of; what a message does not say is unknown. */
export function newCall(
  id: string,
  agentId: number,
  told: Partial<Pick<RequestedCall, "name" | "params" | "background">>,
  raw: unknown,
): TurnToolCall {
  const { name = UNKNOWN, params = null, background } = told;
  const call: TurnToolCall = { id, name, input: params, state: "requested", agentId, raw };
  return background === undefined ? call : { ...call, background };
}

/**
 * One message about a call, as the life cycle has it:
 *
 *     requested ──A──▶ awaiting ──decision──▶ approved ──▶ running ──▶ done | failed
 *         │                │                  denied  ──▶ (the server's ToolError)
 *         └──── S, D, C, E ┴── decided elsewhere
 *
 * A message for a call that is over changes nothing. Which call a message is about: see {@link TurnCalls}.
 */
export function stepCall(call: TurnToolCall, message: CallMessage): CallStep {
  if (isOver(call)) return { call, tell: false };
  switch (message.type) {
    case "ToolAwaitingApproval":
      return onAwaiting(call, message);
    case "ToolStarted":
      return onStarted(call, message);
    case "ToolDelta":
      return onDelta(call, message);
    case "ToolCompleted":
      return ended(
        call,
        { ...call, state: "done", output: message.content },
        "has run although it was denied",
      );
    case "ToolError":
      return onError(call, message);
  }
}

/** Whether the server has nothing more to say of it. It confirms a denial with a `ToolError`. */
export function isOver(call: TurnToolCall): boolean {
  return hasEnded(call) && (call.state !== "denied" || call.error !== undefined);
}

function onAwaiting(call: TurnToolCall, message: ToolAwaitingApproval): CallStep {
  if (call.state !== "requested") return { call, tell: false };
  const { name, params, background } = message;
  return {
    call: { ...call, name, input: params, background, raw: message, state: "awaiting" },
    tell: true,
    ask: true,
  };
}

function onStarted(call: TurnToolCall, { name }: ToolStarted): CallStep {
  if (call.state === "running") return { call, tell: false };
  return began(call, { ...call, name: call.name === UNKNOWN ? name : call.name, state: "running" });
}

function onDelta(call: TurnToolCall, { content }: ToolDelta): CallStep {
  const before = typeof call.output === "string" ? call.output : "";
  const next: TurnToolCall = { ...call, state: "running", output: before + content };
  if (call.state === "denied") return { call, tell: true, warning: "sends output although it was denied" };
  return began(call, next);
}

function onError(call: TurnToolCall, { error }: ToolError): CallStep {
  if (call.state === "denied") return { call: { ...call, error }, tell: true };
  // Without having asked, the server's own filter has denied it.
  if (error === DENIED && call.state === "requested")
    return { call: { ...call, state: "denied", deniedBy: "server", error }, tell: true };
  return ended(call, { ...call, state: "failed", error }, "");
}

/** It runs; whoever was to decide need not any more. */
function began(call: TurnToolCall, next: TurnToolCall): CallStep {
  if (call.state === "denied") return { call: next, tell: true, warning: "runs although it was denied" };
  return call.state === "awaiting" ? { call: next, tell: true, decided: true } : { call: next, tell: true };
}

function ended(call: TurnToolCall, next: TurnToolCall, oddity: string): CallStep {
  const decided = call.state === "awaiting" ? { decided: true as const } : {};
  const warning = call.state === "denied" ? { warning: oddity } : {};
  return { call: next, tell: true, ...decided, ...warning };
}
