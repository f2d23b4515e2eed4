// The error for wrong input of a test, and the check of names of options and steps.

/** The mark of this package's errors, by which `isAgentwireError` knows them: the mocks take nothing else from there. */
const BRAND = Symbol.for("agentwire.error");

/** Characters of a name that an error quotes: real ones are shorter. */
const QUOTED = 100;

/**
 * Something that a mock or a tool was told and that cannot be meant: the mocks' own `InvalidInputError`. It is a
 * TypeError too.
 */
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
    return errorAsJson(this);
  }
}

export function errorAsJson(error: Error): object {
  const { name, message } = error;
  return Object.assign({ name, message }, error);
}

/** All names of an object type, so that none can be forgotten. Where a value is an object, it holds the names within. */
export type NamesOf<Type> = { readonly [Name in keyof Type]-?: unknown };

/**
 * Refuses an object that has a field which does not exist: it would change nothing, and nobody would notice.
 * @param known what exists: a {@link NamesOf}
 * @param what what the fields are, such as `option`
 * @throws InvalidMockInput that guesses what was meant
 */
export function checkMockNames(value: object, known: object, what: string): void {
  check(value, known, what, "");
}

/** The fields of a step, if they all exist. @throws InvalidMockInput as {@link checkMockNames} */
export function checked<Fields extends object>(fields: Fields, known: object): Fields {
  checkMockNames(fields, known, "field of the step");
  return fields;
}

function check(value: object, known: object, what: string, place: string): void {
  for (const [name, field] of Object.entries(value)) {
    if (!Object.hasOwn(known, name)) throw unknown(name, known, what, place);
    const inner: unknown = Reflect.get(known, name);
    if (isObject(inner) && isObject(field)) check(field, inner, what, `${place}${name}.`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknown(name: string, known: object, what: string, place: string): InvalidMockInput {
  return new InvalidMockInput(
    `${what} \`${place}${name.slice(0, QUOTED)}\` does not exist.`,
    guessAt(name, Object.keys(known)),
  );
}

/** What to say about a name that does not exist: the nearest that does, or all of them. */
export function guessAt(name: string, names: readonly string[]): string {
  const meant = nearest(name.slice(0, QUOTED), names);
  return meant === undefined ? `These exist: ${names.join(", ")}.` : `Did you mean \`${meant}\`?`;
}

/** The name with the fewest letters that differ, if those are a third of it at most. */
function nearest(given: string, names: readonly string[]): string | undefined {
  const candidates = names
    .map((name) => ({ name, steps: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= Math.max(1, Math.floor(name.length / 3)))
    .sort((one, other) => one.steps - other.steps);
  return candidates[0]?.name;
}

/** How many letters to put in, leave out, change or swap with the next make one word of the other. */
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
