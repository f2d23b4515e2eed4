// Counts what code does with strings.

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Methods that look at the characters of a text up to what they find. */
const SCANS = ["indexOf", "lastIndexOf", "includes", "search"] as const;

/** Methods that look at one character, or at as many as they return. */
const READS = [
  "charCodeAt",
  "charAt",
  "at",
  "codePointAt",
  "startsWith",
  "endsWith",
  "slice",
  "substring",
  "repeat",
  "trim",
  "trimStart",
  "trimEnd",
  "replace",
  "replaceAll",
  "split",
] as const;

/**
 * Characters that `run` looks at by the methods of strings and by regular expressions, at the least, and its calls of both. It replaces the
 * methods meanwhile.
 */
export function stringWork(run: () => void): number {
  let work = 0;
  const restore: (() => void)[] = [];
  const replace = (
    owner: object,
    name: string,
    cost: (self: unknown, values: unknown[], result: unknown) => number,
  ) => {
    const methods = owner as Record<string, Method>;
    const original = methods[name];
    if (original === undefined) throw new Error(`there is no ${name}`);
    methods[name] = function (...values) {
      const result = original.apply(this, values);
      work += 1 + cost(this, values, result);
      return result;
    };
    restore.push(() => {
      methods[name] = original;
    });
  };
  const scanned = (name: string) => (self: unknown, values: unknown[], result: unknown) => {
    const { length } = String(self);
    const begin = name === "lastIndexOf" ? length : 0;
    const from = typeof values[1] === "number" ? values[1] : begin;
    if (typeof result === "number" && result >= 0) return Math.abs(result - from);
    return name === "lastIndexOf" ? from : length - from;
  };
  const returned = (_self: unknown, _values: unknown[], result: unknown): number =>
    typeof result === "string" ? result.length : 0;
  const matched = (self: unknown, [text]: unknown[], result: unknown): number => {
    if (Array.isArray(result)) return String(result[0]).length;
    // An expression that is not bound to a place may have looked at the whole text.
    const isBound = self instanceof RegExp && (self.sticky || self.source.startsWith("^"));
    return isBound ? 0 : String(text).length;
  };
  try {
    for (const name of SCANS) replace(String.prototype, name, scanned(name));
    for (const name of READS) replace(String.prototype, name, returned);
    replace(RegExp.prototype, "exec", matched);
    run();
  } finally {
    for (const undo of restore) undo();
  }
  return work;
}
