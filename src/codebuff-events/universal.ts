// Translates the events of Codebuff's agents into universal events, for all backends of Codebuff.
import { isObject } from "../core/checks.ts";
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

/** One part of a tool's output. `unknown` holds a part of an unknown type. */
export type SaidOutput = ToolOutput | { readonly type: "unknown"; readonly part: unknown };

/** An agent's event. A program may leave out the cost, and print parts of outputs that this library does not know. */
export type SaidEvent =
  | Exclude<PrintModeEvent, { readonly type: "tool_result" | "finish" }>
  | (Omit<Said<"tool_result">, "output"> & { readonly output: readonly SaidOutput[] })
  | (Omit<Said<"finish">, "totalCost"> & { readonly totalCost?: number });

type Said<Type extends PrintModeEvent["type"]> = Extract<PrintModeEvent, { readonly type: Type }>;

type Subagent = Said<"subagent_start" | "subagent_finish">;

export interface PrintModeOptions {
  /** Whether a `finish` with the id or the type of a sub-agent at work ends that sub-agent. @default false: a `finish` ends nothing */
  readonly finishEndsSubagents?: boolean;
}

/** The name of the root agent, in every build. */
export const MAIN_AGENT = "main-agent";

/** Characters of an agent's chunks that are compared with its next whole text: the limit of a turn's text. */
const MAX_COMPARED = 64 * 1024 * 1024;

/** The tool by which Codebuff's agents write their plan: `{ todos: [{ task, completed }] }`. */
const TODOS = "write_todos";

/** What an agent has streamed since its last whole text. */
interface Streamed {
  /** At most `MAX_COMPARED` characters. */
  text: string;
  length: number;
}

/**
 * How the events of Codebuff's agents become universal events, for one session. Each flat has such a part in its mapping: it calls
 * `began` and `event`, and `chunk` for text outside of events.
 *
 * A call is told by its `tool_call` event, unless a `call` fact has told it before. Neither is told twice.
 */
export class PrintModeMapping {
  readonly #options: PrintModeOptions;
  /** The id of the root agent in the last `start`. */
  #root: string | undefined;
  /** What the `start` events of this turn say. */
  #about: Omit<TurnEndMetadata, "status"> = {};
  /** The sub-agents at work, by their ids. */
  readonly #subagents = new Map<string, { readonly type: string; readonly parent: AgentKey }>();
  /** Sub-agents that have ended with their parent: their own end says nothing more. */
  readonly #implied = new Set<string>();
  readonly #streamed = new Map<AgentKey, Streamed>();
  /** The kind of event that tells an agent's reasoning: some builds tell it twice. */
  readonly #reasoning = new Map<AgentKey, "reasoning_delta" | "reasoning_chunk">();

  constructor(options: PrintModeOptions = {}) {
    this.#options = options;
  }

  /** A turn begins. */
  began(): void {
    this.#root = undefined;
    this.#about = {};
    this.#subagents.clear();
    this.#implied.clear();
    this.#streamed.clear();
    this.#reasoning.clear();
  }

  /** What the turn's `start` says, for `turn.ended`: `model`, `agent_id`, `message_history_length`. */
  get about(): Omit<TurnEndMetadata, "status"> {
    return this.#about;
  }

  /** A `start` names the root agent. Returns what the event says, for `session.started`. */
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
          outputOf(event.output),
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

  /** A piece of text as the model streams it. `agentId`: undefined for the root agent. A whole text that repeats the pieces adds nothing. */
  chunk(agentId: string | undefined, text: string, session: Session): void {
    if (text === "") return;
    const agent = this.agentOf(agentId);
    this.#stream(agent, text);
    session.chunk(agent, text);
  }

  /** The pieces of the root agent's text so far, which nobody heard: its next whole text may repeat the last of them. */
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

  /** A message of a sub-agent whose start was not told: the sub-agent begins with the message. */
  ensureSubagent({ agentId, agentType }: Pick<Subagent, "agentId" | "agentType">, session: Session): void {
    if (session.isSubagent(agentId)) return;
    this.#subagents.set(agentId, { type: agentType, parent: undefined });
    session.startSubagent(
      { key: agentId, agentType, json: { agent_id: agentId }, nativeId: agentId },
      "inferred",
    );
  }

  /** The agent behind an id, as a `Session` knows it: undefined for the root agent. */
  agentOf(agentId: string | undefined): AgentKey {
    if (agentId === undefined || agentId === MAIN_AGENT) return undefined;
    return agentId === this.#root && !this.#subagents.has(agentId) ? undefined : agentId;
  }

  /** The agent that a tool call belongs to: its own, or the parent of an agent that this library does not know. */
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

  /** What this mapping knows of a call that a client tells, from the message behind the call. */
  call({ name, input, raw }: TurnToolCall): CallFacts {
    const { agentId, parentAgentId } = typeof raw === "object" && raw !== null ? fieldsOf(raw) : {};
    const agent = this.actorOf({
      ...(typeof agentId === "string" ? { agentId } : {}),
      ...(typeof parentAgentId === "string" ? { parentAgentId } : {}),
    });
    return { agent, facts: toolFacts(name, input) };
  }

  /** The new part of a whole text. Agents stream a text in chunks and then repeat the text as one event. */
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

  /** Older builds tell the id of a run in place of an agent's id. A run without ancestors is the root agent's. */
  #thinker(id: string, ancestors: readonly string[]): AgentKey {
    const agent = this.agentOf(id);
    if (agent === undefined || this.#subagents.has(id)) return agent;
    if (ancestors.length === 0) return undefined;
    const [only] = this.#subagents.keys();
    return this.#subagents.size === 1 ? only : agent;
  }

  /** A message about a call that was never announced: announces the call. */
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

  /** A sub-agent ends, after its own sub-agents. */
  #finish(agentId: string | undefined, session: Session, isImplied = false): void {
    if (agentId === undefined) return;
    this.#subagents.delete(agentId);
    if (isImplied) this.#implied.add(agentId);
    for (const [id, { parent }] of [...this.#subagents])
      if (parent === agentId) this.#finish(id, session, true);
    session.finishSubagent(agentId, isImplied ? "inferred" : "agent");
  }

  /** The sub-agent at work with this id, or the last started one of this type. */
  #named(name: string | undefined): string | undefined {
    if (name === undefined || this.#subagents.has(name)) return name;
    return [...this.#subagents].filter(([, { type }]) => type === name).at(-1)?.[0];
  }

  /** An error with a source is a step that the agent repeats by itself. */
  #onError({ message, source }: Said<"error">, session: Session): void {
    if (source === undefined) {
      session.error({ message, code: "codebuff.error", details: null, fatal: false, retryable: false });
      return;
    }
    session.pauseAll();
    session.status("retrying", message, { json: { source } });
  }
}

function fieldsOf(raw: object): { readonly agentId?: unknown; readonly parentAgentId?: unknown } {
  return raw;
}

/** What a call of an agent's tool does, by the name of the tool. */
export function toolFacts(name: string, input: unknown): ToolFacts | undefined {
  return factsOf(AGENT_TOOLS, ...inTable(name, input));
}

/** The content of a tool's result. */
export function outputOf(output: readonly SaidOutput[]): ToolOutputContent {
  return contentOfValues(
    output.map((part) => (part.type === "unknown" ? { type: "json", value: part.part } : part)),
  );
}

/** Whether a tool reports a failure. A command that exits with another code than 0 has not failed as a tool. */
export function hasFailed(output: readonly SaidOutput[]): boolean {
  return output.some((part) => {
    if (part.type !== "json" || typeof part.value !== "object" || part.value === null) return false;
    const { errorMessage, error } = part.value as Readonly<Record<string, unknown>>;
    return (errorMessage ?? error ?? undefined) !== undefined;
  });
}

/** The cost of a turn. Codebuff counts credits. */
export function universalCost({ amount, unit }: Cost): UniversalCost {
  return { total: amount, currency: unit };
}

/** Tells the plan that the agent has written. The first step that is not completed is the one in progress. */
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
