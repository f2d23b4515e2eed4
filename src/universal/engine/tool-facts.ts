import type { PendingRequest, Question, SettledRequest, ToolCall, TurnToolCall } from "../../core/values.ts";
import type { CallFacts } from "../mapping.ts";
import { finiteJson, type ToolOutputContent, toJsonText } from "./content.ts";
import { reasonOf } from "./requests.ts";
import type { Session } from "./session.ts";

/** What a mapping knows of tool calls and requests. */
interface Tools {
  readonly asksOnWire: boolean;
  readonly confirmsDenials?: boolean;
  call?(call: TurnToolCall): CallFacts;
  output?(call: TurnToolCall): ToolOutputContent;
  approval?(call: ToolCall): Readonly<Record<string, unknown>>;
  callOf?(question: Question): string | undefined;
}

/** A tool call is new, or has changed. `isMissed`: the events of the call were not heard. */
export function onCall(call: TurnToolCall, mapping: Tools, session: Session, isMissed = false): void {
  const {
    isOwn = false,
    isOnlyAnnounced = false,
    isResultTold = false,
    ...facts
  } = mapping.call?.(call) ?? {};
  const { id, name, input, state } = call;
  if (isOwn) session.ownCall({ id, name, input, ...facts });
  else session.call({ id, name, input, ...facts });
  if (isOnlyAnnounced && !isMissed) return;
  if (isResultTold && !isMissed && (state === "done" || state === "failed")) return;
  const stated = isOwn ? "daemon" : "agent";
  switch (state) {
    case "requested":
    case "awaiting":
    case "abandoned": // the end of the turn completes what is open
      return;
    case "approved":
      session.decidedElsewhere(id, "once");
      return;
    case "running":
      // A call that is first heard of through its output has started before.
      session.startCall(id, isOwn || call.startInferred || call.output !== undefined ? "inferred" : stated);
      return;
    case "done":
      session.endCall(id, outputOf(call, mapping), state, stated, name);
      return;
    case "denied":
      if (mapping.confirmsDenials && call.error === undefined)
        session.deniedCall(id, outputOf(call, mapping));
      else session.endCall(id, outputOf(call, mapping), state, stated, name);
      return;
    case "failed":
      session.endCall(id, outputOf(call, mapping), state, stated, name);
      return;
    default:
      state satisfies never;
  }
}

/** A request waits for the user. */
export function onAsked(request: PendingRequest, mapping: Tools, session: Session): void {
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
export function onSettled(request: SettledRequest, mapping: Tools, session: Session): void {
  if (!session.requests.wasTold(request.id)) onAsked(request, mapping, session); // a rule has decided it at once
  if (request.type === "question") {
    const { answers, by } = request.reply;
    if (by === "elsewhere" && !answers) return; // the mapping tells the answer from the backend's message
    session.answered(request.id, answers, reasonOf(by), by === "elsewhere" ? "agent" : "inferred");
    return;
  }
  const { by } = request.ruling;
  if (by !== "elsewhere") session.decided(request.id, request.ruling, reasonOf(by)); // else the next state of the call says what was decided
}

/** The output of a call that has ended. A denied call says that it was denied. */
function outputOf(call: TurnToolCall, mapping: Tools): ToolOutputContent {
  if (call.state === "denied") {
    return { output: denialOf(call), parts: [] };
  }
  return mapping.output ? mapping.output(call) : defaultOutput(call);
}

/** The words of a denial: its reason alone may not say that the call was denied. */
function denialOf({ deniedBy, error, reason }: TurnToolCall): string {
  const why = error ?? reason;
  if (why !== undefined && /\bdenied\b/i.test(why)) return why;
  const denied = deniedBy === undefined ? "Denied" : `Denied by the ${deniedBy}`;
  return why === undefined ? `${denied}.` : `${denied}: ${why}`;
}

function defaultOutput({ output, error, state }: TurnToolCall): ToolOutputContent {
  if (state === "failed" && error !== undefined && typeof output !== "string")
    return { output: error, parts: output === undefined ? [] : [{ type: "json", json: finiteJson(output) }] };
  if (output === undefined) return { output: "", parts: [] };
  if (typeof output === "string")
    return { output: state === "failed" ? (error ?? output) : output, parts: [] };
  return { output: toJsonText(output), parts: [{ type: "json", json: finiteJson(output) }] };
}
