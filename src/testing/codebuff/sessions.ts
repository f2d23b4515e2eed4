// Which session ids are in use.
import type { Clock } from "../../core/clock.ts";
import type { CodebuffMockSettings } from "./options.ts";

/** A session id that is taken. */
export interface Registration {
  readonly sessionId: string;
  /** When it becomes free, by the clock; undefined while its connection lives. */
  freeAt: number | undefined;
}

/** Which session ids are taken, on one server. */
export class Sessions {
  readonly #settings: CodebuffMockSettings;
  readonly #clock: Clock;
  readonly #taken = new Set<Registration>();

  constructor(settings: CodebuffMockSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Takes an id, or says why not, in the words of the second ack. */
  register(sessionId: string): Registration | string {
    const { duplicateId, maxConnections } = this.#settings;
    const now = this.#clock.now();
    let inUse = false;
    for (const registration of this.#taken) {
      // Looked at only here, so that no timer is needed for it.
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

  /** Forgets them all, as a process that starts anew. */
  clear(): void {
    this.#taken.clear();
  }
}
