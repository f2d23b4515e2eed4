// Random numbers that are the same for the same seed.

/** A small generator of numbers in [0, 1) that gives the same ones for the same seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The items in an order of chance. */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const drawn = items.map((item) => ({ item, lot: random() }));
  return drawn.sort((one, other) => one.lot - other.lot).map(({ item }) => item);
}
