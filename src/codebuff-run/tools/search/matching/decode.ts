// Decodes a file like ripgrep.

/** Decodes by byte order mark, otherwise as UTF-8. `undefined` for a binary file (with a NUL). */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === "utf-8" && bytes.includes(0)) return undefined;
  const text = new TextDecoder(encoding).decode(bytes); // drops the byte order mark
  return encoding !== "utf-8" && text.includes("\0") ? undefined : text;
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return "utf-8";
}
