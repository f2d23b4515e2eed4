// Checks values as zod does, with its list of issues.

/** One entry of the list of issues that a schema of the original server gives. The order of the keys is its own. */
export type Issue = Readonly<Record<string, unknown>>;

export type Path = readonly (string | number)[];

/** Says what is wrong with a value; nothing, if it is valid. `undefined` stands for a field that is missing. */
export type Check = (input: unknown, path: Path) => readonly Issue[];

export const anything: Check = () => [];

/** Anything that is there. */
export const something: Check = (input, path) =>
  input === undefined ? [wrongType("unknown", input, path)] : [];

export const string: Check = (input, path) =>
  typeof input === "string" ? [] : [wrongType("string", input, path)];

export const number: Check = (input, path) =>
  typeof input === "number" ? [] : [wrongType("number", input, path)];

export function literal(expected: string): Check {
  return (input, path) => {
    if (input === expected) return [];
    const message = `Invalid literal value, expected ${JSON.stringify(expected)}`;
    return [{ received: input, code: "invalid_literal", expected, path, message }];
  };
}

/** A field that may be missing. Null is not missing. */
export function optional(check: Check): Check {
  return (input, path) => (input === undefined ? [] : check(input, path));
}

export function nullable(check: Check): Check {
  return (input, path) => (input === null ? [] : check(input, path));
}

export function arrayOf(element: Check): Check {
  return (input, path) =>
    Array.isArray(input)
      ? input.flatMap((value: unknown, index) => element(value, [...path, index]))
      : [wrongType("array", input, path)];
}

/** An object with any keys, and all its values alike. */
export function recordOf(value: Check): Check {
  return (input, path) =>
    isObject(input)
      ? Object.entries(input).flatMap(([key, item]) => value(item, [...path, key]))
      : [wrongType("object", input, path)];
}

export type Shape = Readonly<Record<string, Check>>;

/** Named fields, checked in their order; unknown ones are ignored. */
export function object(shape: Shape): Check {
  const fields = Object.entries(shape);
  return (input, path) =>
    isObject(input)
      ? fields.flatMap(([key, check]) => check(input[key], [...path, key]))
      : [wrongType("object", input, path)];
}

/** One of several shapes, told apart by `key`. */
export function unionOn(key: string, shapes: Readonly<Record<string, Shape>>): Check {
  const checks = new Map(Object.entries(shapes).map(([name, shape]) => [name, object(shape)]));
  const options = [...checks.keys()];
  return (input, path) => {
    if (!isObject(input)) return [wrongType("object", input, path)];
    const name = input[key];
    const check = typeof name === "string" ? checks.get(name) : undefined;
    if (check) return check(input, path);
    const expected = options.map((option) => `'${option}'`).join(" | ");
    const message = `Invalid discriminator value. Expected ${expected}`;
    return [{ code: "invalid_union_discriminator", options, path: [...path, key], message }];
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function wrongType(expected: string, input: unknown, path: Path): Issue {
  const received = typeName(input);
  const message = received === "undefined" ? "Required" : `Expected ${expected}, received ${received}`;
  return { code: "invalid_type", expected, received, path, message };
}

function typeName(input: unknown): string {
  if (typeof input === "number" && !Number.isInteger(input)) return "float";
  if (input === null) return "null";
  return Array.isArray(input) ? "array" : typeof input;
}
