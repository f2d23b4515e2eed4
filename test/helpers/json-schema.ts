import { isDeepStrictEqual } from "node:util";

type Schema = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Words that say nothing of the value. */
const NOTES: ReadonlySet<string> = new Set(["$schema", "$defs", "title", "id"]);

/**
 * Whether a JSON value fits a JSON Schema (draft 2020-12). Knows only the words below.
 * @throws Error for another word, so that no rule is passed over
 */
export function fits(schema: Schema, value: unknown): boolean {
  const judge = (rule: unknown, at: unknown): boolean => {
    if (!isRecord(rule)) throw new Error(`no schema: ${JSON.stringify(rule)}`);
    return Object.entries(rule).every(([word, rest]) => NOTES.has(word) || holds(word, rest, rule, at));
  };
  const holds = (word: string, rest: unknown, rule: Schema, at: unknown): boolean => {
    switch (word) {
      case "$ref":
        return judge(resolve(schema, String(rest)), at);
      case "type":
        return [rest].flat().some((name) => isOfType(String(name), at));
      case "const":
        return isDeepStrictEqual(rest, at);
      case "enum":
        return list(rest).some((each) => isDeepStrictEqual(each, at));
      case "pattern":
        return typeof at !== "string" || new RegExp(String(rest), "u").test(at);
      case "minimum":
        return typeof at !== "number" || at >= Number(rest);
      case "maximum":
        return typeof at !== "number" || at <= Number(rest);
      case "required":
        return !isRecord(at) || list(rest).every((name) => Object.hasOwn(at, String(name)));
      case "properties":
        if (!isRecord(rest)) throw new Error("`properties` is no object");
        return (
          !isRecord(at) ||
          Object.entries(rest).every(([name, each]) => !Object.hasOwn(at, name) || judge(each, at[name]))
        );
      case "additionalProperties": {
        const known = isRecord(rule["properties"]) ? rule["properties"] : {};
        return (
          !isRecord(at) ||
          Object.keys(at).every((name) => Object.hasOwn(known, name) || judge(rest, at[name]))
        );
      }
      case "items":
        return !Array.isArray(at) || at.every((each) => judge(rest, each));
      case "anyOf":
        return list(rest).some((each) => judge(each, at));
      case "oneOf":
        return list(rest).filter((each) => judge(each, at)).length === 1;
      default:
        throw new Error(`the word ${word} is not known here`);
    }
  };
  return judge(schema, value);
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`no list: ${JSON.stringify(value)}`);
  return value;
}

function resolve(schema: Schema, ref: string): unknown {
  const name = ref.startsWith("#/$defs/") ? ref.slice("#/$defs/".length) : undefined;
  const defs = schema["$defs"];
  if (name === undefined || !isRecord(defs) || !Object.hasOwn(defs, name))
    throw new Error(`nothing at ${ref}`);
  return defs[name];
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    default:
      throw new Error(`the type ${type} is not known here`);
  }
}
