// Translates Codebuff's events into universal events; the source of a Codebuff server for chats.
import { isPrintModeEvent, isPrintModeType, isToolOutput } from "../codebuff-events/print-mode.ts";
import {
  outputContent,
  PrintModeMapping,
  type SaidEvent,
  toolFacts,
  universalCost,
} from "../codebuff-events/universal.ts";
import { fieldsOf } from "../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import type { AnyAgentwireError } from "../core/errors.ts";
import type { Cost, ToolCall, TurnToolCall } from "../core/values.ts";
import { finiteJson, type ToolOutputContent, toJsonText } from "../universal/engine/content.ts";
import type { Session } from "../universal/engine/session.ts";
import { attach } from "../universal/listen/attach.ts";
import { imageOf } from "../universal/listen/user-input.ts";
import type { Binding, CallFacts, CompletedFacts, FailedFacts, Mapping } from "../universal/mapping.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { CodebuffClient } from "./client.ts";
import { CodebuffTurnError } from "./errors.ts";
import { balanceData, failureFacts, serverFailure } from "./event-data.ts";
import type { McpConfig, UsageResponse } from "./extensions.ts";
import type { CodebuffPromptInput } from "./input.ts";
import type { ActionError, InitResponse, PromptResponse } from "./messages.ts";
import type { CodebuffClientOptions } from "./options.ts";
import { answerText } from "./prompts/answer-text.ts";
import { isPythonRepr } from "./prompts/chunks.ts";
import { saidInPrompt } from "./prompts/content.ts";
import { fileText, readHandlerFiles, readHandlerOutput } from "./requests/handlers.ts";
import {
  type CodebuffEvent,
  type CodebuffResult,
  type PromptFrame,
  promptIdOf,
  type ResponseChunkEvent,
} from "./turn.ts";

/** Ended turns whose late messages are counted: as many as the client remembers. */
const REMEMBERED = 256;

/** Codebuff's events, of both servers, as universal events. */
export class CodebuffMapping implements Mapping<CodebuffEvent, CodebuffResult> {
  readonly protocol = "codebuff-ws";
  readonly asksOnWire = false;
  readonly errorPrefix = "codebuff";
  readonly #agents = new PrintModeMapping();
  /** The ids of this session's prompts, the last one last. */
  readonly #prompts = new Set<string>();
  #promptId = "";
  /** Whether the root agent has said something in this turn. */
  #hasText = false;
  /** The prompt-response, until an event has shown it. */
  #response: PromptResponse | undefined;

  began(promptId: string): void {
    this.#agents.began();
    this.#promptId = promptId;
    this.#hasText = false;
    this.#response = undefined;
    this.#prompts.add(promptId);
    const [oldest] = this.#prompts;
    if (this.#prompts.size > REMEMBERED && oldest !== undefined) this.#prompts.delete(oldest);
  }

  event(event: CodebuffEvent, session: Session): void {
    const subagent = this.#subagentOf(promptIdOf(event));
    switch (event.type) {
      case "response-chunk":
        this.#onChunk(event, subagent, session);
        return;
      case "subagent-response-chunk":
        this.#agents.ensureSubagent(event, session);
        this.#agents.chunk(event.agentId, event.chunk, session);
        return;
      case "prompt-response":
        if (subagent === undefined) this.#onResponse(event, session);
        else this.#endSubagent(subagent, session);
        return;
      case "prompt-error":
        session.error({ ...serverFailure(event), code: "codebuff.prompt_error" });
        if (subagent !== undefined) this.#endSubagent(subagent, session);
        return;
      case "handlesteps-log-chunk": {
        const { agentId, level, message, data } = event;
        const json = { agent_id: agentId, level, ...(data === undefined ? {} : { data }) };
        session.status("codebuff.log", message ?? null, { json, agent: this.#agents.agentOf(agentId) });
        return;
      }
      case "message-cost-response": // counted in the turn's cost
      case "tool-call-request": // the call says it
        return;
      default:
        event satisfies never;
    }
  }

  call({ name, input, raw }: TurnToolCall): CallFacts {
    const { requestId, toolCallId, userInputId, mcpConfig, filePaths } = fieldsOf(raw);
    const nativeId = requestId ?? toolCallId;
    const agent = this.#subagentOf(userInputId);
    const asked = filePaths === undefined ? input : { paths: filePaths };
    const facts = mcpConfig == null ? toolFacts(name, asked) : undefined; // an MCP tool may have any name
    return { isOwn: true, agent, facts, ...(typeof nativeId === "string" ? { nativeId } : {}) };
  }

  output({ raw, output, error = "" }: TurnToolCall): ToolOutputContent {
    if (output === undefined) return { output: error, parts: [] };
    const { type, filePaths } = fieldsOf(raw);
    if (type === "tool-call-request") return outputContent(readHandlerOutput(output));
    if (!Array.isArray(filePaths)) return { output: toJsonText(output), parts: [] };
    const paths = filePaths.filter((path) => typeof path === "string");
    const files = readHandlerFiles(output);
    return {
      output: toJsonText(Object.fromEntries(paths.map((path) => [path, fileText(files, path)]))),
      parts: paths.map((path) => ({ type: "file_ref", path, action: "read", diff: null })),
    };
  }

  /** An approval for a tool of an MCP server names the server. What the server's environment holds may be secret. */
  approval({ raw }: ToolCall): Readonly<Record<string, unknown>> {
    const { mcpConfig } = fieldsOf(raw);
    if (mcpConfig === undefined || mcpConfig === null) return {};
    const { type, command, args, url } = mcpConfig as McpConfig; // the client has checked it
    return { mcp_server: { type, command, args, url } };
  }

  notice(name: string, value: unknown, session: Session): void {
    switch (name) {
      case "initResponse":
        this.#onInit(value as InitResponse, session);
        return;
      case "usage":
        session.status("codebuff.usage", null, { json: balanceData(value as UsageResponse) });
        return;
      case "reconnectRequested":
        session.status("connection.reconnect_requested", null);
        return;
      case "actionError":
        session.error({ ...serverFailure(value as ActionError), code: "codebuff.action_error" });
        return;
      case "refusal": {
        const { message } = value as { readonly message: string };
        session.error({ message, code: "codebuff.server_error", details: null, fatal: false });
        return;
      }
      case "late":
        if (this.#isOfSession(promptIdOf(value as PromptFrame))) session.late++;
        return;
      default:
        session.unknown(finiteJson(value));
    }
  }

  completed({ output, cost }: CodebuffResult): CompletedFacts {
    const said = output === null ? {} : { output: finiteJson(output) };
    return { metadata: { ...this.#agents.about, ...said, ...costOf(cost) }, raw: this.#response };
  }

  /** The server takes no session of this client: its id is in use, or the server is full. */
  lost(error: AnyAgentwireError, isFinal: boolean): ReturnType<NonNullable<Mapping["lost"]>> {
    if (error.code !== "handshake-refused" || !isUnavailable(error.reason)) return undefined;
    const { message, reason, retryable } = error;
    return { message, code: "codebuff.server_error", details: { reason }, fatal: isFinal, retryable };
  }

  failed(error: AnyAgentwireError): FailedFacts | undefined {
    const metadata = { ...this.#agents.about, ...costOf(error.partial?.cost) };
    switch (error.code) {
      case "request-refused":
        return { reason: "ack_rejected", metadata };
      case "handshake-refused":
        return isUnavailable(error.reason)
          ? { reason: "server_error", details: { reason: error.reason }, metadata }
          : undefined;
      case "turn-failed":
        return error instanceof CodebuffTurnError
          ? { ...failureFacts(error), metadata, raw: this.#response }
          : undefined;
      default:
        return undefined;
    }
  }

  #onInit(response: InitResponse, session: Session): void {
    session.status("codebuff.init", response.message ?? null, { json: balanceData(response) });
  }

  // --- the answer ---

  #onChunk(event: ResponseChunkEvent, subagent: string | undefined, session: Session): void {
    const { chunk, text } = event;
    if (typeof chunk !== "string") {
      if (isPrintModeEvent(chunk)) this.#onAgentEvent(chunk, subagent, session);
      else if (isPrintModeType(chunk.type))
        session.unparsed(`a ${chunk.type} chunk of the wrong shape`, `codebuff-ws/${chunk.type}`);
      else session.unknown(finiteJson(chunk));
      return;
    }
    if (text === "" && isPythonRepr(chunk)) {
      session.status("codebuff.bad_chunk", null);
      return;
    }
    if (subagent !== undefined) this.#ensureSubagent(subagent, session);
    else if (text !== "") this.#hasText = true;
    this.#agents.chunk(subagent, subagent === undefined ? text : chunk, session);
  }

  #onAgentEvent(event: SaidEvent, subagent: string | undefined, session: Session): void {
    if (subagent === undefined) {
      if (event.type === "text" && this.#agents.agentOf(event.agentId) === undefined)
        this.#hasText ||= event.text !== "";
      this.#agents.event(event, session);
      return;
    }
    switch (event.type) {
      case "start": // of the sub-agent, which begins with its first word
      case "finish":
        return;
      case "text":
      case "tool_call":
        if (event.agentId === undefined) this.#ensureSubagent(subagent, session);
        this.#agents.event({ agentId: subagent, ...event }, session);
        return;
      default:
        this.#agents.event(event, session);
    }
  }

  #onResponse(response: PromptResponse, session: Session): void {
    const { toolCalls, toolResults } = response;
    const text = this.#hasText ? undefined : answerText(response);
    const calls = (toolCalls ?? []).filter(({ toolCallId }) => !session.hasCall(toolCallId));
    const results = (toolResults ?? []).map(fieldsOf);
    for (const { toolCallId: id, toolName: name, input } of calls)
      session.call({ id, name, input, facts: toolFacts(name, input) });
    for (const { toolCallId: id, toolName, output } of results) {
      if (typeof id !== "string") continue;
      const name = typeof toolName === "string" ? toolName : undefined;
      session.endCall(id, contentOf(output), "done", "agent", name);
    }
    if (text !== undefined) session.answer(text, [], "agent");
    if (text === undefined && calls.length === 0 && results.length === 0) this.#response = response;
  }

  // --- sub-agents that work under an id of their own: the prompt's id with a suffix ---

  #subagentOf(id: unknown): string | undefined {
    return typeof id === "string" && id.startsWith(`${this.#promptId}-`) ? id : undefined;
  }

  #ensureSubagent(id: string, session: Session): void {
    const agentType = id.slice(this.#promptId.length + 1);
    this.#agents.ensureSubagent({ agentId: id, agentType }, session);
  }

  #endSubagent(agentId: string, session: Session): void {
    if (!session.isSubagent(agentId)) return;
    const agentType = agentId.slice(this.#promptId.length + 1);
    const end = { agentId, agentType, displayName: agentType, onlyChild: false };
    this.#agents.event({ type: "subagent_finish", ...end }, session);
  }

  #isOfSession(id: string | undefined): boolean {
    if (id === undefined) return false;
    if (this.#prompts.has(id)) return true;
    for (const promptId of this.#prompts) if (id.startsWith(`${promptId}-`)) return true;
    return false;
  }
}

/** A sum without an end is no cost. */
function costOf(cost: Cost | undefined) {
  return cost && Number.isFinite(cost.amount) ? { cost: universalCost(cost) } : {};
}

/** The output of a tool as the prompt-response lists it: the list of the protocol, or any value. */
function contentOf(output: unknown): ToolOutputContent {
  if (Array.isArray(output) && output.every(isToolOutput)) return outputContent(output);
  return outputContent(output === undefined ? [] : [{ type: "json", value: output }]);
}

const BINDING: Binding<CodebuffClient, CodebuffEvent, CodebuffResult> = {
  newMapping: () => new CodebuffMapping(),
  isClient: (client) => client instanceof CodebuffClient,
  opened: ({ clientSessionId, server, capabilities }) =>
    server && {
      nativeSessionId: clientSessionId,
      metadata: { client_session_id: clientSessionId, profile: server, capabilities },
      isNative: false,
    },
  input: (input) => {
    const { text, images } = saidInPrompt(input as CodebuffPromptInput); // the client has checked it
    return {
      text,
      images: images.map((data) => (isUrl(data) ? { path: data, mime: null } : imageOf({ data }))),
    };
  },
  listen: (client, tell) => {
    const notice = (name: string, value: unknown): void => tell({ type: "notice", name, value });
    return [
      client.on("initResponse", (response) => notice("initResponse", response)),
      client.on("usage", (usage) => notice("usage", usage)),
      client.on("reconnectRequested", () => notice("reconnectRequested", { type: "request-reconnect" })),
      client.on("toolCall", (call) => tell({ type: "call", turnId: undefined, call })),
      client.on("actionError", (error) => notice("actionError", error)),
      client.on("late", (message) => notice("late", message)),
      client.on("unknownAction", (data) => notice("unknownAction", data)),
      client.on("unknownMessage", (message) => notice("unknownMessage", message)),
      client.on("protocolWarning", (warning) => {
        if (warning.kind === "unattributed-refusal") notice("refusal", warning);
      }),
    ];
  },
};

function isUnavailable(reason: string): boolean {
  return reason === "duplicate" || reason === "full";
}

function isUrl(image: string): boolean {
  return /^https?:/.test(image);
}

/**
 * The universal events of a client, one of its turns, or one of its conversations. It listens, and does not pull. Attach it in the tick of
 * `prompt()`, and it misses nothing; later, `turn.started` says `attached_late`.
 *
 * `prompt-error` always ends its turn, also with the text "Invalid agent config". A refusal for lack of room is `fatal` only if the
 * client gives up. `raw` is null for `prompt-error` and `action-error`.
 * @throws InvalidInputError for any other value, and for wrong options.
 */
export function toUniversal(
  of: CodebuffClient | AnyTurn | AnyConversation,
  options?: UniversalOptions,
): UniversalStream {
  return attach(BINDING, of, options);
}

/** A Codebuff server as a source for a chat or an adapter. */
export function codebuff(options: CodebuffClientOptions): AgentSource<CodebuffClient> {
  return { name: "codebuff", client: () => new CodebuffClient(options), toUniversal };
}
