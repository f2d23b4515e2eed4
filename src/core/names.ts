// Refuses unknown names of options, fields or events, and suggests the right one.
import { InvalidInputError } from "./errors.ts";

/** The maximum length of a quoted name. */
const QUOTED = 100;

/**
 * @param known an object with a field for each valid name
 * @param what the kind of name, such as `option`, or its path with a final dot, such as `option reconnect.`
 * @throws InvalidInputError for an unknown name, with a suggestion
 */
export function checkName(name: unknown, known: object, what: string): void {
  if (typeof name === "string" && Object.hasOwn(known, name)) return;
  const given = typeof name === "object" ? "object" : String(name).slice(0, QUOTED);
  const names = Object.keys(known);
  const meant = closest(given, names);
  const hint = meant === undefined ? `These exist: ${names.join(", ")}.` : `Did you mean \`${meant}\`?`;
  throw new InvalidInputError(`${labelledName(what, given)} does not exist.`, hint);
}

/** Checks the names of all own fields, even undefined ones. @throws InvalidInputError as {@link checkName} */
export function checkNames(value: object, known: object, what: string): void {
  for (const name of Object.keys(value)) checkName(name, known, what);
}

export function labelledName(what: string, name: string): string {
  return what.endsWith(".") ? `${what}${name}` : `${what} \`${name}\``;
}

/** The closest name. At most a third of its letters may be wrong. */
function closest(given: string, names: readonly string[]): string | undefined {
  let meant: string | undefined;
  let least = Infinity;
  for (const name of names) {
    const limit = Math.max(1, Math.floor(name.length / 3));
    if (Math.abs(name.length - given.length) > limit) continue; // also limits the work for long names
    const wrong = distance(given.toLowerCase(), name.toLowerCase());
    if (wrong > limit || wrong >= least) continue;
    least = wrong;
    meant = name;
  }
  return meant;
}

/** The edit distance: letters to add, drop, change or swap with the next. */
function distance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row = [...to.split(""), ""].map((_, at) => at);
  let last = "";
  for (const letter of from) {
    let left = Infinity;
    let corner = Infinity;
    const next = row.map((above, at) => {
      const isSwapped = letter === to[at - 2] && last === to[at - 1];
      const swapped = isSwapped ? (before[at - 2] ?? 0) + 1 : Infinity;
      left = Math.min(left + 1, above + 1, corner + (letter === to[at - 1] ? 0 : 1), swapped);
      corner = above;
      return left;
    });
    before = row;
    row = next;
    last = letter;
  }
  return row.at(-1) ?? 0;
}
