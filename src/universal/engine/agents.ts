import type { ContentPart, Json, Visibility } from "../events.ts";
import type { Stated } from "./envelope.ts";
import type { Items, OpenItem } from "./items.ts";

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
    const agent = this.#last?.key === key && this.#last ? this.#last.agent : this.#agentOf(key);
    this.#last ??= { key, agent };
    if (this.#last.key !== key) this.#last = { key, agent };
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
    return this.#agents.get(key)?.item !== undefined;
  }

  /** The only sub-agent at work, if there is just one. */
  onlyOpen(): AgentKey {
    const open = [...this.#agents].filter(([, { item }]) => item !== undefined);
    return open.length === 1 ? open[0]?.[0] : undefined;
  }

  start({ key, agentType, name, parent, json, nativeId }: SubagentStart, stated: Stated): void {
    if (this.isOpen(key)) return;
    this.pause(key);
    const status: ContentPart = { type: "status", label: `subagent:${agentType}`, detail: name ?? null };
    const said = { agent_type: agentType, name: name ?? agentType, ...json };
    const content: readonly ContentPart[] = [status, { type: "json", json: said }];
    const head = { native_item_id: nativeId ?? null, parent_id: this.itemOf(parent), content };
    this.#agents.set(key, { segment: undefined, held: "", item: this.#items.startStatus(head, stated) });
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
