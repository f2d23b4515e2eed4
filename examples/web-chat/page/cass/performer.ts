import type { CassAnimation } from "agentwire/cass";
import type { Look } from "../avatar.tsx";

/** ms that a gesture is held; an emote stays until the next one. */
const GESTURE = 1_500;
/** ms until the last emote gives way to a calm face. */
const MOOD = 6_000;

const AT_REST: Look = {};

/** Plays the animations of one answer, each at its time. For `useSyncExternalStore`. */
export class Performer {
  readonly #listeners = new Set<() => void>();
  readonly #played = new Set<number>();
  #timers: ReturnType<typeof setTimeout>[] = [];
  #look: Look = AT_REST;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly look = (): Look => this.#look;

  /** Whether the animation with this index has been played. */
  hasPlayed(index: number): boolean {
    return this.#played.has(index);
  }

  play(animations: readonly CassAnimation[]): void {
    this.rest();
    let end = 0;
    for (const animation of animations) {
      const at = (animation.delay ?? 0) * 1_000;
      end = Math.max(end, at);
      this.#after(at, () => this.#perform(animation));
    }
    this.#after(end + MOOD, () => this.rest());
  }

  /** Looks as if it speaks, until told otherwise. */
  talk(): void {
    this.rest();
    this.#show({ gesture: "talk" });
  }

  /** Stops whatever it does. */
  rest(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    this.#show(AT_REST);
  }

  #perform({ index, type, name, intensity }: CassAnimation): void {
    this.#played.add(index);
    if (type === "emote") {
      this.#show({ ...this.#look, emote: name, intensity });
      return;
    }
    this.#show({ ...this.#look, gesture: name, intensity });
    this.#after(GESTURE, () => {
      const { gesture, ...face } = this.#look;
      if (gesture === name) this.#show(face);
    });
  }

  #show(look: Look): void {
    if (look === this.#look) return;
    this.#look = look;
    for (const listener of this.#listeners) listener();
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms));
  }
}
