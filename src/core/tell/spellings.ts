// Undoes escapes in a text, to find escaped credentials, and maps positions back to the original text.

/** A range of a text, from `start` to before `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** One character, as escaped in JSON, JavaScript, Python or a URL. */
const ESCAPE =
  /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|["'\\/bfnrt])|%[0-7][\da-fA-F]|%[c-fC-F][\da-fA-F](?:%[89abAB][\da-fA-F]){1,3}/g;

const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Undoes one level of escapes. Leaves invalid escapes unchanged. */
export function unescaped(text: string): string {
  return text.replace(ESCAPE, meaningOf);
}

/** Maps spans of `unescaped(text)` to spans of `text`. The spans must be sorted and disjoint. One pass. */
export function spansInSource(text: string, spans: readonly TextSpan[]): readonly TextSpan[] {
  if (spans.length === 0) return spans;
  const escapes = text.matchAll(ESCAPE);
  let next = escapes.next().value;
  let saved = 0; // the length difference of the escapes so far
  /** Maps one position. Inside an escape, a start moves before the escape, and an end moves after it. */
  const place = (at: number, side: "start" | "end"): number => {
    while (next) {
      const [written] = next;
      const meant = meaningOf(written).length;
      const start = next.index - saved;
      if (at <= start) break;
      if (at < start + meant) return side === "start" ? next.index : next.index + written.length;
      saved += written.length - meant;
      next = escapes.next().value;
    }
    return at + saved;
  };
  return spans.map(({ start, end }) => ({ start: place(start, "start"), end: place(end, "end") }));
}

/** Sorts the spans, joins overlapping spans, and drops empty ones. */
export function joinedSpans(spans: TextSpan[]): readonly TextSpan[] {
  const result: TextSpan[] = [];
  let last: TextSpan | undefined;
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    if (span.start === span.end) continue;
    if (last && span.start < last.end) {
      last = { start: last.start, end: Math.max(last.end, span.end) };
      result[result.length - 1] = last;
    } else {
      last = span;
      result.push(span);
    }
  }
  return result;
}

function meaningOf(written: string): string {
  if (written.startsWith("\\")) {
    const kind = written.charAt(1);
    if (written.length > 2) return String.fromCharCode(Number.parseInt(written.slice(2), 16));
    return SHORT[kind] ?? kind;
  }
  try {
    return decodeURIComponent(written);
  } catch {
    return written; // not UTF-8
  }
}
