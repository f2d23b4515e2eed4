/** Chance that repeats itself: the same words give the same numbers, on every machine. */
export class Dice {
  #state: number;

  /** @param words what the numbers are for, such as a seed, a protocol and the number of a chapter */
  constructor(...words: readonly (string | number)[]) {
    let hash = 0x811c9dc5; // FNV-1a
    for (const char of words.join("\u0000")) {
      hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
    }
    this.#state = hash >>> 0;
  }

  /** In [0, 1), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the names, as likely as its weight. */
  pick<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries[entries.length - 1]?.[0] as Name;
  }
}
