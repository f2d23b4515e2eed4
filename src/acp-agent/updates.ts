// `Updates`: what each universal event says to the client.
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { isHighSurrogate, wholeStart } from "../core/text.ts";
import type { ContentPart, DeltaPart, UniversalEvent, UniversalItem } from "../universal/events.ts";
import { partIn, type SubagentFacts, subagentIn } from "../universal/item-content.ts";
import { callResultOf, fileBlocks, imageBlock, sourceBlocks, textContent } from "./blocks.ts";
import { OpenCalls, partFacts } from "./calls.ts";
import { MAX_CHUNK_TEXT } from "./outlet.ts";
import { Statuses, type StatusesSetup } from "./statuses.ts";

export interface UpdatesSetup extends StatusesSetup {
  readonly maxToolOutput: number;
}

type Chunk = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

/** An item that grows. `call`: its text is the content of this call. */
interface GrowingItem {
  readonly call?: string;
  /** What comes before the next delta: half of a character that was cut in two, or a blank line. */
  rest: string;
}

/** Characters of a message of an unknown type, in a notice. */
const MAX_NOTICE = 2_000;

/** Translates the events of a session. */
export class Updates {
  readonly calls: OpenCalls;
  readonly statuses: Statuses;
  readonly #setup: UpdatesSetup;
  readonly #items = new Map<string, GrowingItem>();
  /** The sub-agents that run, and whether they have said something. Their text is the content of a call. */
  readonly #agents = new Map<string, boolean>();
  #takeErrorBack = (): void => {};
  #sessionId = "";

  constructor(setup: UpdatesSetup) {
    this.#setup = setup;
    this.statuses = new Statuses(setup);
    this.calls = new OpenCalls((update) => void setup.outlet.say(update), setup.maxToolOutput);
  }

  take(event: UniversalEvent): void {
    this.#sessionId = event.session_id;
    switch (event.type) {
      case "session.started":
        this.statuses.tellState();
        return;
      case "item.started":
        this.#start(event.data.item);
        return;
      case "item.delta":
        this.#grow(this.keyOf(event.data.item_id), event.data.delta, event.data.part);
        return;
      case "item.completed":
        this.#complete(event.data.item);
        return;
      case "error":
        this.#takeErrorBack = this.statuses.notice("error", event.data.message, event.data.code);
        return;
      case "turn.ended":
        if (event.data.metadata.status === "failed") this.#takeErrorBack(); // the response says it
        this.#endTurn();
        return;
      case "session.ended":
        this.#endTurn();
        return;
      case "turn.started":
        this.#takeErrorBack = () => {};
        return;
      case "permission.resolved": {
        const { status, item_id, call_id } = event.data;
        const call = item_id === undefined ? this.calls.find(call_id) : this.keyOf(item_id);
        if (call !== undefined && status === "reject") this.calls.deny(call);
        return;
      }
      case "permission.requested":
      case "question.requested":
      case "question.resolved":
      case "agent.unparsed":
        return;
      default:
        event satisfies never;
    }
  }

  /** Ids of items and calls are unique in one universal session, and a chat may have several. */
  keyOf(id: string): string {
    return `${this.#sessionId}.${id}`;
  }

  /** A piece of a text, in updates of a bearable size. */
  text(chunk: Chunk, messageId: string, text: string): void {
    for (let at = 0; at < text.length; ) {
      const piece = wholeStart(text.slice(at, at + MAX_CHUNK_TEXT + 1), MAX_CHUNK_TEXT);
      this.block(chunk, messageId, textContent(piece));
      at += piece.length;
    }
  }

  block(sessionUpdate: Chunk, messageId: string, content: ContentBlock): void {
    this.#setup.outlet.say({ sessionUpdate, content, messageId });
  }

  #start(item: UniversalItem): void {
    const key = this.keyOf(item.item_id);
    const parent = item.parent_id === null ? undefined : this.keyOf(item.parent_id);
    const [part] = item.content;
    switch (item.kind) {
      case "message": {
        const hasSpoken = parent === undefined ? undefined : this.#agents.get(parent);
        if (item.role !== "user")
          this.#items.set(
            key,
            hasSpoken === undefined ? { rest: "" } : { call: parent ?? "", rest: hasSpoken ? "\n\n" : "" },
          );
        return;
      }
      case "tool_call":
        if (part?.type === "tool_call") this.calls.start(key, partFacts(part), part.call_id);
        return;
      case "tool_result": {
        const call = parent ?? key;
        this.#items.set(key, { call, rest: "" });
        this.calls.run(call);
        return;
      }
      case "status": {
        const agent = subagentIn(item);
        if (agent) this.#startAgent(key, agent);
        return;
      }
      case "system":
      case "unknown":
        return;
      default:
        item.kind satisfies never;
    }
  }

  #startAgent(key: string, { agentType, name, prompt }: SubagentFacts): void {
    const input = prompt === undefined ? undefined : { prompt };
    this.#agents.set(key, false);
    this.calls.start(key, { name: agentType, title: name, input });
    this.calls.run(key);
  }

  #grow(key: string, delta: string, { type = "text", visibility }: Partial<DeltaPart> = {}): void {
    const item = this.#items.get(key);
    if (!item || visibility === "private" || type === "tool_arguments") return;
    if (item.call !== undefined && type === "reasoning") return; // a call has no place for it
    const text = item.rest + delta;
    item.rest = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : "";
    const whole = item.rest === "" ? text : text.slice(0, -1);
    if (item.call === undefined)
      this.text(type === "reasoning" ? "agent_thought_chunk" : "agent_message_chunk", key, whole);
    else {
      if (this.#agents.has(item.call)) this.#agents.set(item.call, true);
      this.calls.grow(item.call, whole);
    }
  }

  #complete(item: UniversalItem): void {
    const key = this.keyOf(item.item_id);
    const [part] = item.content;
    const status = item.status === "failed" ? "failed" : "completed";
    const growing = this.#items.get(key);
    this.#items.delete(key);
    switch (item.kind) {
      case "message":
        if (growing?.call !== undefined || item.role === "user") return;
        for (const each of item.content)
          for (const block of blocksOf(each)) this.block("agent_message_chunk", key, block);
        return;
      case "tool_call":
        if (part?.type === "tool_call") this.calls.describe(key, partFacts(part));
        if (status === "failed") this.calls.end(key, status);
        return;
      case "tool_result": {
        const output = partIn(item, "tool_result")?.output ?? "";
        this.calls.end(
          growing?.call ?? key,
          status,
          callResultOf(item.content, output, this.#setup.maxToolOutput),
        );
        return;
      }
      case "status":
        if (part?.type !== "status") return;
        if (this.#agents.delete(key)) this.calls.end(key, status);
        else
          this.statuses.say({
            ...part,
            id: key,
            json: partIn(item, "json")?.json,
            isFailed: status === "failed",
          });
        return;
      case "system":
        this.statuses.notice("info", item.kind, textIn(item));
        return;
      case "unknown":
        this.statuses.notice(
          "info",
          item.kind,
          (JSON.stringify(partIn(item, "json")?.json) ?? "").slice(0, MAX_NOTICE),
        );
        return;
      default:
        item.kind satisfies never;
    }
  }

  #endTurn(): void {
    this.calls.endAll();
    this.#items.clear();
    this.#agents.clear();
    this.statuses.endTurn();
  }
}

function textIn({ content }: UniversalItem): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** What a message has besides its text, which has come in deltas. */
export function blocksOf(part: ContentPart): readonly ContentBlock[] {
  switch (part.type) {
    case "text":
      return sourceBlocks(part.annotations);
    case "image":
      return [imageBlock(part)];
    case "file_ref":
      return fileBlocks(part);
    case "reasoning":
    case "tool_call":
    case "tool_result":
    case "json":
    case "status":
      return [];
    default:
      return part satisfies never;
  }
}
