// A tool's parameters (JSON Schema or Standard Schema), and the check of its inputs.
import { dereference, type Schema, validate } from "@cfworker/json-schema";
import { describe, isObject } from "../../core/checks.ts";
import { InvalidInputError, said } from "../../core/errors.ts";
import { cappedMap, counted, dropPatterns, isForeign, MAX_REFERRED, MAX_TRIAL } from "./schema-limits.ts";

/** JSON Schema of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The part of Standard Schema that tools need: https://standardschema.dev */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    /** Exists for TypeScript only: the schema's input and output types. */
    readonly types?: { readonly output: unknown } | undefined;
    /** Standard JSON Schema, as in zod 4. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }[];
    };

/** A tool's parameters: JSON Schema, a schema that provides JSON Schema, or both side by side. */
export type ToolParameters =
  | JsonSchema
  | StandardSchema
  | { readonly schema: StandardSchema; readonly parameters: JsonSchema };

type AnyInput = Readonly<Record<string, unknown>>;

type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** The handler's input: the output of the Standard Schema, otherwise any object. */
export type ToolInputOf<Parameters extends ToolParameters> = Parameters extends {
  readonly schema: infer Schema extends StandardSchema;
}
  ? ObjectOr<OutputOf<Schema>>
  : Parameters extends StandardSchema
    ? ObjectOr<OutputOf<Parameters>>
    : AnyInput;

type ObjectOr<Output> = Output extends object ? Output : AnyInput;

/** A valid input, with defaults and without unlisted fields; or its issues. */
export type Checked =
  | { readonly input: Readonly<Record<string, unknown>> }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly path: string;
  readonly message: string;
}

export function issuesText(name: string, { issues }: Extract<Checked, { readonly issues: unknown }>): string {
  return `Invalid parameters for ${name}: ${JSON.stringify(issues)}`;
}

export interface ToolSchema {
  readonly json: JsonSchema;
  check(input: unknown): Checked | Promise<Checked>;
}

/** Characters of an invalid value in an error. */
const QUOTED = 60;

/** Issues in one error. The model needs only a few; a large input may have thousands. */
const MAX_ISSUES = 20;

/** Characters of an issue's message, and of its path. Both may quote the input. */
const MAX_ISSUE = 1_000;

const HOW =
  "Pass JSON Schema of an object, a schema that carries JSON Schema (such as one of zod 4), or { schema, parameters }.";

/** @throws InvalidInputError if the parameters have none of the three forms */
export function schemaOf(parameters: unknown, tool: string): ToolSchema {
  if (isStandard(parameters)) {
    const { jsonSchema } = parameters["~standard"];
    if (typeof jsonSchema?.input !== "function") {
      throw new InvalidInputError(
        `the schema of the tool \`${tool}\` carries no JSON Schema, which the model needs.`,
        "Pass { schema, parameters } with the JSON Schema as `parameters`.",
      );
    }
    return standard(
      parameters,
      jsonOf(tool, () => jsonSchema.input({ target: "draft-2020-12" })),
    );
  }
  if (isObject(parameters) && isStandard(parameters["schema"]))
    return standard(
      parameters["schema"],
      jsonOf(tool, () => parameters["parameters"]),
    );
  if (isObject(parameters) && Object.values(parameters).some(isStandard))
    throw new InvalidInputError(
      `the parameters of the tool \`${tool}\` are an object of schemas.`,
      "Make one schema of it: wrap it in `z.object(...)`.",
    );
  return plain(
    jsonOf(tool, () => parameters),
    tool,
    isForeign(parameters),
  );
}

function isStandard(value: unknown): value is StandardSchema {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  const props: unknown = Reflect.get(value, "~standard");
  return isObject(props) && typeof props["validate"] === "function";
}

function jsonOf(tool: string, make: () => unknown): JsonSchema {
  let json: unknown;
  try {
    const made = make();
    json = isObject(made) ? JSON.parse(JSON.stringify(made)) : made; // a copy: the validator writes into its schemas
  } catch (cause) {
    throw new InvalidInputError(
      `the schema of the tool \`${tool}\` cannot be written as JSON Schema: ${said(cause)}.`,
      "Pass { schema, parameters } with JSON Schema of your own.",
      { cause },
    );
  }
  if (
    isObject(json) &&
    (json["type"] === "object" || (json["type"] === undefined && isObject(json["properties"])))
  )
    return { ...json, type: "object" };
  const what = isObject(json)
    ? `no JSON Schema of an object: \`type\` is ${JSON.stringify(json["type"])}`
    : describe(json);
  throw new InvalidInputError(`the parameters of the tool \`${tool}\` are ${what}.`, HOW);
}

function standard(schema: StandardSchema, json: JsonSchema): ToolSchema {
  return {
    json,
    check: async (input) => {
      const result = await schema["~standard"].validate(input);
      if (!result.issues)
        return isObject(result.value)
          ? { input: result.value }
          : { issues: [{ path: "", message: "the output of the schema is not an object" }] };
      return told(result.issues, ({ message, path = [] }) => ({ message, path: path.map(keyOf).join(".") }));
    },
  };
}

function told<Found>(all: readonly Found[], issueOf: (found: Found) => Issue): { issues: readonly Issue[] } {
  const issues = all.slice(0, MAX_ISSUES).map((found) => {
    const { path, message } = issueOf(found);
    return { message: message.slice(0, MAX_ISSUE), path: path.slice(0, MAX_ISSUE) };
  });
  const more = all.length - issues.length;
  return { issues: more > 0 ? [...issues, { message: `and ${more} more`, path: "" }] : issues };
}

function keyOf(step: unknown): string {
  return String(isObject(step) ? step["key"] : step);
}

/** @throws InvalidInputError for an unusable JSON Schema */
function plain(json: JsonSchema, tool: string, withoutPatterns: boolean): ToolSchema {
  const schema: Schema = withoutPatterns ? JSON.parse(JSON.stringify(json)) : json;
  const known: Record<string, Schema | boolean> = Object.create(null);
  const validated = (value: unknown, limit: number) =>
    validate(value, schema, "2020-12", counted(known, limit), false);
  try {
    assertKeywords(json);
    dereference(schema, cappedMap(known));
    for (const each of Object.values(known)) assertUsable(each, known);
    if (withoutPatterns) dropPatterns(Object.values(known));
    validated({}, MAX_TRIAL); // detects a schema that only refers to itself
  } catch (cause) {
    throw new InvalidInputError(
      `the JSON Schema of the tool \`${tool}\` cannot be used: ${said(cause)}.`,
      "Correct it; references must lead to its own `$defs`.",
      { cause },
    );
  }
  return {
    json,
    check: (given) => {
      const input = shaped(json, given);
      let result: ReturnType<typeof validated>;
      try {
        result = validated(input, MAX_REFERRED);
      } catch (cause) {
        return { issues: [{ path: "", message: `it cannot be checked: ${said(cause)}` }] };
      }
      const { valid, errors } = result;
      if (valid && isObject(input)) return { input };
      const deepest = errors.filter(
        ({ keyword }) => keyword !== "properties" && keyword !== "items" && keyword !== "$ref",
      );
      return told(deepest.length > 0 ? deepest : errors, ({ instanceLocation, error }) => ({
        path: instanceLocation.replace(/^#\/?/, "").replaceAll("/", "."),
        message: error,
      }));
    },
  };
}

const TYPES: ReadonlySet<unknown> = new Set([
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
]);

const isText = (value: unknown): boolean => typeof value === "string";
const isSchema = (value: unknown): boolean => isObject(value) || typeof value === "boolean";
const isMap = (value: unknown): boolean => isObject(value) && Object.values(value).every(isSchema);
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isSchema);

/** Checks of the keywords that often have mistakes. */
const KEYWORDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => (Array.isArray(value) ? value : [value]).every((each) => TYPES.has(each)),
  properties: isMap,
  $defs: isMap,
  required: (value) => Array.isArray(value) && value.every(isText),
  items: (value) => isSchema(value) || isList(value),
  additionalProperties: isSchema,
  enum: Array.isArray,
  allOf: isList,
  anyOf: isList,
  oneOf: isList,
};

/** @throws Error for an invalid keyword. The validator itself would fail only at a call. */
function assertKeywords(schema: unknown): void {
  if (!isObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema))
    if (KEYWORDS[keyword]?.(value) === false)
      throw new Error(`\`${keyword}\` is ${JSON.stringify(value).slice(0, QUOTED)}`);
  const {
    properties = {},
    $defs = {},
    items,
    additionalProperties,
    allOf = [],
    anyOf = [],
    oneOf = [],
  } = schema;
  for (const each of [properties, $defs, allOf, anyOf, oneOf])
    Object.values(each as object).forEach(assertKeywords);
  for (const each of [items, additionalProperties].flat()) assertKeywords(each);
}

/** @throws Error for an invalid pattern or reference. The validator itself would fail only at a call. */
function assertUsable(schema: Schema | boolean, known: Readonly<Record<string, unknown>>): void {
  if (typeof schema === "boolean") return;
  if (schema.$recursiveRef !== undefined) throw new Error("`$recursiveRef` is not supported; use `$ref`");
  const { pattern, patternProperties = {}, $ref, __absolute_ref__: target = $ref } = schema;
  for (const each of [pattern, ...Object.keys(patternProperties)])
    if (each !== undefined) new RegExp(each, "u"); // throws if invalid
  if (target !== undefined && known[target] === undefined)
    throw new Error(`the reference \`${$ref}\` leads nowhere`);
}

/** Copies an input, adds the schema's defaults, and drops unlisted fields. */
function shaped(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  const { properties, items, additionalProperties, patternProperties } = schema;
  if (Array.isArray(value)) return isObject(items) ? value.map((item) => shaped(items, item)) : value;
  if (!isObject(value) || !isObject(properties)) return value;
  const isOpen =
    additionalProperties === true || isObject(additionalProperties) || isObject(patternProperties);
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) define(result, name, shaped(properties[name], field));
    else if (isOpen) define(result, name, field);
  }
  for (const [name, field] of Object.entries(properties)) {
    if (!Object.hasOwn(result, name) && isObject(field) && field["default"] !== undefined)
      define(result, name, field["default"]);
  }
  return result;
}

/** Sets an own field of any name, even `__proto__`. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}
