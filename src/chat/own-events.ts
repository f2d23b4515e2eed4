import type { Clock } from "../core/clock.ts";
import { randomId } from "../core/random-id.ts";
import { Normaliser } from "../universal/engine/normaliser.ts";
import type { Json, UniversalEvent } from "../universal/events.ts";
import type { Mapping } from "../universal/mapping.ts";
import { CHAT_PROTOCOL } from "../universal/transcript/reduce.ts";
import type { QueueChange } from "./queue.ts";

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
  readonly sessionId = randomId("chat");
  readonly #normaliser: Normaliser;

  constructor(clock: Pick<Clock, "wallTime">) {
    const { sessionId } = this;
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
