// The file name of a chat's id, and back.

const PREFIX = "chat-";
const SUFFIX = ".jsonl";

/**
 * The longest encoded id in a file name. Common file systems take 255 bytes for a name; the rest is for our prefix, suffix and temporary
 * names.
 */
const MAX_ENCODED = 200;

/**
 * The name of the file of a chat; `undefined` if the id is too long for a name.
 *
 * Different ids have different names, also where file systems ignore case or normalise characters: a name has only small letters, digits
 * and `_-%.`. No name is reserved, hidden or a path, because each begins with `chat-`.
 */
export function fileNameOf(id: string): string | undefined {
  const encoded = encode(id);
  return encoded.length > MAX_ENCODED ? undefined : `${PREFIX}${encoded}${SUFFIX}`;
}

/** The id of the chat in a file; `undefined` for a file that is no chat's. */
export function idOfFileName(name: string): string | undefined {
  if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) return undefined;
  const id = decode(name.slice(PREFIX.length, -SUFFIX.length));
  return id !== "" && fileNameOf(id) === name ? id : undefined;
}

/** By UTF-16 code units: half a character is a valid part of an id, and has no UTF-8. */
function encode(id: string): string {
  return id.replace(/[^a-z0-9_-]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16);
    return hex.length <= 2 ? `%${hex.padStart(2, "0")}` : `%u${hex.padStart(4, "0")}`;
  });
}

function decode(encoded: string): string {
  return encoded.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/g, (_whole, long, short) =>
    String.fromCharCode(Number.parseInt(long ?? short, 16)),
  );
}
