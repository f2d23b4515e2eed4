// Makes snapshots, and notifies listeners at most once per microtask.
import type { ConversationChoices } from "../core/client/any-client.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { reportError } from "../universal/listen/report-error.ts";
import type { EventListener } from "../universal/stream.ts";
import { choicesIn } from "../universal/transcript/statuses.ts";
import { savedOf } from "./saving/saved.ts";
import type { ChatSnapshot } from "./snapshot.ts";
import type { Timeline } from "./timeline.ts";

type Listener = () => unknown;

/** The parts of a snapshot that do not come from the transcript. */
type Told = Pick<
  ChatSnapshot,
  "connection" | "pending" | "approvals" | "capabilities" | "loading" | "busy" | "queue" | "problem" | "state"
> & {
  /** What the client says of its session. It is newer than what the events have said. */
  readonly choices?: Choices;
};

type Choices = Partial<Pick<ChatSnapshot, "modes" | "models" | "commands">>;

/** Makes snapshots when read, and notifies listeners once per microtask. Their errors go to `onThrow`. */
export class View {
  readonly #timeline: Timeline;
  readonly #source: string;
  readonly #onThrow: (error: unknown) => void;
  /** By subscription, because the same function may subscribe twice. */
  readonly #listeners = new Map<object, Listener>();
  readonly #eventListeners = new Map<object, EventListener>();
  readonly #resetListeners = new Map<object, Listener>();
  #isDue = false;
  /** The snapshot at the last call of the listeners. */
  #called: ChatSnapshot | undefined;
  /** Whether something may have changed since `#snapshot`. */
  #isStale = true;
  #snapshot: ChatSnapshot | undefined;
  #told: Told;
  /** The ids of the unsent prompts of a closed chat, for `saved`. */
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

  /** Listens to the events that the snapshot shows. */
  listen(listener: EventListener): Unsubscribe {
    const key = {};
    this.#eventListeners.set(key, listener);
    return () => void this.#eventListeners.delete(key);
  }

  /** Passes an event that the snapshot shows to the listeners. */
  show(event: UniversalEvent, position?: string): void {
    for (const [key, listener] of [...this.#eventListeners])
      if (this.#eventListeners.has(key)) this.#callSafely(() => listener(event, position));
  }

  /** Listens to resets: the events so far are void. */
  listenToResets(listener: Listener): Unsubscribe {
    const key = {};
    this.#resetListeners.set(key, listener);
    return () => void this.#resetListeners.delete(key);
  }

  reset(): void {
    for (const [key, listener] of [...this.#resetListeners])
      if (this.#resetListeners.has(key)) this.#callSafely(listener);
    this.changed();
  }

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

  /** What the client says of its session. An empty list of commands may only be early. */
  tellChoices(session: ConversationChoices | undefined): void {
    const { commands, ...choices } = choicesIn(session);
    this.tell({ choices: commands && commands.length > 0 ? { ...choices, commands } : choices });
  }

  /** Delays an expensive read until the next snapshot. */
  tellLater(look: () => Partial<Told>): void {
    this.#later = look;
    this.changed();
  }

  changed(): void {
    this.#isStale = true;
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    queueMicrotask(() => this.#call());
  }

  /** Returns the previous snapshot if nothing has changed. */
  #look(): ChatSnapshot {
    if (this.#later) {
      this.#told = { ...this.#told, ...this.#later() };
      this.#later = undefined;
    }
    const { messages, transcript } = this.#timeline;
    const { usage, cost, plan, context, modes, models, commands, turn } = transcript;
    const { choices, ...told } = this.#told;
    const busy = told.busy || turn !== null;
    const parts = {
      messages,
      ...told,
      usage,
      cost,
      plan,
      context,
      modes,
      models,
      commands,
      ...choices,
      busy,
    };
    const before = this.#snapshot;
    if (before && hasParts(before, parts)) return before;
    const { unsent } = this;
    const { kept, states } = this.#timeline;
    const shown = { source: this.#source, messages: kept, branches: transcript.branches, states };
    let saved: ChatSnapshot["saved"] | undefined;
    const snapshot = { ...parts };
    // Not enumerable, because enumerating a snapshot must not build `saved`.
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
      if (this.#listeners.has(key)) this.#callSafely(listener); // an earlier listener may have removed it
    }
  }

  #callSafely(listener: Listener): void {
    try {
      const later = listener();
      if (later instanceof Promise) later.catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  /** Whether the snapshot differs from that of the last call. */
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
      reportError(second); // an error of the handler stops no listener
    }
  }
}

/** Apart from the getter of `saved`: a closure that knows the previous snapshot would lead from each snapshot to all before it. */
function hasParts(snapshot: ChatSnapshot, parts: object): boolean {
  return Object.entries(parts).every(([name, part]) => Reflect.get(snapshot, name) === part);
}
