// Events that the chat itself makes: its queue of prompts, and the selected branch.
import type { Clock } from "../core/clock.ts";
import { randomId } from "../core/random-id.ts";
import { Envelopes, Items } from "../universal/engine/items.ts";
import type { Json, UniversalEvent } from "../universal/events.ts";
import { CHAT_PROTOCOL } from "../universal/transcript/reduce.ts";
import type { QueueChange } from "./queue.ts";

/** Makes events for what only the chat knows: status items of a separate session for stores and folds. */
export class OwnEvents {
  readonly sessionId = randomId("chat");
  readonly #envelopes: Envelopes;
  readonly #items: Items;
  #hasBegun = false;
  #made: UniversalEvent[] = [];

  constructor(clock: Pick<Clock, "wallTime">) {
    this.#envelopes = new Envelopes({
      sessionId: this.sessionId,
      wallTime: () => clock.wallTime(),
      emit: (event) => void this.#made.push(event),
    });
    this.#items = new Items(this.#envelopes);
  }

  /** Another branch is selected. */
  branch(of: string, selected: string): readonly UniversalEvent[] {
    return this.#status("branch", { of, selected });
  }

  queue(change: QueueChange): readonly UniversalEvent[] {
    return this.#status("queue", change as Json); // a queued prompt is JSON: its images are `data:` URLs
  }

  /** Ends the session, if it has started. */
  end(): readonly UniversalEvent[] {
    this.#envelopes.begin();
    if (this.#hasBegun)
      this.#envelopes.emit("session.ended", { reason: "terminated", terminated_by: "daemon" }, "daemon");
    return this.#taken();
  }

  #status(label: string, json: Json): readonly UniversalEvent[] {
    this.#envelopes.begin();
    if (!this.#hasBegun)
      this.#envelopes.emit("session.started", { metadata: { protocol: CHAT_PROTOCOL } }, "daemon");
    this.#hasBegun = true;
    const item = { native_item_id: null, parent_id: null, kind: "status", role: null } as const;
    const status = { type: "status", label, detail: null } as const;
    this.#items.whole({ ...item, content: [status, { type: "json", json }] }, "daemon");
    return this.#taken();
  }

  #taken(): readonly UniversalEvent[] {
    const made = this.#made;
    this.#made = [];
    return made;
  }
}
