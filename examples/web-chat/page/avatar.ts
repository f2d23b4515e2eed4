import type { CassAnimation } from "agentwire/cass";
import { fromTemplate } from "./dom.ts";

/** ms that a gesture is held; an emote stays until the next one. */
const GESTURE = 1_500;
/** ms until the last emote gives way to a calm face. */
const MOOD = 6_000;

/**
 * A face that plays the animations of a reply, each at its time. How one looks is in avatar.css; the server may send
 * any name, and those without a picture there are played as a little bounce.
 */
export class Avatar {
  readonly element = fromTemplate("avatar-template", SVGSVGElement);
  #timers: number[] = [];

  /** @param onPlay told the index of each animation when its time has come */
  play(animations: readonly CassAnimation[], onPlay: (index: number) => void = () => {}): void {
    this.rest();
    let end = 0;
    for (const animation of animations) {
      const at = (animation.delay ?? 0) * 1_000;
      end = Math.max(end, at);
      this.#after(at, () => {
        this.#show(animation);
        onPlay(animation.index);
      });
    }
    this.#after(end + MOOD, () => this.rest());
  }

  /** Looks as if it thinks, or speaks, until told otherwise. */
  busy(gesture: "think" | "talk"): void {
    this.rest();
    this.element.dataset["gesture"] = gesture;
  }

  /** Stops whatever it does. */
  rest(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    delete this.element.dataset["gesture"];
    delete this.element.dataset["emote"];
  }

  #show({ type, name, intensity }: CassAnimation): void {
    const { dataset, style } = this.element;
    style.setProperty("--intensity", String(Math.min(Math.max(intensity, 0.2), 2)));
    if (type === "emote") {
      dataset["emote"] = name;
      return;
    }
    delete dataset["gesture"];
    this.element.getBoundingClientRect(); // so that the same gesture twice begins anew
    dataset["gesture"] = name;
    this.#after(GESTURE, () => {
      if (dataset["gesture"] === name) delete dataset["gesture"];
    });
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms));
  }
}
