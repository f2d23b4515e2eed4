// The texts, reasoning and sub-agents of one turn, as text parts and `data-subagent`.
import { fieldsOf } from "../core/checks.ts";
import type { Annotation, ContentPart, ItemDeltaData, UniversalItem } from "../universal/events.ts";
import { isDue } from "./calls.ts";
import { citationsOf, putFile, putSources } from "./files.ts";
import type { AgentwireData, Sink } from "./message.ts";

type Stream = "text" | "reasoning";

interface Message {
  /** The sub-agent that writes it. */
  readonly agent: Agent | undefined;
  /** The part that grows. */
  open: { readonly type: Stream; readonly id: string } | undefined;
  /** Number of parts so far. */
  parts: number;
  /** Whether deltas came. Then the completed content repeats them. */
  hasDeltas: boolean;
}

interface Agent {
  readonly id: string;
  data: AgentwireData["subagent"];
  /** The length of the text when it was last shown. */
  shown: number;
}

const SUBAGENT = "subagent:";

export class Texts {
  readonly #sink: Sink;
  readonly #messages = new Map<string, Message>();
  /** By the sub-agent's status item. */
  readonly #agents = new Map<string, Agent>();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  start({ item_id, parent_id }: UniversalItem): void {
    if (this.#messages.has(item_id)) return;
    const agent = this.#agents.get(parent_id ?? "");
    this.#messages.set(item_id, { agent, open: undefined, parts: 0, hasDeltas: false });
  }

  grow({ item_id, delta, part }: ItemDeltaData): void {
    const message = this.#messages.get(item_id);
    if (!message) return;
    message.hasDeltas = true;
    const type = part?.type === "reasoning" ? part.type : "text";
    if (part?.visibility !== "private") this.#write(item_id, message, type, delta);
  }

  complete(item: UniversalItem): void {
    this.start(item);
    const { item_id: id, content } = item;
    const message = this.#messages.get(id);
    if (!message) return;
    this.#messages.delete(id);
    const isPrivate = content.some((part) => part.type === "reasoning" && part.visibility === "private");
    const isReasoning = content.some(({ type }) => type === "reasoning");
    const sources: Annotation[] = [];
    for (const part of content) {
      if (part.type === "text") {
        sources.push(...(part.annotations ?? []));
        if (message.hasDeltas) continue;
        this.#write(id, message, part.type, part.text);
        this.#end(id, message, sources.splice(0));
      } else if (part.type === "reasoning") {
        if (!message.hasDeltas && part.visibility === "public")
          this.#write(id, message, part.type, part.text);
      }
    }
    this.#end(id, message, sources);
    if (!isPrivate) for (const part of content) this.#extra(part, id, isReasoning);
  }

  /** The `data-subagent` that contains an item. */
  agentOf({ parent_id }: UniversalItem): string | undefined {
    return this.#agents.get(parent_id ?? "")?.id;
  }

  /** Shows the status item of a sub-agent. Returns false for any other status. */
  startAgent(item: UniversalItem): boolean {
    const [status] = item.content;
    if (this.#agents.has(item.item_id)) return true;
    if (status?.type !== "status" || !status.label.startsWith(SUBAGENT)) return false;
    const { agent_type, name, prompt } = fieldsOf(item.content.find((part) => part.type === "json")?.json);
    const type = typeof agent_type === "string" ? agent_type : status.label.slice(SUBAGENT.length);
    const data: Agent["data"] = {
      type,
      name: typeof name === "string" ? name : (status.detail ?? type),
      ...(typeof prompt === "string" ? { prompt } : {}),
      status: "running",
      text: "",
    };
    const agent = { id: this.#sink.key(item.item_id), data, shown: 0 };
    this.#agents.set(item.item_id, agent);
    this.#sink.step();
    this.#show(agent);
    return true;
  }

  endAgent({ item_id, status }: Pick<UniversalItem, "item_id" | "status">): void {
    const agent = this.#agents.get(item_id);
    if (agent?.data.status !== "running") return;
    agent.data = { ...agent.data, status: status === "completed" ? "done" : "failed" };
    this.#show(agent);
  }

  /** The turn is over: ends what is open. */
  end(): void {
    for (const [id, message] of this.#messages) this.#end(id, message, []);
    this.#messages.clear();
    for (const item_id of this.#agents.keys()) this.endAgent({ item_id, status: "failed" });
  }

  #write(itemId: string, message: Message, type: Stream, delta: string): void {
    const { agent } = message;
    if (agent) {
      if (type === "reasoning") return; // a `data-subagent` has text only
      agent.data = { ...agent.data, text: agent.data.text + delta };
      if (isDue(agent.data.text.length, agent.shown)) this.#show(agent);
      return;
    }
    if (message.open?.type !== type) {
      this.#end(itemId, message, []);
      const at = message.parts++;
      message.open = { type, id: this.#sink.key(at === 0 ? itemId : `${itemId}.${at + 1}`) };
      this.#sink.step();
      this.#sink.put({ type: `${type}-start`, id: message.open.id });
    }
    this.#sink.put({ type: `${type}-delta`, id: message.open.id, delta });
  }

  #end(itemId: string, { agent, open }: Message, annotations: readonly Annotation[]): void {
    if (agent && agent.shown < agent.data.text.length) this.#show(agent);
    const citations = citationsOf(annotations, this.#sink.key(itemId));
    if (open?.type === "reasoning") this.#sink.put({ type: "reasoning-end", id: open.id });
    else if (open)
      this.#sink.put({ type: "text-end", id: open.id, ...(citations.length > 0 ? { citations } : {}) });
    putSources(this.#sink, citations);
  }

  #extra(part: ContentPart, itemId: string, isReasoning: boolean): void {
    if (part.type === "json") putJson(this.#sink, part.json);
    else putFile(this.#sink, part, itemId, isReasoning);
  }

  #show(agent: Agent): void {
    agent.shown = agent.data.text.length;
    this.#sink.put({ type: "data-subagent", id: agent.id, data: agent.data });
  }
}

/** Shows data of the backend that no other part has a place for. */
export function putJson(sink: Sink, json: unknown): void {
  sink.put({
    type: "custom",
    kind: "agentwire.json",
    providerMetadata: { agentwire: { json: json as never } },
  });
}
