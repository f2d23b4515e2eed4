// Checks values as pydantic does, with its error texts.
import { type Dict, isDict } from "../server/dict.ts";
import { pythonInteger } from "../server/python-json-parse.ts";
import { pythonRepr, pythonTypeName } from "../server/python-repr.ts";

/** One line of a pydantic report. */
export interface Issue {
  /** Where: `data.PromptAction.promptId`. */
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly input: unknown;
}

/** Says what is wrong with a value; nothing, if it is valid. */
export type Check = (input: unknown, path: string) => readonly Issue[];

export const text: Check = (input, path) =>
  typeof input === "string"
    ? []
    : [{ path, type: "string_type", text: "Input should be a valid string", input }];

export const dict: Check = (input, path) =>
  isDict(input) ? [] : [{ path, type: "dict_type", text: "Input should be a valid dictionary", input }];

export function listOf(item: Check): Check {
  return (input, path) =>
    Array.isArray(input)
      ? input.flatMap((element, index) => item(element, `${path}.${index}`))
      : [{ path, type: "list_type", text: "Input should be a valid list", input }];
}

/** A sequence of any kind, in words of its own. */
export function sequenceOf(item: Check): Check {
  return (input, path) =>
    Array.isArray(input)
      ? listOf(item)(input, path)
      : [{ path, type: "is_instance_of", text: "Input should be an instance of Sequence", input }];
}

/** One of several checks by their names: what is wrong lists all of them. */
export function anyOf(checks: { readonly [name: string]: Check }): Check {
  return (input, path) => {
    const attempts = Object.entries(checks).map(([name, check]) => check(input, `${path}.${name}`));
    return attempts.some((issues) => issues.length === 0) ? [] : attempts.flat();
  };
}

/** A dictionary that is valid for a model. */
export function instanceOf(model: Model): Check {
  return (input, path) => {
    if (isDict(input)) return checkModel(model, input, `${path}.`);
    const text = `Input should be a valid dictionary or instance of ${model.name}`;
    return [{ path, type: "model_type", text, input }];
  };
}

export function nullable(check: Check): Check {
  return (input, path) => (input === null ? [] : check(input, path));
}

export function literal(expected: string): Check {
  return (input, path) =>
    input === expected ? [] : [{ path, type: "literal_error", text: `Input should be '${expected}'`, input }];
}

/** An integer in the lax mode: see {@link coerceInteger}. */
export const integer: Check = (input, path) => {
  const result = coerceInteger(input);
  return typeof result === "object" ? [{ path, input, ...result }] : [];
};

/** Any number at all. */
export const number: Check = (input, path) =>
  typeof input === "number" || typeof input === "bigint"
    ? []
    : [{ path, type: "float_type", text: "Input should be a valid number", input }];

/** The integer that pydantic makes of a value, or what it has against it. */
export function coerceInteger(
  input: unknown,
): number | bigint | { readonly type: string; readonly text: string } {
  if (typeof input === "boolean") return input ? 1 : 0;
  if (typeof input === "bigint") return input;
  if (typeof input === "string") {
    const digits = /^\s*([-+]?\d+(?:_\d+)*)(?:\.0*)?\s*$/.exec(input)?.[1];
    if (digits !== undefined) return pythonInteger(digits.replaceAll("_", ""));
    return {
      type: "int_parsing",
      text: "Input should be a valid integer, unable to parse string as an integer",
    };
  }
  if (typeof input !== "number") return { type: "int_type", text: "Input should be a valid integer" };
  if (!Number.isFinite(input)) return { type: "finite_number", text: "Input should be a finite number" };
  if (Number.isInteger(input)) return Number.isSafeInteger(input) ? input : BigInt(input);
  return {
    type: "int_from_float",
    text: "Input should be a valid integer, got a number with a fractional part",
  };
}

/** A pydantic model: named fields, checked in their order; unknown ones are ignored, unless it is closed. */
export interface Model {
  readonly name: string;
  readonly fields: readonly Field[];
  /** Whether other fields are refused. @default false */
  readonly closed?: boolean;
}

export interface Field {
  readonly name: string;
  readonly check: Check;
  readonly required: boolean;
}

export function required(name: string, check: Check): Field {
  return { name, check, required: true };
}

export function optional(name: string, check: Check): Field {
  return { name, check, required: false };
}

/** Checks a dictionary against a model; `prefix` ends in a dot when it is not empty. */
export function checkModel(model: Model, input: Dict, prefix = ""): readonly Issue[] {
  const issues = model.fields.flatMap(({ name, check, required }) => {
    const path = prefix + name;
    if (Object.hasOwn(input, name) && input[name] !== undefined) return check(input[name], path);
    return required ? [{ path, type: "missing", text: "Field required", input }] : [];
  });
  if (!model.closed) return issues;
  const names = model.fields.map(({ name }) => name);
  const others = Object.entries(input).filter(([name]) => !names.includes(name));
  const text = "Extra inputs are not permitted";
  return [
    ...issues,
    ...others.map(([name, value]) => ({ path: prefix + name, type: "extra_forbidden", text, input: value })),
  ];
}

/** One of several models: what is wrong lists all of them, each under its name. */
export function unionOf(models: readonly Model[]): Check {
  return (input, path) => {
    const attempts = models.map((model) => instanceOf(model)(input, `${path}.${model.name}`));
    return attempts.some((issues) => issues.length === 0) ? [] : attempts.flat();
  };
}

/** The text of a `ValidationError`. */
export function report(modelName: string, issues: readonly Issue[]): string {
  const head = `${issues.length} validation error${issues.length === 1 ? "" : "s"} for ${modelName}`;
  return [head, ...issues.map(reportIssue)].join("\n");
}

function reportIssue({ path, type, text, input }: Issue): string {
  const value = shorten(pythonRepr(input));
  return [
    path,
    `  ${text} [type=${type}, input_value=${value}, input_type=${pythonTypeName(input)}]`,
    `    For further information visit https://errors.pydantic.dev/2.13/v/${type}`,
  ].join("\n");
}

/** Above 50 UTF-8 bytes, pydantic shows the first 25 and the last 24, whole characters only. */
function shorten(repr: string): string {
  const bytes = new TextEncoder().encode(repr);
  if (bytes.length <= 50) return repr;
  const continues = (index: number) => ((bytes[index] ?? 0) & 0xc0) === 0x80;
  let headEnd = 25;
  while (continues(headEnd)) headEnd--;
  let tailStart = bytes.length - 24;
  while (continues(tailStart)) tailStart++;
  const decoder = new TextDecoder();
  return `${decoder.decode(bytes.subarray(0, headEnd))}...${decoder.decode(bytes.subarray(tailStart))}`;
}
