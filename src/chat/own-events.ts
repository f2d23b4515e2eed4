// Events that a chat itself states: its queue of prompts and the branch that it shows.
import { isObject } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { randomId } from "../core/random-id.ts";
import type { ContentPart, DataOf, Json, UniversalEvent, UniversalEventType } from "../universal/events.ts";
import { CHAT_PROTOCOL } from "../universal/transcript/reduce.ts";
import type { QueueChange, QueuedPrompt } from "./queue.ts";

/**
 * Makes the events in which a chat says what no backend says, so that stores and folds know it: status items of a session of its own, which
 * begins with the first of them.
 */
export class OwnEvents {
  readonly #clock: Pick<Clock, "wallTime">;
  readonly #sessionId = randomId("chat");
  #sequence = 0;
  #items = 0;
  #made: UniversalEvent[] = [];

  constructor(clock: Pick<Clock, "wallTime">) {
    this.#clock = clock;
  }

  /** Another branch is shown. */
  branch(of: string, selected: string): readonly UniversalEvent[] {
    return this.#status("branch", { of, selected });
  }

  queue(change: QueueChange): readonly UniversalEvent[] {
    return this.#status("queue", change as Json); // a prompt is JSON: its images are `data:` URLs
  }

  /** The end of the chat, if it has said anything. */
  end(): readonly UniversalEvent[] {
    if (this.#sequence > 0) this.#add("session.ended", { reason: "terminated", terminated_by: "daemon" });
    return this.#taken();
  }

  #status(label: string, json: Json): readonly UniversalEvent[] {
    if (this.#sequence === 0) this.#add("session.started", { metadata: { protocol: CHAT_PROTOCOL } });
    const content: readonly ContentPart[] = [
      { type: "status", label, detail: null },
      { type: "json", json },
    ];
    const item_id = `itm_${++this.#items}`;
    const item = {
      item_id,
      native_item_id: null,
      parent_id: null,
      kind: "status",
      role: null,
      content,
    } as const;
    this.#add("item.started", { item: { ...item, status: "in_progress" } });
    this.#add("item.completed", { item: { ...item, status: "completed" } });
    return this.#taken();
  }

  #add<Type extends UniversalEventType>(type: Type, data: DataOf<Type>): void {
    const sequence = ++this.#sequence;
    const event = {
      event_id: `evt_${sequence}`,
      sequence,
      time: new Date(this.#clock.wallTime()).toISOString(),
      session_id: this.#sessionId,
      native_session_id: null,
      synthetic: false,
      source: "daemon",
      type,
      data,
      raw: null,
    } as const;
    this.#made.push(event as UniversalEvent); // `data` fits `type`: TypeScript does not follow the pair through the type parameter
  }

  #taken(): readonly UniversalEvent[] {
    const made = this.#made;
    this.#made = [];
    return made;
  }
}

/** The prompts of a stored chat that no turn has shown, by the last word of the events. */
export interface StoredQueue {
  readonly waiting: readonly QueuedPrompt[];
  /** They were about to be sent when the events ended: perhaps they were. */
  readonly started: readonly QueuedPrompt[];
}

/** Reads the queue from the events of a store. A prompt that a turn shows waits no more, whoever sent it. */
export function queueIn(events: Iterable<UniversalEvent>): StoredQueue {
  /** The prompts of the turns under way, by session. */
  const turns = new Map<string, string | undefined>();
  const shown = new Set<string>();
  const started = new Map<string, QueuedPrompt>();
  let waiting: readonly QueuedPrompt[] = [];
  for (const { session_id, type, data } of events) {
    if (type === "turn.started") turns.set(session_id, data.metadata?.prompt_id);
    const prompt = type === "item.started" && data.item.role === "user" ? turns.get(session_id) : undefined;
    if (prompt !== undefined) shown.add(prompt);
    const change = type === "item.completed" ? changeIn(data.item.content) : undefined;
    if (!change) continue;
    const begun = "start" in change ? waiting.find(({ id }) => id === change.start) : undefined;
    if (begun) started.set(begun.id, begun);
    waiting = changed(waiting, change);
  }
  const isUnseen = ({ id }: QueuedPrompt): boolean => !shown.has(id);
  return { waiting: waiting.filter(isUnseen), started: [...started.values()].filter(isUnseen) };
}

/** A change of a prompt that does not wait changes nothing. */
function changed(queue: readonly QueuedPrompt[], change: QueueChange): readonly QueuedPrompt[] {
  if ("take" in change) return queue.filter(({ id }) => id !== change.take);
  if ("start" in change) return queue.filter(({ id }) => id !== change.start);
  if ("put" in change) {
    const at = queue.findIndex(({ id }) => id === change.put.id);
    return at < 0 ? [...queue, change.put] : queue.map((each, index) => (index === at ? change.put : each));
  }
  const moved = queue.find(({ id }) => id === change.move);
  if (!moved) return queue;
  const others = queue.filter((each) => each !== moved);
  const before = others.findIndex(({ id }) => id === change.before);
  const at = before < 0 ? others.length : before;
  return [...others.slice(0, at), moved, ...others.slice(at)];
}

function changeIn(content: Extract<UniversalEvent, { type: "item.completed" }>["data"]["item"]["content"]) {
  const [status, more] = content;
  if (status?.type !== "status" || status.label !== "queue" || more?.type !== "json") return undefined;
  return isChange(more.json) ? more.json : undefined;
}

function isChange(json: unknown): json is QueueChange {
  if (!isObject(json)) return false;
  const { put, move, take, start } = json;
  if (isObject(put))
    return typeof put["id"] === "string" && typeof put["at"] === "number" && isInput(put["input"]);
  return (
    typeof take === "string" ||
    typeof start === "string" ||
    (typeof move === "string" && json["before"] !== undefined)
  );
}

/** A prompt that no chat has written is left out, so that the rest of the chat loads. */
function isInput(input: unknown): boolean {
  const text = isObject(input) ? input["text"] : input;
  return typeof text === "string" && text.trim() !== "";
}
