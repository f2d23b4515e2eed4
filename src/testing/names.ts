// The error for invalid test input, and the check of option and step names.
import { isDict } from "./server/dict.ts";

/** The brand by which `isAgentwireError` recognizes this package's errors. Mocks import nothing else from there. */
const BRAND = Symbol.for("agentwire.error");

/** The characters of a name that an error quotes. Real names are shorter. */
const QUOTED = 100;

/** Invalid input to a mock or a tool: the mocks' own `InvalidInputError`. Also a TypeError. */
export class InvalidMockInput extends TypeError {
  override readonly name = "InvalidInputError [invalid-input]";
  readonly code = "invalid-input";
  readonly retryable = false;
  /** What to do instead. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(`${message} ${hint}`, options);
    this.hint = hint;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** For `JSON.stringify`: the name, the message and the fields. */
  toJSON(): object {
    const { name, message } = this;
    return Object.assign({ name, message }, this);
  }
}

/** All property names of a type: the compiler reports a missing one. An object value holds the inner names. */
export type NamesOf<Type> = { readonly [Name in keyof Type]-?: unknown };

/**
 * Rejects an object with an unknown field, which would otherwise be ignored silently.
 * @param known the known names: a {@link NamesOf}
 * @param what the kind of field, such as `option`
 * @throws InvalidMockInput that suggests a known name
 */
export function checkMockNames(value: object, known: object, what: string): void {
  check(value, known, what, "");
}

/** Returns the fields of a step if all are known. @throws InvalidMockInput like {@link checkMockNames} */
export function checked<Fields extends object>(fields: Fields, known: object): Fields {
  checkMockNames(fields, known, "field of the step");
  return fields;
}

function check(value: object, known: object, what: string, place: string): void {
  for (const [name, field] of Object.entries(value)) {
    if (!Object.hasOwn(known, name)) throw unknown(name, known, what, place);
    const inner: unknown = Reflect.get(known, name);
    if (isDict(inner) && isDict(field)) check(field, inner, what, `${place}${name}.`);
  }
}

function unknown(name: string, known: object, what: string, place: string): InvalidMockInput {
  return new InvalidMockInput(
    `${what} \`${place}${name.slice(0, QUOTED)}\` does not exist.`,
    guessAt(name, Object.keys(known)),
  );
}

/** The suggestion for an unknown name: the nearest known name, or all of them. */
export function guessAt(name: string, names: readonly string[]): string {
  const meant = nearest(name.slice(0, QUOTED), names);
  return meant === undefined ? `These exist: ${names.join(", ")}.` : `Did you mean \`${meant}\`?`;
}

/** Returns the name with the smallest edit distance, if that is at most a third of the name's length. */
function nearest(given: string, names: readonly string[]): string | undefined {
  const candidates = names
    .map((name) => ({ name, steps: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= Math.max(1, Math.floor(name.length / 3)))
    .sort((one, other) => one.steps - other.steps);
  return candidates[0]?.name;
}

/** The edit distance: letters to insert, delete, change, or swap with the next. */
function distance(from: string, to: string): number {
  let rowBefore: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  const at = (line: readonly number[], column: number) => line[column] ?? Number.POSITIVE_INFINITY;
  for (let letter = 0; letter < from.length; letter++) {
    const next = [letter + 1];
    for (let column = 0; column < to.length; column++) {
      const changed = at(row, column) + (from[letter] === to[column] ? 0 : 1);
      const isSwap = from[letter] === to[column - 1] && from[letter - 1] === to[column];
      const swapped = isSwap ? at(rowBefore, column - 1) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(at(row, column + 1) + 1, at(next, column) + 1, changed, swapped));
    }
    rowBefore = row;
    row = next;
  }
  return at(row, to.length);
}
