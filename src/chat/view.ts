// Snapshots for listeners, told at most once per microtask.
import type { Unsubscribe } from "../core/tell/events.ts";
import { reportError } from "../universal/listen/report-error.ts";
import { savedOf } from "./saving/saved.ts";
import type { ChatSnapshot } from "./snapshot.ts";
import type { Timeline } from "./timeline.ts";

type Listener = () => unknown;

/** What a snapshot has from others than the events. */
type Told = Pick<
  ChatSnapshot,
  "connection" | "pending" | "approvals" | "capabilities" | "loading" | "busy" | "queue" | "problem" | "state"
>;

/**
 * What listeners see of a chat: a snapshot, made when it is read, and a call once per microtask, however much has changed. A listener that
 * throws stops no other; its error goes to `onThrow`.
 */
export class View {
  readonly #timeline: Timeline;
  readonly #source: string;
  readonly #onThrow: (error: unknown) => void;
  /** Keyed by subscription: the same function may subscribe twice. */
  readonly #listeners = new Map<object, Listener>();
  #isDue = false;
  /** What listeners were last called for. */
  #called: ChatSnapshot | undefined;
  /** Whether something may have changed since `#snapshot`. */
  #isStale = true;
  #snapshot: ChatSnapshot | undefined;
  #told: Told;
  /** The prompts that a closed chat has handed back: they are in `saved`. */
  unsent: readonly string[] | undefined;
  #later: (() => Partial<Told>) | undefined;

  /** @param source the name of the source */
  constructor(timeline: Timeline, source: string, told: Told, onThrow: (error: unknown) => void) {
    this.#timeline = timeline;
    this.#source = source;
    this.#told = told;
    this.#onThrow = onThrow;
  }

  readonly subscribe = (listener: Listener): Unsubscribe => {
    const key = {};
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  };

  readonly getSnapshot = (): ChatSnapshot => {
    if (this.#isStale || !this.#snapshot) {
      this.#isStale = false;
      this.#snapshot = this.#look();
    }
    return this.#snapshot;
  };

  get told(): Told {
    return this.#told;
  }

  tell(told: Partial<Told>): void {
    this.#told = { ...this.#told, ...told };
    this.changed();
  }

  /** Something may have changed that costs a look. It is looked at when somebody looks at the chat. */
  tellLater(look: () => Partial<Told>): void {
    this.#later = look;
    this.changed();
  }

  /** Something may have changed. */
  changed(): void {
    this.#isStale = true;
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    queueMicrotask(() => this.#call());
  }

  /** The snapshot of before, if nothing has changed. */
  #look(): ChatSnapshot {
    if (this.#later) {
      this.#told = { ...this.#told, ...this.#later() };
      this.#later = undefined;
    }
    const { messages, transcript } = this.#timeline;
    const { usage, cost, plan, context, modes, models, commands, turn } = transcript;
    const busy = this.#told.busy || turn !== null;
    const parts = { messages, ...this.#told, usage, cost, plan, context, modes, models, commands, busy };
    const before = this.#snapshot;
    if (before && Object.entries(parts).every(([name, part]) => Reflect.get(before, name) === part))
      return before;
    const { unsent } = this;
    const { kept, states } = this.#timeline;
    const shown = { source: this.#source, messages: kept, branches: transcript.branches, states };
    let saved: ChatSnapshot["saved"] | undefined;
    const snapshot = { ...parts };
    // Not enumerable: looking at a snapshot must not cost what saving it costs.
    return Object.defineProperty(snapshot, "saved", {
      get: () => {
        saved ??= savedOf({ ...parts, ...shown }, unsent ?? parts.queue.map(({ id }) => id));
        return saved;
      },
    }) as ChatSnapshot; // TypeScript does not see the property
  }

  #call(): void {
    this.#isDue = false;
    if (!this.#hasNews()) return;
    for (const [key, listener] of [...this.#listeners]) {
      if (!this.#listeners.has(key)) continue; // an earlier listener has removed it
      try {
        const later = listener();
        if (later instanceof Promise) later.catch((error: unknown) => this.#report(error));
      } catch (error) {
        this.#report(error);
      }
    }
  }

  /** A call of the chat may have changed nothing. */
  #hasNews(): boolean {
    try {
      const before = this.#called;
      this.#called = this.getSnapshot();
      return this.#called !== before;
    } catch (error) {
      this.#report(error);
      return true;
    }
  }

  #report(error: unknown): void {
    try {
      this.#onThrow(error);
    } catch (second) {
      reportError(second); // a handler that throws stops no listener either
    }
  }
}
