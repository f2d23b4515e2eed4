// The spans of one turn: of the turn, its sub-agents and its tool calls.
import type { Attributes, Context, SpanOptions } from "@opentelemetry/api";
import * as api from "@opentelemetry/api";
import type {
  ItemData,
  PermissionData,
  SessionEnded,
  SessionStarted,
  TurnEnded,
  TurnStarted,
  UniversalEvent,
  UniversalItem,
} from "../universal/events.ts";
import { partIn, subagentIn } from "../universal/item-content.ts";
import { messagesText, textParts } from "./content.ts";
import {
  AGENTWIRE_STATUS,
  ERROR_TYPE,
  EXECUTE_TOOL,
  GEN_AI_AGENT_NAME,
  GEN_AI_CONVERSATION_ID,
  GEN_AI_FINISH_REASONS,
  GEN_AI_INPUT_MESSAGES,
  GEN_AI_OPERATION_NAME,
  GEN_AI_OUTPUT_MESSAGES,
  GEN_AI_PROVIDER_NAME,
  GEN_AI_REQUEST_MODEL,
  GEN_AI_TOOL_CALL_ARGUMENTS,
  GEN_AI_TOOL_CALL_ID,
  GEN_AI_TOOL_CALL_RESULT,
  GEN_AI_TOOL_NAME,
  INVOKE_AGENT,
  OTHER_ERROR,
  OURS,
} from "./names.ts";
import { ofRequest, ofStatus, ours, type SpanEvent, spanEvent } from "./span-events.ts";
import { type OpenSpan, type Prompted, secondsSince, type Telemetry, type TurnFacts } from "./telemetry.ts";
import { endOfTurn, recordTurn } from "./turn-end.ts";

/** The events between the start and the end of a turn. */
type EventOfTurn = Exclude<UniversalEvent, SessionStarted | SessionEnded | TurnStarted | TurnEnded>;

export class TurnSpans {
  readonly #telemetry: Telemetry;
  readonly #turn: OpenSpan;
  readonly #facts: TurnFacts;
  /** The open spans inside, by the item of the sub-agent or of the `tool_call`. */
  readonly #inside = new Map<string, OpenSpan>();

  /** @param prompted absent if nobody here made the prompt: then the span has no parent */
  constructor(
    telemetry: Telemetry,
    { data, native_session_id, session_id }: TurnStarted,
    { context, at }: Prompted = { context: api.ROOT_CONTEXT, at: Date.now() },
    model?: string,
  ) {
    this.#telemetry = telemetry;
    this.#facts = { at, model };
    const { prompt_id, branch_of, unsolicited } = data.metadata ?? {};
    const about = {
      [GEN_AI_CONVERSATION_ID]: native_session_id ?? session_id,
      [GEN_AI_REQUEST_MODEL]: model,
      ...ours("turn", { prompt_id, branch_of, unsolicited }),
    };
    const options = { kind: api.SpanKind.CLIENT, startTime: at };
    this.#turn = this.#agent(telemetry.source, context, about, options);
  }

  /** Ends all spans. `event`: what ends the turn. Absent at the end of the client. */
  end(event?: UniversalEvent): void {
    for (const item of [...this.#inside.keys()].reverse()) this.#end(item, "abandoned");
    const attributes = endOfTurn(this.#facts, event);
    this.#close(this.#turn, attributes);
    this.#telemetry.guard(() => recordTurn(this.#facts, attributes, this.#telemetry));
  }

  hear(event: EventOfTurn): void {
    const facts = this.#facts;
    switch (event.type) {
      case "item.started":
        this.#started(event.data.item);
        return;
      case "item.delta":
        if (this.#telemetry.streams && event.data.part?.type !== "tool_output")
          facts.firstChunk ??= secondsSince(facts.at);
        return;
      case "item.completed":
        this.#completed(event.data);
        return;
      case "permission.requested":
      case "permission.resolved":
        this.#approval(event.data);
        return;
      case "question.requested":
      case "question.resolved":
        tell(this.#turn, ofRequest("question", event.data, {}));
        return;
      case "error": {
        const type = event.data.code || OTHER_ERROR;
        facts.error = [type, event.sequence];
        tell(this.#turn, [`${OURS}error`, { [ERROR_TYPE]: type }]);
        return;
      }
      case "agent.unparsed":
        tell(this.#turn, spanEvent("unparsed", { location: event.data.location }));
        return;
      default:
        event satisfies never;
    }
  }

  #started(item: UniversalItem): void {
    const { item_id, kind, parent_id } = item;
    const facts = subagentIn(item);
    if (facts) {
      const agent = this.#agent(facts.agentType, this.#within(parent_id).context);
      this.#inside.set(item_id, agent);
      const { prompt: content } = facts;
      if (content !== undefined && this.#exports(agent))
        agent.span.setAttribute(GEN_AI_INPUT_MESSAGES, messagesText("user", [{ type: "text", content }]));
    } else if (kind === "tool_result") {
      const call = this.#inside.get(parent_id ?? "");
      if (call) call.resultAt ??= Date.now();
    }
  }

  #completed({ item, state }: ItemData): void {
    const { item_id, kind, role, parent_id, status } = item;
    const within = this.#within(parent_id);
    switch (kind) {
      case "message":
        if (!this.#exports(within)) return;
        if (role === "user")
          within.span.setAttribute(GEN_AI_INPUT_MESSAGES, messagesText(role, textParts(item)));
        else within.parts.push(...textParts(item));
        return;
      case "tool_call":
        if (status === "completed") this.#call(item, within); // arguments that were cut are no call
        return;
      case "tool_result": {
        const result = partIn(item, "tool_result")?.output;
        this.#end(parent_id, state ?? (status === "failed" ? status : "done"), result);
        return;
      }
      case "status":
        this.#end(item_id, status === "failed" ? "abandoned" : status);
        tell(within, ofStatus(item));
        return;
      case "system":
      case "unknown":
        return;
      default:
        kind satisfies never;
    }
  }

  #call(item: UniversalItem, within: OpenSpan): void {
    const call = partIn(item, "tool_call");
    if (!call) return;
    const { name, call_id, tool_kind: kind } = call;
    const id = item.native_item_id ?? call_id; // the backend and its model know the call by their own id
    const attributes = {
      [GEN_AI_TOOL_NAME]: name,
      [GEN_AI_TOOL_CALL_ID]: id,
      ...ours("tool", { kind, call_id }),
    };
    const opened = this.#open(EXECUTE_TOOL, name, within.context, attributes);
    this.#inside.set(item.item_id, opened);
    if (!this.#exports(opened)) return;
    within.parts.push({ type: "tool_call", id, name, arguments: call.arguments });
    opened.span.setAttribute(GEN_AI_TOOL_CALL_ARGUMENTS, call.arguments);
  }

  #approval(data: PermissionData): void {
    const call = this.#within(data.item_id);
    const { action: tool, scope, status } = data;
    tell(call, ofRequest("approval", data, { tool, scope }));
    if (status === "requested") call.askedAt = Date.now();
    else if (call.askedAt) call.span.setAttributes(ours("approval", { wait: secondsSince(call.askedAt) }));
  }

  /**
   * Ends a call or a sub-agent. Only a failed call is an error. A denial is a decision. What the end of the turn cuts off
   * is abandoned: the span of the turn has the reason.
   */
  #end(item: string | null, status: string, result?: string): void {
    const opened = this.#inside.get(item ?? "");
    if (!opened) return;
    this.#inside.delete(item ?? "");
    const { span, resultAt } = opened;
    if (resultAt !== undefined && status !== "denied")
      this.#telemetry.guard(() => span.addEvent(`${OURS}tool.running`, {}, resultAt));
    const attributes = {
      [AGENTWIRE_STATUS]: status,
      [ERROR_TYPE]: status === "failed" ? "tool_failed" : undefined,
      [GEN_AI_TOOL_CALL_RESULT]: this.#telemetry.content ? result : undefined,
    };
    this.#close(opened, attributes);
  }

  #close({ span, parts }: OpenSpan, attributes: Attributes): void {
    const { guard } = this.#telemetry;
    guard(() => {
      span.setAttributes(attributes);
      if (attributes[ERROR_TYPE] !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
      if (parts.length > 0)
        span.setAttribute(GEN_AI_OUTPUT_MESSAGES, messagesText("assistant", parts, finishOf(attributes)));
    });
    guard(() => span.end());
  }

  #agent(agent: string, parent: Context, attributes?: Attributes, options?: SpanOptions): OpenSpan {
    const { source } = this.#telemetry;
    const about = { [GEN_AI_PROVIDER_NAME]: source, [GEN_AI_AGENT_NAME]: agent, ...attributes };
    return this.#open(INVOKE_AGENT, agent, parent, about, options);
  }

  #open(
    operation: string,
    name: string,
    parent: Context,
    about: Attributes,
    options?: SpanOptions,
  ): OpenSpan {
    const attributes = { [GEN_AI_OPERATION_NAME]: operation, ...about };
    const span = this.#telemetry.tracer.startSpan(`${operation} ${name}`, { ...options, attributes }, parent);
    return { span, context: api.trace.setSpan(parent, span), parts: [] };
  }

  /** The sub-agent or the call of an item, or the turn. */
  #within(item: string | null | undefined): OpenSpan {
    return this.#inside.get(item ?? "") ?? this.#turn;
  }

  /** Whether the texts of a span are exported. */
  #exports({ span }: OpenSpan): boolean {
    return this.#telemetry.content && span.isRecording();
  }
}

/** Why the last message of an agent ends. A backend that gives no reason to stop may still have been cut off. */
function finishOf(attributes: Attributes): string {
  const status = attributes[AGENTWIRE_STATUS];
  if (status === "failed") return "error";
  const [stated] = [attributes[GEN_AI_FINISH_REASONS] ?? []].flat(); // there is one reason at most
  return String(stated ?? (status === "completed" ? "stop" : status));
}

function tell({ span }: OpenSpan, event: SpanEvent | undefined): void {
  if (event) span.addEvent(...event);
}
