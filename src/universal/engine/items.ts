import type { ToolCallState } from "../../core/values.ts";
import type { ContentPart, DeltaPart, ItemKind, ItemRole, UniversalItem, Visibility } from "../events.ts";
import type { Envelopes, Stated } from "./envelope.ts";

/** The head of an item: all but its content and its status. */
export interface ItemHead {
  readonly item_id: string;
  readonly native_item_id: string | null;
  readonly parent_id: string | null;
  readonly kind: ItemKind;
  readonly role: ItemRole | null;
}

/** The last content of an item that has grown by deltas. */
type Finish = (text: string) => readonly ContentPart[];

/** An item that has started and not completed. */
export interface OpenItem {
  readonly head: ItemHead;
  /** The deltas so far. */
  text: string;
  readonly part: DeltaPart | undefined;
  /** Its content, should the turn end now. */
  readonly finish: Finish;
  /** Of the result of a call, at its start. */
  readonly state?: ToolCallState;
  /** Whether the end of the turn cuts it short, also if the turn completes: a tool that is still running. */
  readonly needsEnd: boolean;
}

export interface NewItem extends Omit<ItemHead, "item_id"> {
  readonly content: readonly ContentPart[];
}

const TEXT: DeltaPart = { type: "text" };
const REASONING: Readonly<Record<Visibility, DeltaPart>> = {
  public: { type: "reasoning", visibility: "public" },
  private: { type: "reasoning", visibility: "private" },
};
const TOOL_OUTPUT: DeltaPart = { type: "tool_output" };

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
    checkItem(item);
    const { content, ...head } = item;
    const item_id = this.#newId();
    const completed = { item_id, ...head, content, status } as const;
    const started = { ...completed, status: "in_progress" } as const;
    this.#envelopes.emit("item.started", state ? { item: started, state } : { item: started }, stated);
    this.#envelopes.emit("item.completed", { item: completed }, stated);
    return completed;
  }

  /** Starts a message of an assistant, which grows by deltas. */
  startText(parentId: string | null, reasoning?: Visibility): OpenItem {
    return this.#start(
      { native_item_id: null, parent_id: parentId, kind: "message", role: "assistant", content: [] },
      "inferred",
      {
        part: reasoning ? REASONING[reasoning] : TEXT,
        needsEnd: false,
        finish: (text) =>
          reasoning ? [{ type: "reasoning", text, visibility: reasoning }] : [{ type: "text", text }],
      },
    );
  }

  /** Starts the result of a tool call. */
  startResult(call: UniversalItem, callId: string, stated: Stated): OpenItem {
    const { item_id: parent_id, native_item_id } = call;
    return this.#start(
      { native_item_id, parent_id, kind: "tool_result", role: "tool", content: [] },
      stated,
      {
        part: TOOL_OUTPUT,
        state: "running",
        needsEnd: true,
        finish: (output) => [{ type: "tool_result", call_id: callId, output }],
      },
    );
  }

  /** Starts an item that stays open with the same content: a sub-agent. */
  startStatus(item: Omit<NewItem, "kind" | "role">, stated: Stated): OpenItem {
    return this.#start({ ...item, kind: "status", role: null }, stated, {
      part: undefined,
      needsEnd: false,
      finish: () => item.content,
    });
  }

  /** Adds a delta. */
  grow(item: OpenItem, delta: string, stated: Stated): void {
    if (typeof delta !== "string") throw new TypeError("a text is no string"); // a transcript is read by others: nothing wrong goes in
    item.text += delta;
    const { item_id, native_item_id } = item.head;
    const part = item.part ?? TEXT;
    this.#envelopes.emit("item.delta", { item_id, native_item_id, delta, part }, stated);
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
      if (item.needsEnd) this.complete(item, "inferred", "failed", undefined, "abandoned");
      else this.complete(item, stated, status);
    }
  }

  #start(item: NewItem, stated: Stated, grows: Omit<OpenItem, "head" | "text">): OpenItem {
    checkItem(item);
    const { content, native_item_id, parent_id, kind, role } = item;
    const head: ItemHead = { item_id: this.#newId(), native_item_id, parent_id, kind, role };
    const open: OpenItem = { head, text: "", ...grows };
    this.#open.add(open);
    const started = { ...head, content, status: "in_progress" } as const;
    const { state } = grows;
    this.#envelopes.emit("item.started", state ? { item: started, state } : { item: started }, stated);
    return open;
  }

  #newId(): string {
    this.#count++;
    return `itm_${this.#count}`;
  }
}

/**
 * A transcript is read by others, so no event goes out that they would refuse, whatever a mapping was given.
 * @throws TypeError for an id or a text that is no string
 */
function checkItem({ native_item_id, content }: NewItem): void {
  if (native_item_id !== null && typeof native_item_id !== "string")
    throw new TypeError("an id is no string");
  for (const part of content) {
    const text = textOf(part);
    if (typeof text !== "string") throw new TypeError(`a part of type ${part.type} without its text`);
  }
}

function textOf(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool_call":
      return part.arguments;
    case "tool_result":
      return part.output;
    case "file_ref":
    case "image":
      return part.path;
    case "status":
      return part.detail === null ? part.label : part.detail;
    case "json":
      return "";
    default:
      return part satisfies never;
  }
}
