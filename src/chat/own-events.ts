import { isObject } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { randomId } from "../core/random-id.ts";
import { Normaliser } from "../universal/engine/normaliser.ts";
import type { Json, UniversalEvent } from "../universal/events.ts";
import type { Mapping } from "../universal/mapping.ts";
import { CHAT_PROTOCOL } from "../universal/transcript/reduce.ts";
import type { QueueChange, QueuedPrompt } from "./queue.ts";

/** What a chat says itself: status items of a session of its own, which begins with the first of them. */
const MAPPING: Mapping = {
  protocol: CHAT_PROTOCOL,
  asksOnWire: false,
  errorPrefix: "chat",
  event: () => {},
  notice: (name, value, session) => session.status(name, null, { json: value as Json, stated: "daemon" }), // what the chat has made is JSON
  completed: () => ({ metadata: {} }),
};

/** Makes the events in which a chat says what no backend says, so that stores and folds know it. */
export class OwnEvents {
  readonly #normaliser: Normaliser;

  constructor(clock: Pick<Clock, "wallTime">) {
    const sessionId = randomId("chat");
    this.#normaliser = new Normaliser(MAPPING, { sessionId, wallTime: () => clock.wallTime() });
  }

  /** Another branch is shown. */
  branch(of: string, selected: string): readonly UniversalEvent[] {
    return this.#normaliser.push({ type: "notice", name: "branch", value: { of, selected } });
  }

  queue(change: QueueChange): readonly UniversalEvent[] {
    return this.#normaliser.push({ type: "notice", name: "queue", value: change });
  }

  /** The end of the chat, if it has said anything. */
  end(): readonly UniversalEvent[] {
    return this.#normaliser.push({ type: "closed" });
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
