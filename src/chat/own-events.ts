// Events that a chat itself states: its queue of prompts and the branch that it shows.
import type { Clock } from "../core/clock.ts";
import { randomId } from "../core/random-id.ts";
import type { ContentPart, DataOf, Json, UniversalEvent, UniversalEventType } from "../universal/events.ts";
import { CHAT_PROTOCOL } from "../universal/transcript/reduce.ts";
import type { QueueChange } from "./queue.ts";

/**
 * Makes the events in which a chat says what no backend says, so that stores and folds know it: status items of a session of its own, which
 * begins with the first of them.
 */
export class OwnEvents {
  readonly #clock: Pick<Clock, "wallTime">;
  readonly sessionId = randomId("chat");
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
      session_id: this.sessionId,
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
