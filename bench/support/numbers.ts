export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) throw new RangeError("no median of nothing");
  const lower = sorted[(sorted.length - 1) >> 1] ?? upper;
  return (lower + upper) / 2;
}

/** The median of every name that all of `samples` have. */
export function medians(samples: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = Object.keys(samples[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(samples.map((sample) => sample[name] ?? Number.NaN))]),
  );
}

/** @throws RangeError when `name` was not measured. */
export function figureOf(measured: Readonly<Record<string, number>>, name: string): number {
  const value = measured[name];
  if (value === undefined) throw new RangeError(`${name} was not measured`);
  return value;
}

export function pick(
  measured: Readonly<Record<string, number>>,
  ...names: readonly string[]
): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, figureOf(measured, name)]));
}
