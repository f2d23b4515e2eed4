// Translates Codey's events into universal events; the source of a codey-server for chats.
import { fieldsOf, isObject } from "../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import type { AnyAgentwireError } from "../core/errors.ts";
import type { ToolCall, TurnToolCall } from "../core/values.ts";
import type { AgentKey } from "../universal/engine/items.ts";
import { factsOf, type KnownTool } from "../universal/engine/known-tools.ts";
import type { Session } from "../universal/engine/session.ts";
import type { ErrorData, Json, SessionEndedData, UniversalUsage } from "../universal/events.ts";
import { attach } from "../universal/listen/attach.ts";
import type { Binding, CallFacts, CompletedFacts, FailedFacts, Mapping } from "../universal/mapping.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { callKey } from "./calls.ts";
import { CodeyClient } from "./client.ts";
import { CodeyTurnError, codeyTurnError, UnconfirmedCancel } from "./errors.ts";
import type { CodeyPromptInput } from "./input.ts";
import type { CodeyClientOptions } from "./options.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";
import type { CodeyUsage } from "./usage.ts";

/** The tools of codey-server, as the program names them. The published document has other names. */
const TOOLS: Readonly<Record<string, KnownTool>> = {
  mcp_read_file: { kind: "read", verb: "Read", path: "path", line: "start_line" },
  mcp_write_file: { kind: "edit", verb: "Write", path: "path" },
  mcp_edit_file: { kind: "edit", verb: "Edit", path: "path" },
  mcp_open_file: { kind: "other", verb: "Open", path: "path" },
  mcp_shell: { kind: "execute", verb: "Run", path: "working_dir", subject: "command" },
  mcp_fetch_url: { kind: "fetch", verb: "Fetch", subject: "url" },
  mcp_fetch_html: { kind: "fetch", verb: "Fetch", subject: "url" },
  mcp_web_search: { kind: "fetch", verb: "Search the web for", subject: "query" },
  mcp_spawn_agent: { kind: "other", verb: "Start" },
  mcp_list_background_tasks: { kind: "other", verb: "List" },
  mcp_get_background_task: { kind: "other", verb: "Look at" },
};

/** Codey's events as universal events. */
export class CodeyMapping implements Mapping<CodeyEvent, CodeyResult> {
  readonly protocol = "codey-ws";
  readonly asksOnWire = true;
  readonly confirmsDenials = true;
  readonly errorPrefix = "codey";
  /** The agent that speaks to the user: the first one that says something or requests a call. Nobody has yet: agent 0. */
  #root: number | undefined;
  /** The call that has changed last. The event behind the change is told next. */
  #changed: string | undefined;
  readonly #strays = new StrayCalls();

  began(): void {
    this.#root = undefined;
    this.#changed = undefined;
    this.#strays.clear();
  }

  event(event: CodeyEvent, session: Session): void {
    switch (event.type) {
      case "TextDelta":
        session.text(this.#speaker(event.agent_id), event.content);
        return;
      case "ThinkingDelta":
        session.reasoning(this.#speaker(event.agent_id), event.content);
        return;
      case "ToolDelta":
        if (this.#changed !== undefined) session.callOutput(this.#changed, event.content);
        return;
      case "Retrying":
        session.pause(this.#agent(event.agent_id));
        session.status("retrying", `attempt ${event.attempt}: ${event.error}`);
        return;
      case "Finished":
        session.pause(this.#agent(event.agent_id), "agent");
        return;
      case "ToolRequest":
        session.pause(this.#speaker(event.agent_id));
        return;
      case "ToolAwaitingApproval":
      case "ToolStarted":
      case "ToolCompleted":
      case "ToolError":
        return; // the changed call says it
      default:
        event satisfies never;
    }
  }

  stray(event: CodeyEvent, session: Session): void {
    if (!session.hasTurn) this.began();
    this.event(event, session);
    this.#strays.take(event, session, this.#agent(event.agent_id));
    if (event.type === "Finished" && session.isUnsolicited && this.#agent(event.agent_id) === undefined)
      session.end({ metadata: { status: "completed" }, stated: "agent", reason: "cancelled" });
  }

  rawOf(event: CodeyEvent): Json | null {
    return event.type === "ToolStarted" && event.inferred ? null : event;
  }

  notice(name: string, value: unknown, session: Session): void {
    switch (name) {
      case "late":
        session.late++;
        return;
      case "serverError":
        this.#onServerError(value, session);
        return;
      default:
        session.unknown(value);
    }
  }

  call({ id, name, input, agentId, state, raw }: TurnToolCall): CallFacts {
    this.#changed = id;
    const facts = factsOf(TOOLS, name, input);
    if (typeof agentId !== "number") return { agent: agentId, facts };
    const agent = state === "requested" ? this.#speaker(agentId) : this.#agent(agentId);
    const nativeId = isObject(raw) ? raw["call_id"] : undefined;
    return { agent, facts, ...(typeof nativeId === "string" ? { nativeId } : {}) };
  }

  approval({ raw }: ToolCall): Readonly<Record<string, unknown>> {
    const { background, agent_id } = fieldsOf(raw);
    return {
      ...(typeof background === "boolean" ? { background } : {}),
      ...(typeof agent_id === "number" ? { agent_id } : {}),
    };
  }

  completed({ usage }: CodeyResult): CompletedFacts {
    if (!usage) return { metadata: {} };
    return { metadata: { usage: usageOf(usage), ...(usage.inexact ? { usage_inexact: true } : {}) } };
  }

  failed(error: AnyAgentwireError): FailedFacts | undefined {
    if (!(error instanceof CodeyTurnError)) return undefined;
    // The client gave up: the server would have gone on.
    if (error.origin === "retrying")
      return { reason: "server_misconfigured", details: detailsOf(error), stated: "inferred" };
    const stated = error.origin === "error" ? "agent" : "inferred";
    const facts = { reason: "turn_error", details: detailsOf(error), stated } as const;
    return error.fatal ? { ...facts, data: { fatal: true }, session: endedBy(error) } : facts;
  }

  lost(error: AnyAgentwireError): ErrorData | undefined {
    if (!(error instanceof UnconfirmedCancel)) return undefined;
    const { message, retryable } = error;
    return { message, code: "cancel_unconfirmed", details: null, fatal: true, retryable };
  }

  #onServerError(value: unknown, session: Session): void {
    const { message, fatal } = fieldsOf(value);
    const error = codeyTurnError(
      typeof message === "string" ? message : "an error without words",
      fatal === true,
    );
    const data = {
      message: error.message,
      code: "codey.turn_error",
      details: detailsOf(error),
      fatal: error.fatal,
      retryable: error.retryable,
    };
    if (!error.fatal || !session.hasTurn) session.error(data);
    else
      session.end({ metadata: { status: "failed" }, stated: "agent", reason: "disconnected", error: data });
    if (error.fatal) session.close(endedBy(error));
  }

  /** An agent that says something: the first one of a turn is the root agent. */
  #speaker(id: number): number | undefined {
    this.#root ??= id;
    return this.#agent(id);
  }

  /** The root agent has no name in universal events. */
  #agent(id: number): number | undefined {
    return id === (this.#root ?? 0) ? undefined : id;
  }
}

/** The tool calls of work without a prompt. The client keeps no state of them, and denies each that needs a decision. */
class StrayCalls {
  /** The ids of unfinished calls, by agent and id on the wire. */
  readonly #ids = new Map<string, string>();
  #count = 0;

  clear(): void {
    this.#ids.clear();
  }

  take(event: CodeyEvent, session: Session, agent: AgentKey): void {
    switch (event.type) {
      case "ToolRequest":
        for (const { call_id, name, params } of event.calls) {
          this.#ids.delete(callKey(event.agent_id, call_id)); // each entry is a new call
          this.#call(event.agent_id, call_id, { name, input: params, agent }, session);
        }
        return;
      case "ToolAwaitingApproval": {
        const { agent_id, call_id, name, params, background } = event;
        const id = this.#call(agent_id, call_id, { name, input: params, agent }, session);
        session.permission({ id, name, input: params, raw: event }, { background, agent_id }, "agent");
        session.decided(id, { decision: "reject" }, "policy");
        return;
      }
      case "ToolStarted":
      case "ToolDelta":
      case "ToolCompleted":
      case "ToolError": {
        const { type, agent_id, call_id } = event;
        const name = type === "ToolStarted" ? event.name : "unknown";
        const id = this.#call(agent_id, call_id, { name, input: {}, agent }, session);
        if (type === "ToolStarted") session.startCall(id);
        if (type === "ToolDelta") session.callOutput(id, event.content);
        if (type === "ToolCompleted") session.endCall(id, { output: event.content, parts: [] }, "done");
        if (type === "ToolError") session.endCall(id, { output: event.error, parts: [] }, "failed");
        if (type === "ToolCompleted" || type === "ToolError") this.#ids.delete(callKey(agent_id, call_id));
        return;
      }
      case "TextDelta":
      case "ThinkingDelta":
      case "Retrying":
      case "Finished":
        return;
      default:
        event satisfies never;
    }
  }

  /** The id of a call, which is announced if it is new. No call of the client has such an id. */
  #call(
    agentId: number,
    nativeId: string,
    call: { readonly name: string; readonly input: unknown; readonly agent: AgentKey },
    session: Session,
  ): string {
    const key = callKey(agentId, nativeId);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#count++;
    const id = `stray_${this.#count}`;
    this.#ids.set(key, id);
    session.call({ id, nativeId, ...call, facts: factsOf(TOOLS, call.name, call.input) });
    return id;
  }
}

function detailsOf({ kind, status }: CodeyTurnError): Readonly<Record<string, Json>> {
  return status === undefined ? { kind } : { kind, status };
}

function endedBy({ message }: CodeyTurnError): SessionEndedData {
  return { reason: "error", terminated_by: "agent", message };
}

function usageOf(usage: CodeyUsage): UniversalUsage {
  return {
    output_tokens: usage.outputTokens,
    total_output_tokens: usage.totalOutputTokens,
    context_tokens: usage.contextTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheCreationTokens,
  };
}

const BINDING: Binding<CodeyClient, CodeyEvent, CodeyResult> = {
  newMapping: () => new CodeyMapping(),
  isClient: (client) => client instanceof CodeyClient,
  opened: ({ sessionId }) =>
    sessionId === undefined ? undefined : { nativeSessionId: sessionId, isNative: true },
  input: (input) => {
    const { content } = input as CodeyPromptInput; // the client has checked it
    return { text: content };
  },
  forgets: true,
  listen: (client, tell) => [
    client.on("stray", (event) => tell({ type: "stray", event })),
    client.on("late", (value) => tell({ type: "notice", name: "late", value })),
    client.on("serverError", (value) => tell({ type: "notice", name: "serverError", value })),
    client.on("unknownMessage", (value) => tell({ type: "notice", name: "unknownMessage", value })),
  ],
};

/**
 * The universal events of a client, one of its turns, or its conversation. It listens, and does not pull. Attach it in the tick of
 * `prompt()`, and it misses nothing; later, `turn.started` says `attached_late`.
 *
 * The server forgets everything with the connection: a lost connection ends the session. The stream of a client goes on with a new
 * session, whose `session.started` has `previous_session_id` and `context_lost`; any other stream ends.
 *
 * A call that only `State` names is not told, because nobody could decide on it. A denial that the server does not confirm ends the
 * call at the end of the turn.
 * @throws InvalidInputError for any other value, and for wrong options.
 */
export function toUniversal(
  of: CodeyClient | AnyTurn | AnyConversation,
  options?: UniversalOptions,
): UniversalStream {
  return attach(BINDING, of, options);
}

/** Codey as a source for a chat or an adapter. */
export function codey(options: CodeyClientOptions): AgentSource<CodeyClient> {
  return { name: "codey", client: () => new CodeyClient(options), toUniversal };
}
