import type { DataOf, EventOrigin, Json, UniversalEvent, UniversalEventType } from "../events.ts";

/** Who states an event: a message of the backend (`agent`), this library (`daemon`), or nobody: the event fills a gap (`inferred`). */
export type Stated = EventOrigin | "inferred";

export interface EnvelopeSetup {
  readonly sessionId: string;
  /** ms since the epoch. */
  readonly wallTime: () => number;
  readonly emit: (event: UniversalEvent) => void;
}

/** Numbers, dates and wraps the events of one session. */
export class Envelopes {
  readonly #setup: EnvelopeSetup;
  #sequence = 0;
  nativeSessionId: string | null = null;
  /** The message that is being handled. Goes out with its first event. */
  raw: Json | null = null;
  /** Events of one input have one time, so its text is made once. */
  #ms = Number.NaN;
  #time = "";

  constructor(setup: EnvelopeSetup) {
    this.#setup = setup;
  }

  get sessionId(): string {
    return this.#setup.sessionId;
  }

  /** An input begins: its events have the time of its beginning. */
  begin(): void {
    const ms = this.#setup.wallTime();
    if (ms === this.#ms) return;
    this.#ms = ms;
    this.#time = new Date(ms).toISOString();
  }

  emit<Type extends UniversalEventType>(type: Type, data: DataOf<Type>, stated: Stated): void {
    const sequence = ++this.#sequence;
    const isNative = stated === "agent";
    const event = {
      event_id: `evt_${sequence}`,
      sequence,
      time: this.#time,
      session_id: this.#setup.sessionId,
      native_session_id: this.nativeSessionId,
      synthetic: stated === "inferred",
      source: isNative ? "agent" : "daemon",
      type,
      data,
      raw: isNative ? this.raw : null,
    } as const;
    if (isNative) this.raw = null;
    this.#setup.emit(event as UniversalEvent); // `data` fits `type`: TypeScript does not follow the pair through the type parameter
  }
}
