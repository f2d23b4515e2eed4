// Translates the events of Codebuff's agents into universal events, for all backends of Codebuff.
import { fieldsOf, isObject } from "../core/checks.ts";
import type { Cost, TurnToolCall } from "../core/values.ts";
import type { ToolFacts } from "../universal/engine/calls.ts";
import { contentOfValues, cut, type ToolOutputContent } from "../universal/engine/content.ts";
import { type AgentKey, MAX_SUBAGENT_PROMPT } from "../universal/engine/items.ts";
import { factsOf } from "../universal/engine/known-tools.ts";
import type { Session } from "../universal/engine/session.ts";
import { sayWord } from "../universal/engine/status-words.ts";
import type { TurnEndMetadata, UniversalCost } from "../universal/events.ts";
import type { CallFacts } from "../universal/mapping.ts";
import type { PlanEntry } from "../universal/transcript/transcript.ts";
import type { PrintModeEvent, ToolOutput } from "./print-mode.ts";
import { AGENT_TOOLS, inTable } from "./tools.ts";

/** One part of a tool's output. `unknown`: a part of an unknown type. */
export type SaidOutput = ToolOutput | { readonly type: "unknown"; readonly part: unknown };

/** An agent's event, as a program may print it: without the cost, or with unknown output parts. */
export type SaidEvent =
  | Exclude<PrintModeEvent, { readonly type: "tool_result" | "finish" }>
  | (Omit<Said<"tool_result">, "output"> & { readonly output: readonly SaidOutput[] })
  | (Omit<Said<"finish">, "totalCost"> & { readonly totalCost?: number });

type Said<Type extends PrintModeEvent["type"]> = Extract<PrintModeEvent, { readonly type: Type }>;

type Subagent = Said<"subagent_start" | "subagent_finish">;

export interface PrintModeOptions {
  /** Whether a `finish` with the id or type of a running sub-agent ends that sub-agent. @default false */
  readonly finishEndsSubagents?: boolean;
}

export const MAIN_AGENT = "main-agent";

/** Characters of streamed text that are compared with the next complete text: a turn's text limit. */
const MAX_COMPARED = 64 * 1024 * 1024;

/** The tool that writes the agent's plan: `{ todos: [{ task, completed }] }`. */
const TODOS = "write_todos";

/** The text that an agent streamed since its last complete text. */
interface Streamed {
  /** At most `MAX_COMPARED` characters. */
  text: string;
  length: number;
}

/**
 * Translates the events of Codebuff's agents into universal events, for one session. Announces each call once: by its
 * `tool_call` event, or by an earlier `call` fact.
 */
export class PrintModeMapping {
  readonly #options: PrintModeOptions;
  #root: string | undefined;
  /** Metadata from the `start` events of this turn. */
  #about: Omit<TurnEndMetadata, "status"> = {};
  readonly #subagents = new Map<string, { readonly type: string; readonly parent: AgentKey }>();
  /** Sub-agents that ended with their parent. Their own finish event is ignored. */
  readonly #implied = new Set<string>();
  readonly #streamed = new Map<AgentKey, Streamed>();
  /** The event type of an agent's reasoning. Some builds send both types; the first one counts. */
  readonly #reasoning = new Map<AgentKey, "reasoning_delta" | "reasoning_chunk">();

  constructor(options: PrintModeOptions = {}) {
    this.#options = options;
  }

  began(): void {
    this.#root = undefined;
    this.#about = {};
    this.#subagents.clear();
    this.#implied.clear();
    this.#streamed.clear();
    this.#reasoning.clear();
  }

  get about(): Omit<TurnEndMetadata, "status"> {
    return this.#about;
  }

  started({ agentId, model, messageHistoryLength }: Said<"start">): Readonly<Record<string, unknown>> {
    this.#root = agentId;
    return {
      ...(model === undefined ? {} : { model }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(messageHistoryLength === undefined ? {} : { message_history_length: messageHistoryLength }),
    };
  }

  event(event: SaidEvent, session: Session): void {
    switch (event.type) {
      case "start":
        this.#about = { ...this.#about, ...this.started(event) };
        return;
      case "text": {
        const agent = this.agentOf(event.agentId);
        session.text(agent, this.#newText(agent, event.text));
        return;
      }
      case "subagent_chunk":
        this.chunk(event.agentId, event.chunk, session);
        return;
      case "reasoning_delta":
        this.#think(event.type, event.agentId ?? event.runId, event.ancestorRunIds, event.text, session);
        return;
      case "reasoning_chunk":
        this.#think(event.type, event.agentId, event.ancestorRunIds, event.chunk, session);
        return;
      case "tool_call":
        session.pause(this.agentOf(event.agentId));
        session.call({
          id: event.toolCallId,
          name: event.toolName,
          input: event.input,
          agent: this.actorOf(event),
          facts: toolFacts(event.toolName, event.input),
        });
        if (event.toolName === TODOS && this.actorOf(event) === undefined) plan(event.input, session);
        return;
      case "tool_progress":
        this.#ensureCall(event, session);
        session.callOutput(event.toolCallId, event.output);
        return;
      case "tool_result":
        this.#ensureCall(event, session);
        session.endCall(
          event.toolCallId,
          outputContent(event.output),
          hasFailed(event.output) ? "failed" : "done",
        );
        return;
      case "subagent_start":
        this.#start(event, session);
        return;
      case "subagent_finish":
        if (this.#implied.delete(event.agentId)) return;
        if (!session.isSubagent(event.agentId)) this.#start(event, session);
        this.#finish(event.agentId, session);
        return;
      case "error":
        this.#onError(event, session);
        return;
      case "download":
        session.status("download", event.version, {
          status: event.status === "failed" ? "failed" : "completed",
        });
        return;
      case "finish":
        if (this.#options.finishEndsSubagents === true) this.#finish(this.#named(event.agentId), session);
        return;
      default:
        event satisfies never;
    }
  }

  /** Handles a text delta. A later complete text that repeats the deltas adds nothing. */
  chunk(agentId: string | undefined, text: string, session: Session): void {
    if (text === "") return;
    const agent = this.agentOf(agentId);
    this.#stream(agent, text);
    session.chunk(agent, text);
  }

  /** Adds root-agent text that was streamed earlier. The next complete text may repeat its end. */
  missed(text: string, session: Session): void {
    this.#stream(undefined, text);
    session.text(undefined, text, "inferred");
  }

  #stream(agent: AgentKey, text: string): void {
    const streamed = this.#streamed.get(agent) ?? { text: "", length: 0 };
    this.#streamed.set(agent, streamed);
    streamed.length += text.length;
    if (streamed.text.length < MAX_COMPARED) streamed.text += text;
  }

  ensureSubagent({ agentId, agentType }: Pick<Subagent, "agentId" | "agentType">, session: Session): void {
    if (session.isSubagent(agentId)) return;
    this.#subagents.set(agentId, { type: agentType, parent: undefined });
    session.startSubagent(
      { key: agentId, agentType, json: { agent_id: agentId }, nativeId: agentId },
      "inferred",
    );
  }

  /** The session's key for an agent id; undefined for the root agent. */
  agentOf(agentId: string | undefined): AgentKey {
    if (agentId === undefined || agentId === MAIN_AGENT) return undefined;
    return agentId === this.#root && !this.#subagents.has(agentId) ? undefined : agentId;
  }

  /** The agent that made a call. Falls back to the parent if the agent is unknown. */
  actorOf({
    agentId,
    parentAgentId,
  }: {
    readonly agentId?: string;
    readonly parentAgentId?: string;
  }): AgentKey {
    const actor = this.agentOf(agentId);
    const isKnown = agentId !== undefined && (actor === undefined || this.#subagents.has(agentId));
    const parent = this.agentOf(parentAgentId);
    return !isKnown && typeof parent === "string" && this.#subagents.has(parent) ? parent : actor;
  }

  call({ name, input, raw }: TurnToolCall): CallFacts {
    const { agentId, parentAgentId } = fieldsOf(raw);
    const agent = this.actorOf({
      ...(typeof agentId === "string" ? { agentId } : {}),
      ...(typeof parentAgentId === "string" ? { parentAgentId } : {}),
    });
    return { agent, facts: toolFacts(name, input) };
  }

  /** The new part of a complete text. Agents stream a text in chunks, then repeat the text in one event. */
  #newText(agent: AgentKey, text: string): string {
    const streamed = this.#streamed.get(agent);
    if (!streamed) return text;
    this.#streamed.delete(agent);
    if (streamed.text.endsWith(text)) return "";
    return text.startsWith(streamed.text) ? text.slice(streamed.length) : text;
  }

  #think(
    kind: "reasoning_delta" | "reasoning_chunk",
    id: string,
    ancestors: readonly string[],
    text: string,
    session: Session,
  ): void {
    const agent = this.#thinker(id, ancestors);
    const first = this.#reasoning.get(agent) ?? kind;
    this.#reasoning.set(agent, first);
    if (first === kind) session.reasoning(agent, text);
  }

  /** The agent of a reasoning event. Older builds send a run id instead of an agent id. */
  #thinker(id: string, ancestors: readonly string[]): AgentKey {
    const agent = this.agentOf(id);
    if (agent === undefined || this.#subagents.has(id)) return agent;
    if (ancestors.length === 0) return undefined;
    const [only] = this.#subagents.keys();
    return this.#subagents.size === 1 ? only : agent;
  }

  #ensureCall(
    event: Extract<SaidEvent, { readonly type: "tool_progress" | "tool_result" }>,
    session: Session,
  ) {
    const { toolCallId: id, toolName: name = "unknown", parentAgentId } = event;
    if (session.hasCall(id)) return;
    const agent = this.actorOf(parentAgentId === undefined ? {} : { parentAgentId });
    session.call({ id, name, input: {}, agent, facts: toolFacts(name, {}) }, "inferred");
  }

  #start(event: Subagent, session: Session): void {
    const { agentId, agentType, displayName: name, parentAgentId, prompt } = event;
    const named = this.agentOf(parentAgentId);
    const parent = session.isSubagent(named) ? named : undefined;
    this.#implied.delete(agentId);
    if (!session.isSubagent(agentId)) this.#subagents.set(agentId, { type: agentType, parent });
    const json = {
      agent_id: agentId,
      ...(parentAgentId === undefined ? {} : { parent_agent_id: parentAgentId }),
      ...(prompt === undefined ? {} : { prompt: cut(prompt, MAX_SUBAGENT_PROMPT) }),
    };
    session.startSubagent({ key: agentId, agentType, name, parent, json, nativeId: agentId });
  }

  #finish(agentId: string | undefined, session: Session, isImplied = false): void {
    if (agentId === undefined) return;
    this.#subagents.delete(agentId);
    if (isImplied) this.#implied.add(agentId);
    for (const [id, { parent }] of [...this.#subagents])
      if (parent === agentId) this.#finish(id, session, true);
    session.finishSubagent(agentId, isImplied ? "inferred" : "agent");
  }

  /** The running sub-agent with this id, or the newest one of this type. */
  #named(name: string | undefined): string | undefined {
    if (name === undefined || this.#subagents.has(name)) return name;
    return [...this.#subagents].filter(([, { type }]) => type === name).at(-1)?.[0];
  }

  /** An error with a `source` is a step that the agent retries by itself. */
  #onError({ message, source }: Said<"error">, session: Session): void {
    if (source === undefined) {
      session.error({ message, code: "codebuff.error", details: null, fatal: false, retryable: false });
      return;
    }
    session.pauseAll();
    session.status("retrying", message, { json: { source } });
  }
}

export function toolFacts(name: string, input: unknown): ToolFacts | undefined {
  return factsOf(AGENT_TOOLS, ...inTable(name, input));
}

export function outputContent(output: readonly SaidOutput[]): ToolOutputContent {
  return contentOfValues(
    output.map((part) => (part.type === "unknown" ? { type: "json", value: part.part } : part)),
  );
}

/** Whether a tool failed. A command with a non-zero exit code is not a tool failure. */
export function hasFailed(output: readonly SaidOutput[]): boolean {
  return output.some((part) => {
    if (part.type !== "json" || typeof part.value !== "object" || part.value === null) return false;
    const { errorMessage, error } = part.value as Readonly<Record<string, unknown>>;
    return (errorMessage ?? error ?? undefined) !== undefined;
  });
}

export function universalCost({ amount, unit }: Cost): UniversalCost {
  return { total: amount, currency: unit === "usd" ? "USD" : unit };
}

/** Reports the agent's plan. The first incomplete step counts as in progress. */
function plan(input: unknown, session: Session): void {
  const todos = isObject(input) && Array.isArray(input["todos"]) ? input["todos"].filter(isObject) : [];
  const current = todos.findIndex(({ completed }) => completed !== true);
  const entries = todos.map(
    ({ task, completed }, at): PlanEntry => ({
      content: typeof task === "string" ? task : "",
      status: completed === true ? "completed" : at === current ? "in_progress" : "pending",
    }),
  );
  sayWord(session, "plan", { entries }, { stated: "inferred" });
}
