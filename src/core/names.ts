import { InvalidInputError } from "./errors.ts";

/** Characters of a name that an error quotes: real ones are shorter. */
const QUOTED = 100;

/**
 * Refuses a name that does not exist: it would change nothing, and nobody would notice.
 * @param known what exists, by its own fields
 * @param what names are meant, such as `option`; one that ends with a dot is the place of the name, such as `option reconnect.`
 * @throws InvalidInputError that guesses what was meant
 */
export function checkName(name: unknown, known: object, what: string): void {
  if (typeof name === "string" && Object.hasOwn(known, name)) return;
  const given = typeof name === "object" ? "object" : String(name).slice(0, QUOTED);
  const names = Object.keys(known);
  const meant = closest(given, names);
  const hint = meant === undefined ? `These exist: ${names.join(", ")}.` : `Did you mean \`${meant}\`?`;
  throw new InvalidInputError(`${labelled(what, given)} does not exist.`, hint);
}

/**
 * Refuses an object that has a field which does not exist, also one that is undefined. What it inherits does not count.
 * @throws InvalidInputError as {@link checkName}
 */
export function checkNames(value: object, known: object, what: string): void {
  for (const name of Object.keys(value)) checkName(name, known, what);
}

/** How an error names a field. */
export function labelled(what: string, name: string): string {
  return what.endsWith(".") ? `${what}${name}` : `${what} \`${name}\``;
}

/** The name that was meant, if one is near enough: a third of its letters may be wrong. */
function closest(given: string, names: readonly string[]): string | undefined {
  let meant: string | undefined;
  let least = Infinity;
  for (const name of names) {
    const limit = Math.max(1, Math.floor(name.length / 3));
    if (Math.abs(name.length - given.length) > limit) continue; // which also bounds the work for a long one
    const wrong = distance(given.toLowerCase(), name.toLowerCase());
    if (wrong > limit || wrong >= least) continue;
    least = wrong;
    meant = name;
  }
  return meant;
}

/** How many letters have to be put in, left out or changed to make one word of another. */
function distance(from: string, to: string): number {
  let row = [...to.split(""), ""].map((_, at) => at);
  for (const letter of from) {
    let left = Infinity;
    let corner = Infinity;
    row = row.map((above, at) => {
      left = Math.min(left + 1, above + 1, corner + (letter === to[at - 1] ? 0 : 1));
      corner = above;
      return left;
    });
  }
  return row.at(-1) ?? 0;
}
