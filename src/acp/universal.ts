// Translates an agent's events into universal events; the source of any ACP agent for chats.
import { defined, fieldsOf } from "../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import type { AnyAgentwireError } from "../core/errors.ts";
import type { Cost, Question, ToolCall, TurnToolCall } from "../core/values.ts";
import { finiteJson, type ToolOutputContent } from "../universal/engine/content.ts";
import type { Session } from "../universal/engine/session.ts";
import { sayWord } from "../universal/engine/status-words.ts";
import type { ContentPart, Json, SessionEndedData, UniversalUsage } from "../universal/events.ts";
import type { TurnEnd } from "../universal/facts.ts";
import { attach } from "../universal/listen/attach.ts";
import type {
  Binding,
  CallFacts,
  CompletedFacts,
  FailedFacts,
  Mapping,
  Opened,
} from "../universal/mapping.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import type { AcpContentBlock, AcpUnknownBlock } from "./blocks.ts";
import { AcpClient } from "./client.ts";
import { AcpAuthError, AcpLostError, AcpTurnError } from "./errors.ts";
import { type AcpPromptInput, saidInBlocks } from "./input.ts";
import type { AcpToolCall } from "./messages.ts";
import type { AcpOptions } from "./options.ts";
import { presets } from "./presets.ts";
import type { AcpSessionState, SessionPart } from "./session.ts";
import type { AcpEvent, AcpResult } from "./turn.ts";
import type { AcpUsage } from "./usage.ts";

export class AcpMapping implements Mapping<AcpEvent, AcpResult> {
  readonly protocol = "acp";
  readonly asksOnWire = true;
  readonly errorPrefix = "acp";
  /** The id of the message under way: another id begins another item. */
  #messageId: string | undefined;
  /** The ids of calls, by those of the agent. */
  readonly #calls = new Map<string, string>();
  #context: AcpSessionState["context"];

  began(): void {
    this.#messageId = undefined;
    this.#calls.clear();
    this.#context = undefined;
  }

  event(event: AcpEvent, session: Session): void {
    switch (event.type) {
      case "text":
      case "thought": {
        const { delta, messageId } = event;
        if (messageId !== this.#messageId) session.pause(undefined);
        this.#messageId = messageId;
        if (event.type === "text") session.text(undefined, delta);
        else session.reasoning(undefined, delta);
        return;
      }
      case "content":
        session.pause(undefined);
        session.message([partOf(event.block)], null);
        return;
      case "tool_output":
        session.callOutput(event.callId, event.delta);
        return;
      case "plan":
        sayWord(session, "plan", { entries: event.entries });
        return;
      case "notice": {
        const { severity, title, description } = event;
        const detail = description === undefined ? title : `${title}: ${description}`;
        sayWord(session, "notice", { severity }, { detail });
        return;
      }
      case "compaction": {
        const { state, summary } = event;
        sayWord(session, "compaction", summary === undefined ? { state } : { state, summary });
        return;
      }
      case "unknown":
        session.unknown(event.update ?? null);
        return;
      case "tool_call":
        return; // the changed call says it
      default:
        event satisfies never;
    }
  }

  rawOf(event: AcpEvent): Json | null {
    return event;
  }

  /** A change of the session. */
  notice(name: string, value: unknown, session: Session): void {
    if (name !== "session") return;
    const { state, part } = value as { readonly state: AcpSessionState; readonly part: SessionPart };
    const { modes, models, commands, context, title } = state;
    switch (part) {
      case "modes":
        if (modes) session.beside("mode", modes.current, modes);
        return;
      case "models":
        if (models) session.beside("model", models.current, models);
        return;
      case "commands":
        session.beside("commands", null, { available: commands });
        return;
      case "title":
        if (title !== undefined) session.beside("title", title, { title });
        return;
      case "context":
        if (session.hasTurn)
          this.#context = context; // the end of the turn says it
        else if (context) session.beside("context", null, context);
        return;
      case "options":
        return; // modes and models say what a reader needs
      default:
        part satisfies never;
    }
  }

  call(call: TurnToolCall): CallFacts {
    const { id, state, raw, name } = call;
    const wire = wireOf(raw);
    if (!wire)
      return {
        isOwn: true,
        facts: {
          tool_kind: name.startsWith("terminal/") ? "execute" : name.includes("read") ? "read" : "edit",
        },
      };
    this.#calls.set(wire.toolCallId, id);
    const { title, kind, locations = [] } = wire;
    return {
      nativeId: wire.toolCallId,
      isUnsettled: state === "requested",
      facts: {
        ...defined({ title }),
        ...(kind === undefined ? {} : { tool_kind: kind === "switch_mode" ? "other" : kind }),
        ...(locations.length === 0 ? {} : { locations }),
      },
    };
  }

  output({ output, error, raw }: TurnToolCall): ToolOutputContent {
    const text = typeof output === "string" ? output : (error ?? "");
    const { content = [], locations = [] } = wireOf(raw) ?? {};
    const parts = content.flatMap((item): readonly ContentPart[] => {
      if (item.type === "diff") {
        const { path, oldText, newText } = item;
        return [{ type: "json", json: { path, oldText, newText } }];
      }
      if (item.type === "terminal" || item.content.type === "text") return [];
      return [partOf(item.content)];
    });
    const files = locations.map(
      ({ path }): ContentPart => ({ type: "file_ref", path, action: "read", diff: null }),
    );
    return { output: text, parts: [...parts, ...files] };
  }

  approval({ raw }: ToolCall): Readonly<Record<string, unknown>> {
    const { options, toolCall } = fieldsOf(raw);
    const { title, kind } = fieldsOf(toolCall);
    return defined({ title, kind, options: Array.isArray(options) ? options : undefined });
  }

  /** The call that asks, by its id on the wire. */
  callOf({ raw }: Question): string | undefined {
    const { toolCallId } = fieldsOf(raw);
    return typeof toolCallId === "string" ? this.#calls.get(toolCallId) : undefined;
  }

  completed({ stopReason, usage, cost, isEmpty }: AcpResult, session: Session): CompletedFacts {
    if (isEmpty)
      session.status("empty", "the agent said nothing: its model may have failed", { stated: "daemon" });
    return { metadata: { stop_reason: stopReason, ...this.#spent(usage, cost) } };
  }

  failed(error: AnyAgentwireError): FailedFacts | undefined {
    if (error instanceof AcpAuthError)
      return { reason: "auth", details: { methods: finiteJson(error.methods) }, stated: "agent" };
    if (error.code === "connect-failed") return { reason: "process_spawn", isBare: true, stated: "daemon" };
    if (!(error instanceof AcpTurnError)) return undefined;
    const { kind, status, rpcCode } = error;
    return {
      reason: "turn_error",
      details: defined({ kind, status, rpc_code: rpcCode }),
      stated: error.origin === "agent" ? "agent" : "inferred",
      metadata: this.#spent(undefined, undefined),
    };
  }

  #spent(usage: AcpUsage | undefined, cost: Cost | undefined) {
    const tokens: UniversalUsage = defined({
      input_tokens: usage?.inputTokens,
      output_tokens: usage?.outputTokens,
      cache_read_tokens: usage?.cachedReadTokens,
      cache_write_tokens: usage?.cachedWriteTokens,
      context_tokens: this.#context?.used,
      context_window: this.#context?.size,
    });
    return {
      ...(Object.keys(tokens).length === 0 ? {} : { usage: tokens }),
      ...(cost ? { cost: { total: cost.amount, currency: cost.unit } } : {}),
    };
  }
}

/** The agent's words about a call. Undefined for a request to this machine, which is no call of the agent. */
function wireOf(raw: unknown): AcpToolCall | undefined {
  return typeof fieldsOf(raw)["toolCallId"] === "string" ? (raw as AcpToolCall) : undefined;
}

function partOf(block: AcpContentBlock | AcpUnknownBlock): ContentPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", path: `data:${block.mimeType};base64,${block.data}`, mime: block.mimeType };
    case "resource_link":
      return { type: "file_ref", path: block.uri, action: "read", diff: null };
    case "audio":
    case "resource":
      return { type: "json", json: block };
    case "unknown":
      return { type: "json", json: finiteJson(block.block) };
    default:
      return block satisfies never;
  }
}

/** How the session of a single turn ends. */
function sessionEnd(end: TurnEnd<AcpResult>): SessionEndedData {
  if (end.status === "completed") return { reason: "completed", terminated_by: "agent" };
  if (end.status === "cancelled" || end.error.code === "closed" || end.error.code === "turn-timeout")
    return { reason: "terminated", terminated_by: "daemon" };
  const { error } = end;
  const { message } = error;
  if (!(error instanceof AcpLostError)) return { reason: "error", terminated_by: "agent", message };
  const { exitCode, stderr } = error;
  return {
    reason: "error",
    terminated_by: "agent",
    message,
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    ...(stderr === "" ? {} : { stderr: { tail: stderr, truncated: true } }),
  };
}

const BINDING: Binding<AcpClient, AcpEvent, AcpResult> = {
  newMapping: () => new AcpMapping(),
  isClient: (client) => client instanceof AcpClient,
  opened: (client, turn): Opened | undefined => {
    const sessionId = turn?.sessionId;
    if (sessionId === undefined) return undefined;
    const { agent } = client;
    const { modes, models, options, commands, title } = client.session(sessionId) ?? {};
    const about = agent && defined({ name: agent.name, title: agent.title, version: agent.version });
    return {
      nativeSessionId: sessionId,
      isNative: true,
      metadata: defined({
        agent_info: about,
        agent_capabilities: agent?.capabilities,
        modes,
        models,
        config_options: options,
        commands,
        title,
      }),
    };
  },
  input: (input) => saidInBlocks(input as AcpPromptInput), // the client has checked it
  listen: (client, tell) => [
    client.on("session", (state, part, turn) => {
      if (turn) tell({ type: "notice", name: "session", value: { state, part } }, turn);
    }),
  ],
  oneOff: sessionEnd,
};

/**
 * The universal events of a client, a turn or a conversation. Adds listeners, and does not read the stream. Call it in
 * the tick of `prompt()` to miss nothing. Later, `turn.started` says `attached_late`.
 *
 * A call is told once its input is settled: by its permission request, its start, or 250 ms without a request. `raw` is null for
 * what comes by a request or an answer.
 * @throws InvalidInputError for any other value and for wrong options
 */
export function toUniversal(
  of: AcpClient | AnyTurn | AnyConversation,
  options?: UniversalOptions,
): UniversalStream {
  return attach(BINDING, of, options);
}

/** Makes a source of any ACP agent for a chat or an adapter. `acp.presets` know the usual agents. */
export const acp: ((options: AcpOptions) => AgentSource<AcpClient>) & { readonly presets: typeof presets } =
  Object.assign(
    (options: AcpOptions): AgentSource<AcpClient> => ({
      name: "acp",
      client: () => new AcpClient(options),
      toUniversal,
    }),
    { presets },
  );
