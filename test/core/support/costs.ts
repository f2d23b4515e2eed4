type Method = (...values: never[]) => unknown;

/** How often the named methods of a prototype are called while `run` runs. */
export function callsDuring<Prototype extends object>(
  prototype: Prototype,
  names: readonly (keyof Prototype & string)[],
  run: () => void,
): number {
  let calls = 0;
  const originals = names.map((name) => [name, prototype[name] as Method] as const);
  for (const [name, original] of originals) {
    const counting = function (this: unknown, ...values: never[]): unknown {
      calls++;
      return Reflect.apply(original, this, values);
    };
    Object.defineProperty(prototype, name, { value: counting, configurable: true, writable: true });
  }
  try {
    run();
  } finally {
    for (const [name, value] of originals) {
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    }
  }
  return calls;
}

/**
 * How many times longer `large` takes than `small`: the best of several runs of each, in turns. `small` is repeated, so
 * that both are measured over a like time, and a busy machine interrupts both alike.
 */
export function growth(small: () => void, large: () => void): number {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < 3; run++) {
    least = Math.min(least, duration(small, REPEATS) / REPEATS);
    most = Math.min(most, duration(large, 1));
  }
  return most / least;
}

/** As many times as `large` is larger, in the tests that use `growth`. */
const REPEATS = 16;

function duration(run: () => void, times: number): number {
  const start = performance.now();
  for (let time = 0; time < times; time++) run();
  return Math.max(performance.now() - start, 0.01);
}

const LOOKUPS = ["get", "has", "set", "delete"] as const;
const WALKS = ["values", "keys", "entries"] as const;

/** What `run` does with maps: each lookup, and each element that it comes by. */
export function mapWorkDuring(run: () => void): number {
  let elements = 0;
  const originals = WALKS.map((name) => [name, Map.prototype[name] as Method] as const);
  for (const [name, original] of originals) {
    const counting = function* (this: unknown): Iterable<unknown> {
      for (const element of Reflect.apply(original, this, []) as Iterable<unknown>) {
        elements++;
        yield element;
      }
    };
    Object.defineProperty(Map.prototype, name, { value: counting, configurable: true, writable: true });
  }
  try {
    return callsDuring(Map.prototype, LOOKUPS, run) + elements;
  } finally {
    for (const [name, value] of originals) {
      Object.defineProperty(Map.prototype, name, { value, configurable: true, writable: true });
    }
  }
}
