// What stands between a driven chat and its log: each event is cleaned, counted until the log has it, and seen.
import type { ChatStore } from "../../chat/store/store.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { RelaySettings } from "../options.ts";
import { cleanEvent } from "./clean.ts";
import type { Writer } from "./writer.ts";

export interface EventGuardHost {
  readonly settings: RelaySettings;
  readonly writer: Pick<Writer, "isOpen" | "append">;
  /** An event that the log will get. */
  onEvent(event: UniversalEvent): void;
  /** An event that must not be shown. */
  onUnfit(error: unknown): void;
  /** The log is too far behind. */
  onTooMany(): void;
}

/** The events of a driven chat, on their way into the log. */
export class EventGuard {
  readonly #host: EventGuardHost;
  /** Events that the log does not have yet, with their sizes. */
  readonly #unsaved = new Map<UniversalEvent, number>();
  #bytes = 0;
  /** Events that the chat itself makes, not its backend. */
  readonly #ownEvents: UniversalEvent[] = [];

  constructor(host: EventGuardHost) {
    this.#host = host;
  }

  /** Whether the log has all events of the backend. */
  get isEmpty(): boolean {
    return this.#unsaved.size === 0;
  }

  /** The store of the chat. The log has more than the chat's events, so the chat gets its history as `from`. */
  get store(): ChatStore {
    return {
      load: async () => this.#ownEvents, // says which prompts this chat has claimed
      append: async (_, events) => {
        const { writer } = this.#host;
        if (writer.isOpen) await writer.append(events.map((event) => this.#fit(event)));
      },
      list: async () => [],
    };
  }

  /** Returns the event as the chat and the log get it. */
  pass(event: UniversalEvent): UniversalEvent {
    const { writer, settings } = this.#host;
    if (!writer.isOpen) return event; // it does not reach the log
    try {
      const { event: clean, size } = cleanEvent(event, settings);
      this.#unsaved.set(clean, size);
      this.#bytes += size;
      this.#host.onEvent(clean);
      if (this.#unsaved.size > settings.maxUnsaved || this.#bytes > settings.maxUnsavedBytes)
        this.#host.onTooMany();
      return clean;
    } catch (error) {
      this.#host.onUnfit(error);
      return event;
    }
  }

  /** The log has these events. */
  written(events: readonly UniversalEvent[]): void {
    for (const event of events) {
      this.#bytes -= this.#unsaved.get(event) ?? 0;
      this.#unsaved.delete(event);
    }
  }

  cleaned(event: UniversalEvent): UniversalEvent {
    return cleanEvent(event, this.#host.settings).event;
  }

  /** Events of the chat itself have not passed. */
  #fit(event: UniversalEvent): UniversalEvent {
    if (this.#unsaved.has(event)) return event;
    this.#ownEvents.push(event);
    return this.cleaned(event);
  }
}
