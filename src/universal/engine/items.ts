// Makes the events of one session: assigns numbers, times and ids; opens, grows and closes items.
import { GrowingText } from "../../core/text.ts";
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
import { partText } from "./content.ts";

/** `agent`: a message of the backend. `daemon`: this library. `inferred`: the event fills a gap. */
export type Stated = EventOrigin | "inferred";

export interface SessionSetup {
  readonly sessionId: string;
  /** ms since the epoch. */
  readonly wallTime: () => number;
  /** The visibility of all reasoning. */
  readonly visibility: Visibility;
  readonly emit: (event: UniversalEvent) => void;
}

export class Envelopes {
  readonly #setup: Omit<SessionSetup, "visibility">;
  #sequence = 0;
  nativeSessionId: string | null = null;
  /** The current message, for the first event that it causes. */
  raw: Json | null = null;
  /** The events of one input share a time, so its text is made once. */
  #ms = Number.NaN;
  #time = "";

  constructor(setup: Omit<SessionSetup, "visibility">) {
    this.#setup = setup;
  }

  get sessionId(): string {
    return this.#setup.sessionId;
  }

  /** An input begins: all its events have this time. */
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
    this.#setup.emit(event as UniversalEvent); // TypeScript cannot see that `data` fits `type`
  }
}

/** An item without content and status. */
type ItemHead = Omit<UniversalItem, "content" | "status">;

export type NewItem = Omit<UniversalItem, "item_id" | "status">;

export interface OpenItem {
  readonly head: ItemHead;
  /** The joined deltas. */
  readonly text: GrowingText;
  readonly part: DeltaPart;
  /** Makes the content from the joined deltas. */
  readonly finish: (text: string) => readonly ContentPart[];
  /** Only for a result of a call. The end of the turn fails such an item, even if the turn completes. */
  readonly state?: ToolCallState;
}

const TEXT: DeltaPart = { type: "text" };
const REASONING: Readonly<Record<Visibility, DeltaPart>> = {
  public: { type: "reasoning", visibility: "public" },
  private: { type: "reasoning", visibility: "private" },
};

export class Items {
  readonly #envelopes: Envelopes;
  #count = 0;
  /** In the order of their starts, so children follow their parents. */
  readonly #open = new Set<OpenItem>();

  constructor(envelopes: Envelopes) {
    this.#envelopes = envelopes;
  }

  /** Starts and completes an item at once. `state`: only for a call. */
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

  /** @param state only for a call; by default that of `grows` */
  start(
    item: NewItem,
    stated: Stated,
    grows: Omit<OpenItem, "head" | "text">,
    state: ToolCallState | undefined = grows.state,
  ): OpenItem {
    const { head } = this.#begin(item, stated, state);
    const open: OpenItem = { head, text: new GrowingText(Number.POSITIVE_INFINITY), ...grows };
    this.#open.add(open);
    return open;
  }

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

  grow(item: OpenItem, delta: string, stated: Stated): void {
    if (typeof delta !== "string") throw new TypeError("a text is no string"); // other programs read the transcript: refuse malformed data
    item.text.add(delta);
    const { item_id, native_item_id } = item.head;
    this.#envelopes.emit("item.delta", { item_id, native_item_id, delta, part: item.part }, stated);
  }

  /** Completes an open item. `content`: the whole content, if it differs from the deltas. */
  complete(
    item: OpenItem,
    stated: Stated,
    status: "completed" | "failed" = "completed",
    content: readonly ContentPart[] = item.finish(item.text.value),
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

  /** Refuses malformed items. @throws TypeError for an id or a text that is not a string */
  #begin({ content, ...rest }: NewItem, stated: Stated, state: ToolCallState | undefined) {
    const { native_item_id, parent_id, kind, role } = rest;
    if (native_item_id !== null && typeof native_item_id !== "string")
      throw new TypeError("an id is no string");
    for (const part of content)
      if (typeof partText(part) !== "string")
        throw new TypeError(`a part of type ${part.type} without its text`);
    const head: ItemHead = { item_id: `itm_${++this.#count}`, native_item_id, parent_id, kind, role };
    const item = { ...head, content, status: "in_progress" } as const;
    this.#envelopes.emit("item.started", state ? { item, state } : { item }, stated);
    return { head, content };
  }
}

/** The name of an agent inside one backend. `undefined`: the root agent. */
export type AgentKey = string | number | undefined;

/** Maximum characters of a sub-agent's prompt in its item. */
export const MAX_SUBAGENT_PROMPT = 2_000;

/** The facts about a sub-agent at its start. */
export interface SubagentStart {
  readonly key: AgentKey;
  /** Such as `file-picker`. */
  readonly agentType: string;
  /** The display name. */
  readonly name?: string | undefined;
  readonly parent?: AgentKey;
  /** Further facts for the item, besides type and name. */
  readonly json?: { readonly prompt?: string; readonly [name: string]: Json };
  readonly nativeId?: string | undefined;
}

/** The open items of one agent: at most one of text or reasoning, and a sub-agent's own item. */
interface Agent {
  segment: { readonly item: OpenItem; readonly isReasoning: boolean } | undefined;
  /** Blank chunks that wait for the agent's next text. */
  held: string;
  readonly item: OpenItem | undefined;
}

/** The agents of one turn. An agent's consecutive text, or reasoning, is one item. */
export class Agents {
  readonly #items: Items;
  readonly #visibility: Visibility;
  readonly #agents = new Map<AgentKey, Agent>();
  /** The agent of the last delta. Most deltas are from the same agent as the previous delta. */
  #last: { readonly key: AgentKey; readonly agent: Agent } | undefined;

  constructor(items: Items, visibility: Visibility) {
    this.#items = items;
    this.#visibility = visibility;
  }

  /** Adds a delta to the agent's text or reasoning. Ignores an empty delta. */
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

  /** Holds a blank chunk for the agent's next text. False if the chunk continues an open text. */
  hold(key: AgentKey, blank: string): boolean {
    const agent = this.#agentOf(key);
    if (agent.segment?.isReasoning === false) return false;
    agent.held += blank;
    return true;
  }

  /** Ends the agent's text or reasoning, because the agent does something else. */
  pause(key: AgentKey, stated: Stated = "inferred"): void {
    const agent = this.#agents.get(key);
    if (agent) this.#end(agent, stated);
  }

  pauseAll(): void {
    for (const agent of this.#agents.values()) this.#end(agent, "inferred");
  }

  /** The item that contains the agent's items. Null for the root agent and for an unknown agent. */
  itemOf(key: AgentKey): string | null {
    return this.#agents.get(key)?.item?.head.item_id ?? null;
  }

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
