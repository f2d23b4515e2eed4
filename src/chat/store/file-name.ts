// Converts a chat's id to a file name, and back.

const PREFIX = "chat-";
const SUFFIX = ".jsonl";

/** The longest encoded id in a name. File systems allow 255 bytes, also for prefix and suffix. */
const MAX_ENCODED = 200;

/**
 * The file name of a chat. Undefined if the id is too long for a name.
 *
 * Different ids have different names, even where file systems ignore case or normalise characters: names use only small
 * letters, digits and `_-%.`. The prefix `chat-` prevents reserved names, hidden files and paths.
 */
export function fileNameOf(id: string): string | undefined {
  const encoded = encode(id);
  return encoded.length > MAX_ENCODED ? undefined : `${PREFIX}${encoded}${SUFFIX}`;
}

/** The chat's id from a file name. Undefined if the name is not one of a chat. */
export function idOfFileName(name: string): string | undefined {
  if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) return undefined;
  const id = decode(name.slice(PREFIX.length, -SUFFIX.length));
  return id !== "" && fileNameOf(id) === name ? id : undefined;
}

/** Encodes UTF-16 code units, because an id may contain a lone surrogate, which has no UTF-8. */
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
