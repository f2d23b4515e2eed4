// Pauses an agent's output while all its turns wait for slow readers.
import type { AgentLink } from "./link.ts";

/** Many turns share one agent: a slow reader of one turn must not hold up the others. */
export class Pauses {
  /** The turns at work, and whether their readers are slow. */
  readonly #turns = new Map<object, { readonly link: AgentLink; isPaused: boolean }>();

  set(run: object, link: AgentLink, isPaused: boolean): void {
    this.#turns.set(run, { link, isPaused });
    this.#apply(link);
  }

  delete(run: object): void {
    const known = this.#turns.get(run);
    this.#turns.delete(run);
    if (known) this.#apply(known.link);
  }

  #apply(link: AgentLink): void {
    const turns = [...this.#turns.values()].filter((each) => each.link === link);
    if (turns.length > 0 && turns.every(({ isPaused }) => isPaused)) link.pause();
    else link.resume();
  }
}
