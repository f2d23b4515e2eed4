// Finds every occurrence of a text in another, in linear time.

/** Positions of `pattern`, also overlapping. Linear; `indexOf` is quadratic for repetitive texts. */
export function* occurrences(text: Codes, pattern: Codes, from = 0): Generator<number, undefined, undefined> {
  if (pattern.length === 0 || pattern.length > text.length - from) return;
  const fallback = fallbacksOf(pattern);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const code = text[at];
    while (matched > 0 && code !== pattern[matched]) matched = fallback[matched - 1] ?? 0;
    if (code === pattern[matched]) matched++;
    if (matched < pattern.length) continue;
    yield at - matched + 1;
    matched = fallback[matched - 1] ?? 0;
  }
}

export type Codes = Uint16Array | Int32Array;

/** The failure function of Knuth, Morris and Pratt. */
function fallbacksOf(pattern: Codes): Int32Array {
  const fallback = new Int32Array(pattern.length);
  let matched = 0;
  for (let at = 1; at < pattern.length; at++) {
    while (matched > 0 && pattern[at] !== pattern[matched]) matched = fallback[matched - 1] ?? 0;
    if (pattern[at] === pattern[matched]) matched++;
    fallback[at] = matched;
  }
  return fallback;
}

export function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
  return codes;
}
