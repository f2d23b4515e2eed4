/** The methods that make room, or close a gap, by moving elements. */
const MOVERS = ["shift", "unshift", "splice", "copyWithin"] as const;

/**
 * Counts the elements that `work` moves inside of arrays. Lists of listeners, and of the bytes that a socket has
 * just read, are left out: they are short, no backlog, and every reader has the same.
 */
export async function countElementMoves(work: () => Promise<unknown>): Promise<number> {
  let moves = 0;
  const original = new Map(
    MOVERS.map((name) => [name, Object.getOwnPropertyDescriptor(Array.prototype, name)]),
  );
  for (const [name, descriptor] of original) {
    const method: (this: unknown[], ...args: unknown[]) => unknown = descriptor?.value;
    const counting = function (this: unknown[], ...args: unknown[]): unknown {
      const [first] = this;
      const result = method.apply(this, args);
      if (!(first instanceof Uint8Array) && typeof first !== "function") moves += this.length;
      return result;
    };
    Object.defineProperty(Array.prototype, name, { ...descriptor, value: counting });
  }
  try {
    await work();
  } finally {
    for (const [name, descriptor] of original)
      if (descriptor) Object.defineProperty(Array.prototype, name, descriptor);
  }
  return moves;
}
