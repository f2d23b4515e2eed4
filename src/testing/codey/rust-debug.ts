// Texts as Rust's `{:?}` prints them.

/** What Rust's `{:?}` makes of a text, as far as bodies of HTTP answers need it. */
export function rustDebug(text: string): string {
  const escaped = text.replace(
    /["\\\p{Cc}]/gu,
    (character) => NAMED.get(character) ?? unicodeEscape(character),
  );
  return `"${escaped}"`;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\0", "\\0"],
]);

function unicodeEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
