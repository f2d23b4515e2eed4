/**
 * Counts what a persistent structure copies: the slots (fields and entries) of all objects in a value that were in no value before. The
 * shared objects of a changed copy cost nothing, and a copied array costs its length.
 */
export function newSlots(): (value: unknown) => number {
  const seen = new WeakSet<object>();
  return (value) => {
    let slots = 0;
    const rest: unknown[] = [value];
    while (rest.length > 0) {
      const next = rest.pop();
      if (typeof next !== "object" || next === null || seen.has(next)) continue;
      seen.add(next);
      const fields = Object.values(next);
      slots += fields.length;
      rest.push(...fields);
    }
    return slots;
  };
}
