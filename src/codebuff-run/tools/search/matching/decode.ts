// The bytes of a file as text, as ripgrep decodes them.

/**
 * The text of a file, as ripgrep reads it: a byte order mark decides the encoding, and all else is UTF-8. Bytes that are no UTF-8 become U+FFFD.
 * `undefined`: the file is binary, because it has a NUL.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === "utf-8" && bytes.includes(0)) return undefined;
  const text = new TextDecoder(encoding).decode(bytes); // drops the mark
  return encoding !== "utf-8" && text.includes("\0") ? undefined : text;
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return "utf-8";
}
