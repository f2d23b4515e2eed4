// What the user and the model said in one session.
import type { Clock } from "../../core/clock.ts";
import type { HistoryEntry } from "./messages.ts";
import type { Settings } from "./profiles.ts";

/** The moment at which the server's clock stood at zero. */
const EPOCH = Date.UTC(2026, 0, 1);

/** What the model was told and said in one session: the user's messages, and the text of every round that ended. */
export class Transcript {
  readonly #entries: HistoryEntry[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(role: HistoryEntry["role"], content: string): void {
    const timestamp = new Date(EPOCH + this.#clock.now()).toISOString();
    if (content !== "") this.#entries.push({ role, content, timestamp });
  }

  shown(history: Settings["history"]): readonly HistoryEntry[] {
    switch (history) {
      case "empty":
        return [];
      case "filled":
        return this.#entries;
      case "mixedTimestamps":
        return this.#entries.map((entry) => (entry.role === "user" ? entry : { ...entry, timestamp: null }));
    }
  }
}
