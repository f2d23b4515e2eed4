/** So many levels of nesting: `JSON.stringify` overflows the stack at 5,000, a hundred thousand is a frame of 200 KB. */
export const LEVELS = [6_000, 100_000] as const;

const MARK = "@deep@";

/** The message as often as it has fields, each time with another one nested so deeply, and once with a field more. */
export function deepened(message: object, levels: number): ReadonlyMap<string, string> {
  const nested = `${'{"a":['.repeat(levels / 2)}1${"]}".repeat(levels / 2)}`;
  const frames = new Map<string, string>();
  const add = (name: string, marked: unknown): void =>
    void frames.set(
      name,
      JSON.stringify(marked).replace(JSON.stringify(MARK), () => nested),
    );
  for (const path of pathsOf(message)) add(path.join("."), withMark(message, path));
  add("an unknown field", { ...message, unheard: MARK });
  return frames;
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [[...at, name], ...pathsOf(field, [...at, name])]);
}

function withMark(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return MARK;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === String(name) ? withMark(item, rest) : item));
  return { ...Object(value), [name]: withMark(Reflect.get(Object(value), name), rest) };
}
