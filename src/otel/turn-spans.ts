// The spans of one turn: of the turn, its sub-agents and its tool calls.
import type { Attributes, Context, Span, SpanOptions } from "@opentelemetry/api";
import * as api from "@opentelemetry/api";
import type {
  ItemData,
  PermissionData,
  TurnEnded,
  TurnStarted,
  UniversalEvent,
  UniversalItem,
} from "../universal/events.ts";
import { messageParts, messagesText, outputText } from "./content.ts";
import { CONTENT, EXECUTE_TOOL, GEN_AI, INVOKE_AGENT } from "./names.ts";
import {
  eventOf,
  jsonOf,
  labelOf,
  ofApproval,
  ofError,
  ofQuestion,
  ofStatus,
  ours,
  type SpanEvent,
} from "./span-events.ts";
import { type Invocation, type Prompted, secondsSince, type Telemetry, type TurnSpan } from "./telemetry.ts";
import { endOfTurn } from "./turn-end.ts";

interface ToolSpan {
  readonly span: Span;
  readonly callId: string;
  /** When the open approval was requested, in ms since the epoch. */
  askedAt: number | undefined;
  /** The seconds that the call has waited for approvals. */
  waited: number;
}

const SUBAGENT = "subagent:";

export class TurnSpans {
  readonly #telemetry: Telemetry;
  readonly #turn: TurnSpan;
  /** The open sub-agents, by item. */
  readonly #agents = new Map<string, Invocation>();
  /** The open calls, by the item of the `tool_call`. */
  readonly #tools = new Map<string, ToolSpan>();

  /** @param prompted absent if nobody here made the prompt: then the span has no parent */
  constructor(
    telemetry: Telemetry,
    { data, native_session_id, session_id }: TurnStarted,
    { context, at }: Prompted = { context: api.ROOT_CONTEXT, at: Date.now() },
    model?: string,
  ) {
    this.#telemetry = telemetry;
    const { prompt_id, branch_of, unsolicited } = data.metadata ?? {};
    const invocation = this.#invoke(telemetry.source, context, {
      kind: api.SpanKind.CLIENT,
      startTime: at,
      attributes: {
        [GEN_AI.conversation]: native_session_id ?? session_id,
        ...(model === undefined ? {} : { [GEN_AI.requestModel]: model }),
        ...ours("turn", { prompt_id, branch_of, unsolicited }),
      },
    });
    this.#turn = { ...invocation, at, model, firstChunk: undefined, error: undefined };
  }

  /** Ends all spans. `event`: absent if the end of the turn is missing. */
  end(event?: TurnEnded): void {
    const turn = this.#turn;
    for (const item of [...this.#tools.keys()]) this.#endTool(item, "abandoned");
    for (const item of [...this.#agents.keys()]) this.#endAgent(item, "failed");
    const { guard } = this.#telemetry;
    guard(() => endOfTurn(turn, this.#telemetry, event));
    guard(() => turn.span.end());
  }

  /** An event between the start and the end of the turn. */
  hear(event: UniversalEvent): void {
    const turn = this.#turn;
    switch (event.type) {
      case "item.started":
        this.#started(event.data.item);
        return;
      case "item.delta":
        if (turn.firstChunk === undefined && event.data.part?.type !== "tool_output")
          turn.firstChunk = secondsSince(turn.at);
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
        tell(this.#toolOf(event.data.call_id) ?? turn, ofQuestion(event.data));
        return;
      case "error": {
        const told = ofError(event.data);
        turn.error = { type: told.type, sequence: event.sequence };
        tell(turn, told);
        return;
      }
      case "agent.unparsed":
        tell(turn, eventOf("unparsed", { location: event.data.location }));
        return;
      case "session.started":
      case "session.ended":
      case "turn.started":
      case "turn.ended":
        return; // before or after the turn
      default:
        event satisfies never;
    }
  }

  #started(item: UniversalItem): void {
    const label = labelOf(item);
    if (label.startsWith(SUBAGENT)) {
      const agent = this.#invoke(label.slice(SUBAGENT.length), this.#within(item).context);
      this.#agents.set(item.item_id, agent);
      const { prompt } = jsonOf(item);
      if (typeof prompt === "string" && this.#exports(agent.span))
        agent.span.setAttribute(CONTENT.input, messagesText("user", [{ type: "text", content: prompt }]));
    } else if (item.kind === "tool_result") {
      const tool = this.#tools.get(item.parent_id ?? "");
      if (tool) tell(tool, eventOf("tool.running"));
    }
  }

  #completed({ item, state }: ItemData): void {
    const isFailed = item.status === "failed";
    const within = this.#within(item);
    switch (item.kind) {
      case "message":
        if (!this.#exports(within.span)) return;
        if (item.role === "user")
          within.span.setAttribute(CONTENT.input, messagesText("user", messageParts(item)));
        else within.parts.push(...messageParts(item));
        return;
      case "tool_call":
        if (!isFailed) this.#call(item, within); // arguments that were cut are no call
        return;
      case "tool_result":
        this.#endTool(item.parent_id ?? "", state ?? (isFailed ? "failed" : "done"), item);
        return;
      case "status":
        if (this.#agents.has(item.item_id)) this.#endAgent(item.item_id, item.status);
        else tell(within, ofStatus(item));
        return;
      case "system":
      case "unknown":
        return;
      default:
        item.kind satisfies never;
    }
  }

  #call(item: UniversalItem, { context, parts }: Invocation): void {
    const call = item.content.find((part) => part.type === "tool_call");
    if (!call) return;
    const attributes: Attributes = {
      [GEN_AI.operation]: EXECUTE_TOOL,
      [GEN_AI.toolName]: call.name,
      [GEN_AI.callId]: call.call_id,
      ...ours("tool", { kind: call.tool_kind }),
    };
    const span = this.#telemetry.tracer.startSpan(`${EXECUTE_TOOL} ${call.name}`, { attributes }, context);
    this.#tools.set(item.item_id, { span, callId: call.call_id, askedAt: undefined, waited: 0 });
    if (!this.#exports(span)) return;
    parts.push(...messageParts(item));
    span.setAttribute(CONTENT.arguments, call.arguments);
  }

  #approval(data: PermissionData): void {
    const tool = this.#toolOf(data.call_id);
    tell(tool ?? this.#turn, ofApproval(data));
    if (!tool) return;
    if (data.status === "requested") tool.askedAt = Date.now();
    else if (tool.askedAt !== undefined) {
      tool.waited += secondsSince(tool.askedAt);
      tool.askedAt = undefined;
      tool.span.setAttributes(ours("approval", { wait: tool.waited }));
    }
  }

  /** `state`: how the call has ended. Only `failed` is an error: a denial is a decision. */
  #endTool(itemId: string, state: string, result?: UniversalItem): void {
    const { guard } = this.#telemetry;
    const tool = this.#tools.get(itemId);
    if (!tool) return;
    this.#tools.delete(itemId);
    const { span } = tool;
    guard(() => {
      span.setAttributes(ours("tool", { state }));
      if (state === "failed")
        span.setAttribute(GEN_AI.errorType, "tool_failed").setStatus({ code: api.SpanStatusCode.ERROR });
      if (result && this.#exports(span)) span.setAttribute(CONTENT.result, outputText(result));
    });
    guard(() => span.end());
  }

  /** A sub-agent that was cut off is no error of its own: the span of the turn has the reason. */
  #endAgent(itemId: string, status: string): void {
    const { guard } = this.#telemetry;
    const agent = this.#agents.get(itemId);
    if (!agent) return;
    this.#agents.delete(itemId);
    const { span, parts } = agent;
    guard(() => {
      span.setAttributes(ours("agent", { status }));
      if (parts.length > 0) span.setAttribute(CONTENT.output, messagesText("assistant", parts, "stop"));
    });
    guard(() => span.end());
  }

  #invoke(agent: string, parent: Context, { attributes, ...options }: SpanOptions = {}): Invocation {
    const { tracer, source } = this.#telemetry;
    const of = { [GEN_AI.operation]: INVOKE_AGENT, [GEN_AI.provider]: source, [GEN_AI.agent]: agent };
    const span = tracer.startSpan(
      `${INVOKE_AGENT} ${agent}`,
      { ...options, attributes: { ...of, ...attributes } },
      parent,
    );
    return { span, context: api.trace.setSpan(parent, span), parts: [] };
  }

  /** The sub-agent that an item belongs to, or the turn. */
  #within({ parent_id }: UniversalItem): Invocation {
    return this.#agents.get(parent_id ?? "") ?? this.#turn;
  }

  #toolOf(callId: string | undefined): ToolSpan | undefined {
    for (const tool of this.#tools.values()) if (tool.callId === callId) return tool;
    return undefined;
  }

  /** Whether the texts of a span are exported. */
  #exports(span: Span): boolean {
    return this.#telemetry.content && span.isRecording();
  }
}

function tell({ span }: Pick<Invocation, "span">, event: SpanEvent | undefined): void {
  if (event) span.addEvent(event.name, event.attributes);
}
