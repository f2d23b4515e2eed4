// A value as JSON that a person reads.

/** Characters of a list or an object that stand in one line. */
const MAX_LINE = 72;

/**
 * Short JSON in one line, longer JSON in several. Texts in it have real line breaks and tabs.
 * @throws TypeError for a value that JSON cannot represent
 */
export function readableJson(value: unknown): string {
  const line = JSON.stringify(value) ?? String(value);
  if (line.length <= MAX_LINE && !/\\[nt]/.test(line)) return line;
  return JSON.stringify(value, null, 2).replaceAll(/\\(.)/g, (all, of) =>
    of === "n" ? "\n" : of === "t" ? "\t" : all,
  );
}
