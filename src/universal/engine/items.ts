// Makes the events of one session: numbers, dates and ids; opens, grows and closes items.
import type { ToolCallState } from "../../core/values.ts";
import type {
  ContentPart,
  DataOf,
  DeltaPart,
  EventOrigin,
  Json,
  UniversalEvent,
  UniversalEventType,
  UniversalItem,
  Visibility,
} from "../events.ts";
import { textOf } from "./content.ts";

/** Who states an event: a message of the backend (`agent`), this library (`daemon`), or nobody: the event fills a gap (`inferred`). */
export type Stated = EventOrigin | "inferred";

/** What one session is made with. */
export interface SessionSetup {
  readonly sessionId: string;
  /** ms since the epoch. */
  readonly wallTime: () => number;
  /** Of all reasoning. */
  readonly visibility: Visibility;
  readonly emit: (event: UniversalEvent) => void;
}

/** Numbers, dates and wraps the events of one session. */
export class Envelopes {
  readonly #setup: Omit<SessionSetup, "visibility">;
  #sequence = 0;
  nativeSessionId: string | null = null;
  /** The message that is being handled. Goes out with its first event. */
  raw: Json | null = null;
  /** Events of one input have one time, so its text is made once. */
  #ms = Number.NaN;
  #time = "";

  constructor(setup: Omit<SessionSetup, "visibility">) {
    this.#setup = setup;
  }

  get sessionId(): string {
    return this.#setup.sessionId;
  }

  /** An input begins: its events have the time of its beginning. */
  begin(): void {
    const ms = this.#setup.wallTime();
    if (ms === this.#ms) return;
    this.#ms = ms;
    this.#time = new Date(ms).toISOString();
  }

  emit<Type extends UniversalEventType>(type: Type, data: DataOf<Type>, stated: Stated): void {
    const sequence = ++this.#sequence;
    const isNative = stated === "agent";
    const event = {
      event_id: `evt_${sequence}`,
      sequence,
      time: this.#time,
      session_id: this.#setup.sessionId,
      native_session_id: this.nativeSessionId,
      synthetic: stated === "inferred",
      source: isNative ? "agent" : "daemon",
      type,
      data,
      raw: isNative ? this.raw : null,
    } as const;
    if (isNative) this.raw = null;
    this.#setup.emit(event as UniversalEvent); // `data` fits `type`: TypeScript does not follow the pair through the type parameter
  }
}

/** The head of an item: all but its content and its status. */
type ItemHead = Omit<UniversalItem, "content" | "status">;

/** An item before it has an id. */
export type NewItem = Omit<UniversalItem, "item_id" | "status">;

/** An item that has started and not completed. */
export interface OpenItem {
  readonly head: ItemHead;
  /** The deltas so far. */
  text: string;
  readonly part: DeltaPart;
  /** Its content, should the turn end now. */
  readonly finish: (text: string) => readonly ContentPart[];
  /** Of the result of a call, at its start. Such an item is cut short by the end of the turn, also if the turn completes. */
  readonly state?: ToolCallState;
}

const TEXT: DeltaPart = { type: "text" };
const REASONING: Readonly<Record<Visibility, DeltaPart>> = {
  public: { type: "reasoning", visibility: "public" },
  private: { type: "reasoning", visibility: "private" },
};

/** The items of one session: each starts once, grows, and completes once. */
export class Items {
  readonly #envelopes: Envelopes;
  #count = 0;
  /** In the order of their starts: children follow their parents. */
  readonly #open = new Set<OpenItem>();

  constructor(envelopes: Envelopes) {
    this.#envelopes = envelopes;
  }

  /** Starts and completes an item that is whole. `state`: of a call. */
  whole(
    item: NewItem,
    stated: Stated,
    status: "completed" | "failed" = "completed",
    state?: ToolCallState,
  ): UniversalItem {
    const { head, content } = this.#begin(item, stated, state);
    const completed = { ...head, content, status };
    this.#envelopes.emit("item.completed", { item: completed }, stated);
    return completed;
  }

  /** Starts an item that grows by deltas. */
  start(item: NewItem, stated: Stated, grows: Omit<OpenItem, "head" | "text">): OpenItem {
    const { head } = this.#begin(item, stated, grows.state);
    const open: OpenItem = { head, text: "", ...grows };
    this.#open.add(open);
    return open;
  }

  /** Starts a message of an assistant. */
  startText(parent_id: string | null, reasoning?: Visibility): OpenItem {
    const item = {
      native_item_id: null,
      parent_id,
      kind: "message",
      role: "assistant",
      content: [],
    } as const;
    return this.start(item, "inferred", {
      part: reasoning ? REASONING[reasoning] : TEXT,
      finish: (text) => [
        reasoning ? { type: "reasoning", text, visibility: reasoning } : { type: "text", text },
      ],
    });
  }

  /** Adds a delta. */
  grow(item: OpenItem, delta: string, stated: Stated): void {
    if (typeof delta !== "string") throw new TypeError("a text is no string"); // a transcript is read by others: nothing wrong goes in
    item.text += delta;
    const { item_id, native_item_id } = item.head;
    this.#envelopes.emit("item.delta", { item_id, native_item_id, delta, part: item.part }, stated);
  }

  /** Completes an open item. `content`: its whole content, if it is not what the deltas say. */
  complete(
    item: OpenItem,
    stated: Stated,
    status: "completed" | "failed" = "completed",
    content: readonly ContentPart[] = item.finish(item.text),
    state?: ToolCallState,
  ): void {
    if (!this.#open.delete(item)) return;
    const completed = { ...item.head, content, status };
    this.#envelopes.emit("item.completed", state ? { item: completed, state } : { item: completed }, stated);
  }

  /** Completes all open items, children before their parents. */
  completeAll(stated: Stated, status: "completed" | "failed"): void {
    for (const item of [...this.#open].reverse()) {
      if (item.state) this.complete(item, "inferred", "failed", undefined, "abandoned");
      else this.complete(item, stated, status);
    }
  }

  /**
   * A transcript is read by others, so no item goes out that they would refuse, whatever a mapping was given.
   * @throws TypeError for an id or a text that is no string
   */
  #begin({ content, ...rest }: NewItem, stated: Stated, state: ToolCallState | undefined) {
    const { native_item_id, parent_id, kind, role } = rest;
    if (native_item_id !== null && typeof native_item_id !== "string")
      throw new TypeError("an id is no string");
    for (const part of content)
      if (typeof textOf(part) !== "string")
        throw new TypeError(`a part of type ${part.type} without its text`);
    const head: ItemHead = { item_id: `itm_${++this.#count}`, native_item_id, parent_id, kind, role };
    const item = { ...head, content, status: "in_progress" } as const;
    this.#envelopes.emit("item.started", state ? { item, state } : { item }, stated);
    return { head, content };
  }
}

/** The name of an agent inside one backend. `undefined`: the root agent. */
export type AgentKey = string | number | undefined;

/** Characters of a sub-agent's prompt that its item keeps. */
export const MAX_SUBAGENT_PROMPT = 2_000;

/** What is known of a sub-agent when it starts. */
export interface SubagentStart {
  readonly key: AgentKey;
  /** Such as `file-picker`. */
  readonly agentType: string;
  /** The name to show. */
  readonly name?: string | undefined;
  readonly parent?: AgentKey;
  /** What the item says besides the type and the name. */
  readonly json?: { readonly prompt?: string; readonly [name: string]: Json };
  readonly nativeId?: string | undefined;
}

/** What one agent has open: at most one run of text or reasoning, and a sub-agent its own item. */
interface Agent {
  segment: { readonly item: OpenItem; readonly isReasoning: boolean } | undefined;
  /** Blank pieces that wait for the agent's next text. */
  held: string;
  /** The item of a sub-agent. */
  readonly item: OpenItem | undefined;
}

/** The agents of one turn, and what each says: a run of text, or of reasoning, is one item. */
export class Agents {
  readonly #items: Items;
  readonly #visibility: Visibility;
  readonly #agents = new Map<AgentKey, Agent>();
  /** The agent of the last delta: most deltas come from the same agent as the one before. */
  #last: { readonly key: AgentKey; readonly agent: Agent } | undefined;

  constructor(items: Items, visibility: Visibility) {
    this.#items = items;
    this.#visibility = visibility;
  }

  /** Adds a delta to the agent's text or reasoning. An empty delta is nothing. */
  say(key: AgentKey, delta: string, isReasoning: boolean, stated: Stated): void {
    if (delta === "") return;
    if (this.#last?.key !== key || !this.#last) this.#last = { key, agent: this.#agentOf(key) };
    const { agent } = this.#last;
    let { segment } = agent;
    if (segment?.isReasoning !== isReasoning) {
      this.#close(agent, "inferred");
      const parent = agent.item?.head.item_id ?? null;
      const item = this.#items.startText(parent, isReasoning ? this.#visibility : undefined);
      segment = { item, isReasoning };
      agent.segment = segment;
    }
    if (agent.held === "" || isReasoning) {
      this.#items.grow(segment.item, delta, stated);
      return;
    }
    this.#items.grow(segment.item, agent.held + delta, stated);
    agent.held = "";
  }

  /** Holds a blank piece of text for the agent's next text. False if the agent's text goes on with the piece. */
  hold(key: AgentKey, blank: string): boolean {
    const agent = this.#agentOf(key);
    if (agent.segment?.isReasoning === false) return false;
    agent.held += blank;
    return true;
  }

  /** The agent does something else: its text or reasoning is whole. */
  pause(key: AgentKey, stated: Stated = "inferred"): void {
    const agent = this.#agents.get(key);
    if (agent) this.#end(agent, stated);
  }

  /** All agents begin again: their text and reasoning is whole. */
  pauseAll(): void {
    for (const agent of this.#agents.values()) this.#end(agent, "inferred");
  }

  /** The item that the agent's own items belong to; null for the root agent and for an unknown agent. */
  itemOf(key: AgentKey): string | null {
    return this.#agents.get(key)?.item?.head.item_id ?? null;
  }

  /** Whether this sub-agent is at work. */
  isOpen(key: AgentKey): boolean {
    return this.itemOf(key) !== null;
  }

  start({ key, agentType, name, parent, json, nativeId }: SubagentStart, stated: Stated): void {
    if (this.isOpen(key)) return;
    this.pause(key);
    const status: ContentPart = { type: "status", label: `subagent:${agentType}`, detail: name ?? null };
    const said = { agent_type: agentType, name: name ?? agentType, ...json };
    const content: readonly ContentPart[] = [status, { type: "json", json: said }];
    const head = { native_item_id: nativeId ?? null, parent_id: this.itemOf(parent), content };
    const item = { ...head, kind: "status", role: null } as const;
    const grows = { part: TEXT, finish: () => content };
    this.#agents.set(key, { segment: undefined, held: "", item: this.#items.start(item, stated, grows) });
    this.#last = undefined;
  }

  finish(key: AgentKey, stated: Stated): void {
    const agent = this.#agents.get(key);
    if (!agent?.item) return;
    this.#close(agent, "inferred");
    this.#items.complete(agent.item, stated);
    this.#agents.delete(key);
    this.#last = undefined;
  }

  #end(agent: Agent, stated: Stated): void {
    this.#close(agent, stated);
    agent.held = "";
  }

  #close(agent: Agent, stated: Stated): void {
    if (agent.segment) this.#items.complete(agent.segment.item, stated);
    agent.segment = undefined;
  }

  #agentOf(key: AgentKey): Agent {
    const known = this.#agents.get(key);
    if (known) return known;
    const agent: Agent = { segment: undefined, held: "", item: undefined };
    this.#agents.set(key, agent);
    return agent;
  }
}
