/** What a pass over a string, or over pieces of one, can be made of. What one gives back was copied. */
const PASSES: readonly (readonly [object, readonly string[]])[] = [
  [
    String.prototype,
    [
      "charCodeAt",
      "codePointAt",
      "at",
      "charAt",
      "startsWith",
      "endsWith",
      "indexOf",
      "includes",
      "slice",
      "substring",
      "replace",
      "replaceAll",
      "match",
      "search",
      "split",
      "trim",
      "trimStart",
      "trimEnd",
      "toLowerCase",
    ],
  ],
  [Array.prototype, ["join", "slice", "filter", "map"]],
];

/** Calls, what they gave back, and what regular expressions went through, as far as that shows. */
export function workOf(run: () => void): number {
  let work = 0;
  const undo: (() => void)[] = [];
  const count = (
    owner: object,
    name: string,
    cost: (given: unknown, self: unknown, value: unknown) => number,
  ) => {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    const original: unknown = before?.value;
    if (!before || typeof original !== "function") throw new Error(`there is no ${name}`);
    const counting = function (this: unknown, ...values: unknown[]): unknown {
      const given: unknown = Reflect.apply(original, this, values);
      work += 1 + cost(given, this, values[0]);
      return given;
    };
    Object.defineProperty(owner, name, { ...before, value: counting });
    undo.push(() => Object.defineProperty(owner, name, before));
  };
  for (const [owner, names] of PASSES) for (const name of names) count(owner, name, lengthOf);
  count(RegExp.prototype, "exec", wentThrough);
  try {
    run();
  } finally {
    for (const each of undo) each();
  }
  return work;
}

function lengthOf(given: unknown): number {
  return typeof given === "string" || Array.isArray(given) ? given.length : 0;
}

/** Up to the end of the match, or of the text; of a global one, only of what is matched. */
function wentThrough(given: unknown, self: unknown, text: unknown): number {
  if (!(self instanceof RegExp) || typeof text !== "string") return 0;
  const match = given as RegExpExecArray | null;
  if (self.global || self.sticky) return match?.[0].length ?? 0;
  return match ? match.index + match[0].length : text.length;
}
