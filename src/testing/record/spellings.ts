// Finds a text in JSON however it is escaped there.

/** A part of a text: from `start` up to `end`. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** One character, as it is escaped in JSON, in the words of programs in JavaScript or Python, or in a URL. */
const ESCAPED =
  /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|["'\\/bfnrt])|%[0-7][\da-fA-F]|%[c-fC-F][\da-fA-F](?:%[89abAB][\da-fA-F]){1,3}/g;

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ["\\b", "\b"],
  ["\\f", "\f"],
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
]);

/** JSON in JSON in JSON, or that in a URL. */
const LEVELS = 3;

/** A text, and the same with one level of escapes undone after the other, as far as there are any. */
export function readingsOf(text: string): readonly string[] {
  const readings = [text];
  for (let last = text; readings.length <= LEVELS; readings.push(last)) {
    const next = read(last);
    if (next === last) break;
    last = next;
  }
  return readings;
}

/** A text with one level of escapes undone. */
export function read(text: string): string {
  return text.replace(ESCAPED, characterOf);
}

/** The parts of `text` whose readings are these parts of `read(text)`, which are in order and apart. */
export function partsRead(text: string, parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  if (parts.length === 0) return result;
  const waiting = parts.values();
  let part = waiting.next().value;
  let start: number | undefined;
  let from = 0; // where the present piece of plain text begins, in `text` and in its reading
  let fromRead = 0;
  /** Tells the ends of parts in a piece up to `to`, where `width` characters were read as `widthRead`. */
  const pass = (width: number, widthRead: number): void => {
    const isPlain = width === widthRead;
    const toRead = fromRead + widthRead;
    while (part) {
      if (start === undefined) {
        if (part.start >= toRead) break;
        start = isPlain ? from + part.start - fromRead : from;
      }
      if (part.end > toRead) break;
      result.push({ start, end: isPlain ? from + part.end - fromRead : from + width });
      start = undefined;
      part = waiting.next().value;
    }
    from += width;
    fromRead = toRead;
  };
  for (const { index, 0: written } of text.matchAll(ESCAPED)) {
    pass(index - from, index - from);
    pass(written.length, characterOf(written).length);
    if (!part) return result;
  }
  pass(text.length - from, text.length - from);
  return result;
}

/** Replaces the parts, in any order, each run of those that overlap by what `replacement` gives for its length. */
export function replaceParts(
  text: string,
  parts: readonly Part[],
  replacement: (length: number) => string,
): string {
  let clean = "";
  let copied = 0;
  for (const { start, end } of apart(parts)) {
    clean += text.slice(copied, start) + replacement(end - start);
    copied = end;
  }
  return clean + text.slice(copied);
}

/** The parts in order, those that overlap made one, without empty ones. */
export function apart(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const part of [...parts].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (part.start === part.end) continue;
    if (last && part.start < last.end) {
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, part.end) };
    } else {
      result.push(part);
    }
  }
  return result;
}

function characterOf(written: string): string {
  if (written.startsWith("%")) {
    try {
      return decodeURIComponent(written);
    } catch {
      return written; // no UTF-8
    }
  }
  if (written.length > 2) return String.fromCharCode(Number.parseInt(written.slice(2), 16));
  return CONTROLS.get(written) ?? written.charAt(1);
}
