// Translates facts that are the same for every protocol: tool calls, requests, the connection, failures.
import { defined } from "../../core/checks.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { PendingRequest, SettledRequest, TurnToolCall } from "../../core/values.ts";
import type { TurnEndMetadata } from "../events.ts";
import type { Fact } from "../facts.ts";
import type { FailedFacts, Mapping } from "../mapping.ts";
import { finiteJson, type ToolOutputContent, toJsonText } from "./content.ts";
import { REASONS } from "./requests.ts";
import type { Session, TurnClose } from "./session.ts";

/** A tool call is new or has changed. `isMissed`: the call's events were missed. */
export function onCall(call: TurnToolCall, mapping: Mapping, session: Session, isMissed = false): void {
  const { isOwn, isOnlyAnnounced, isResultTold, isUnsettled, ...facts } = mapping.call?.(call) ?? {};
  const { id, name, input, state } = call;
  if (isUnsettled && !session.hasCall(id)) {
    session.holdCall({ id, name, input, ...facts });
    return;
  }
  if (isOwn) session.ownCall({ id, name, input, ...facts });
  else session.call({ id, name, input, ...facts });
  if (isOnlyAnnounced && !isMissed) return;
  if (isResultTold && !isMissed && (state === "done" || state === "failed")) return;
  // The end of the turn completes a call that is requested, awaiting or abandoned.
  if (state === "approved") session.decidedElsewhere(id, "once");
  else if (state === "running") {
    // If the first message about a call is its output, the call has started before.
    const isLate = isOwn || call.startInferred || call.output !== undefined;
    session.startCall(id, isLate ? "inferred" : "agent");
  } else if (state === "denied" && mapping.confirmsDenials && call.error === undefined)
    session.deniedCall(id, outputOf(call, mapping));
  else if (state === "done" || state === "denied" || state === "failed")
    session.endCall(id, outputOf(call, mapping), state, isOwn ? "daemon" : "agent", name);
}

export function onAsked(request: PendingRequest, mapping: Mapping, session: Session): void {
  if (request.type === "approval") {
    const { call } = request;
    const { id, name, input } = call;
    if (!session.hasCall(id)) session.ownCall({ id, name, input });
    session.permission(call, mapping.approval?.(call), mapping.asksOnWire ? "agent" : "inferred");
    return;
  }
  const { question } = request;
  const callId = mapping.callOf ? mapping.callOf(question) : question.id;
  session.question(question, callId, "agent");
}

/** A request was decided or answered, here or elsewhere. */
export function onSettled(request: SettledRequest, mapping: Mapping, session: Session): void {
  if (!session.requests.wasTold(request.id)) onAsked(request, mapping, session); // a rule has decided at once
  if (request.type === "question") {
    const { answers, by } = request.reply;
    if (by === "elsewhere" && !answers) return; // the mapping reads the answer from the backend's message
    session.answered(request.id, answers, REASONS[by], by === "elsewhere" ? "agent" : "inferred");
    return;
  }
  const { by } = request.ruling;
  if (by !== "elsewhere") session.decided(request.id, request.ruling, REASONS[by]); // else the call's next state shows the decision
}

function outputOf(call: TurnToolCall, mapping: Mapping): ToolOutputContent {
  if (call.state === "denied") return { output: denialOf(call), parts: [] };
  return mapping.output ? mapping.output(call) : defaultOutput(call);
}

/** The text of a denial. A reason alone may not say that the call was denied. */
function denialOf({ deniedBy, error, reason }: TurnToolCall): string {
  const why = error ?? reason;
  if (why !== undefined && /\bdenied\b/i.test(why)) return why;
  const denied = deniedBy === undefined ? "Denied" : `Denied by the ${deniedBy}`;
  return why === undefined ? `${denied}.` : `${denied}: ${why}`;
}

function defaultOutput({ output, error, state }: TurnToolCall): ToolOutputContent {
  const said = state === "failed" ? error : undefined;
  if (output === undefined) return { output: said ?? "", parts: [] };
  if (typeof output === "string") return { output: said ?? output, parts: [] };
  return { output: said ?? toJsonText(output), parts: [{ type: "json", json: finiteJson(output) }] };
}

type ConnectionFact = Extract<Fact, { readonly type: "disconnected" | "retrying" | "reconnected" }>;

/** Changes of the connection, as status items. Before the session begins, there are none. */
export function onConnection(fact: ConnectionFact, session: Session): void {
  const stated = "daemon";
  if (!session.isOpen) return;
  if (fact.type === "disconnected") session.status("connection.lost", fact.error.message, { stated });
  else if (fact.type === "reconnected") session.status("connection.restored", null, { stated });
  else {
    const json = { attempt: fact.attempt, delay_ms: Math.round(fact.delay) };
    session.status("connection.retrying", `attempt ${fact.attempt}`, { stated, json });
  }
}

/** The warnings about unreadable messages, with their locations in `agent.unparsed`. */
export const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ["unreadable-frame", "unreadable-frame"],
  ["invalid-message", "invalid-message"],
  ["frame-failed", "frame-failed"],
  ["unparsed-line", "line"],
  ["line-too-long", "line"],
  ["line-failed", "line"],
]);

export function failureOf(error: AnyAgentwireError, mapping: Mapping, session: Session): TurnClose {
  const metadata: TurnEndMetadata = { status: "failed" };
  const { retryable, delivery } = error; // `delivery`: a UI asks before it sends the prompt again
  const message = error.code === "turn-failed" ? error.serverMessage : error.message; // without advice
  switch (error.code) {
    case "closed":
      return { metadata: { status: "cancelled" }, stated: "inferred", reason: "cancelled" };
    case "connection-lost":
    case "context-lost":
      return { metadata, stated: "inferred", reason: "disconnected", error: lostData(error) };
    case "turn-timeout": {
      const details = { kind: error.kind, timeout_ms: error.timeout, ...defined({ delivery }) };
      const data = { message, code: "timeout", details, fatal: false, retryable };
      const cancelled: TurnEndMetadata = { status: "cancelled", stop_reason: "timeout" };
      const ended = mapping.timeoutCancels === true ? cancelled : metadata;
      return { metadata: ended, stated: "inferred", reason: "timeout", error: data };
    }
    default: {
      const facts = factsOf(error, mapping, session);
      const reason = facts?.reason ?? error.code.replaceAll("-", "_");
      const code = facts?.isBare === true ? reason : `${mapping.errorPrefix}.${reason}`;
      const { status } = error.code === "connect-failed" ? error : {};
      const details = orNull({ ...defined({ status }), ...facts?.details, ...defined({ delivery }) });
      const data = { message, code, details, fatal: false, retryable };
      return {
        metadata: { ...metadata, ...facts?.metadata },
        stated: facts ? (facts.stated ?? "agent") : "inferred",
        reason: "cancelled",
        error: { ...data, ...facts?.data },
        ...defined({ session: facts?.session }),
        raw: facts?.raw,
      };
    }
  }
}

/** The error of a turn whose connection was lost. */
export function lostData(error: AnyAgentwireError): NonNullable<TurnClose["error"]> {
  const { message, code, delivery } = error;
  const context = code === "context-lost" ? { context_lost: true } : {};
  const program = "exitCode" in error ? { program_ended: true } : {};
  const details = { ...context, ...program, ...defined({ delivery }) };
  return { message, code: "connection.lost", details: orNull(details), fatal: false, retryable: true };
}

function orNull(details: object): object | null {
  return Object.keys(details).length === 0 ? null : details;
}

/** The mapping's facts about an error. The turn ends even if the mapping throws. */
function factsOf(error: AnyAgentwireError, mapping: Mapping, session: Session): FailedFacts | undefined {
  try {
    return mapping.failed?.(error, session);
  } catch {
    return undefined; // the error's own code still says what has failed
  }
}
