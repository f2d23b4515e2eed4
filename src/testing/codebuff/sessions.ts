// Tracks which session ids are in use.
import type { Clock } from "../../core/clock.ts";
import type { CodebuffMockSettings } from "./options.ts";

export interface Registration {
  readonly sessionId: string;
  /** When the id becomes free, on the server's clock; undefined while its connection is open. */
  freeAt: number | undefined;
}

export class Sessions {
  readonly #settings: CodebuffMockSettings;
  readonly #clock: Clock;
  readonly #taken = new Set<Registration>();

  constructor(settings: CodebuffMockSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Registers an id, or returns the text of the refusal. */
  register(sessionId: string): Registration | string {
    const { duplicateId, maxConnections } = this.#settings;
    const now = this.#clock.now();
    let inUse = false;
    for (const registration of this.#taken) {
      // Expired ids are removed here, so they need no timer.
      if (registration.freeAt !== undefined && registration.freeAt <= now) this.#taken.delete(registration);
      else if (registration.sessionId === sessionId) inUse = true;
    }
    if (inUse && duplicateId === "refuse") return `Session ID ${sessionId} is already in use`;
    if (this.#taken.size >= maxConnections) return `Maximum connections (${maxConnections}) reached`;
    const registration: Registration = { sessionId, freeAt: undefined };
    this.#taken.add(registration);
    return registration;
  }

  release(registration: Registration, promptRan: boolean): void {
    const { idle, midPrompt } = this.#settings.idRelease;
    registration.freeAt = this.#clock.now() + (promptRan ? midPrompt : idle);
  }

  clear(): void {
    this.#taken.clear();
  }
}
