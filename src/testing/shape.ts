// Checks JSON against shapes, each written as one line of text.
import { type Dict, isDict } from "./server/dict.ts";

/**
 * Shapes of objects, by name. A shape lists fields: `"id:string tags?:string[] state:open|closed title:string|null"`.
 * `?` marks an optional field. A type is a key of {@link TYPES}, the name of a shape, or a literal string.
 */
export type ShapeTable = Readonly<Record<string, string>>;

/** A problem with a value. */
export interface Issue {
  readonly path: readonly (string | number)[];
  /** The expected type: `array` for any list, `object` for any shape. */
  readonly expected: string;
  /** Undefined for a missing field. */
  readonly input: unknown;
  readonly parent: unknown;
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  filled: (value) => typeof value === "string" && value !== "",
  number: (value) => typeof value === "number",
  amount: (value) => Number.isFinite(value) && Number(value) >= 0,
  whole: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  object: isDict,
  array: Array.isArray,
  moment: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && Date.parse(value) > 0,
};

/** Returns the problems of an object's fields. Fields that the shape lacks are allowed. */
export function fieldIssues(
  value: Dict,
  shape: string,
  shapes: ShapeTable = {},
  path: Issue["path"] = [],
): readonly Issue[] {
  return shape.split(" ").flatMap((field) => {
    const [label = "", type = ""] = field.split(":");
    const name = label.replace("?", "");
    const input = Object.hasOwn(value, name) ? value[name] : undefined;
    if (label === "" || (input === undefined && label !== name)) return [];
    return typeIssues(input, type, shapes, { path: [...path, name], parent: value });
  });
}

function typeIssues(
  input: unknown,
  type: string,
  shapes: ShapeTable,
  at: Pick<Issue, "path" | "parent">,
): readonly Issue[] {
  const wrong = (expected: string): readonly Issue[] => [{ ...at, expected, input }];
  const words = type.split("|").filter((word) => word !== "null");
  if (input === null && type.endsWith("|null")) return [];
  if (words.length > 1) return words.includes(String(input)) ? [] : wrong(type);
  const [word = ""] = words;
  if (word.endsWith("[]")) {
    if (!Array.isArray(input)) return wrong("array");
    return input.flatMap((item: unknown, index) =>
      typeIssues(item, word.slice(0, -2), shapes, { path: [...at.path, index], parent: input }),
    );
  }
  const shape = Object.hasOwn(shapes, word) ? shapes[word] : undefined;
  if (shape !== undefined)
    return isDict(input) ? fieldIssues(input, shape, shapes, at.path) : wrong("object");
  const fits = TYPES[word];
  return (fits ? fits(input) : input === word) ? [] : wrong(word);
}
