// Checks whether a value has the shape of an event.
import { describe, isObject } from "../../core/checks.ts";
import type { UniversalEvent } from "../events.ts";
import { event, type Form, type Forms } from "../shapes.ts";

/**
 * Returns why a value is not an event: a field is missing, has a wrong type, or has a value that is not in its closed
 * list. Unknown fields are allowed.
 */
export function shapeProblem(value: unknown): string | undefined {
  const problem = problemOf(event, value);
  return problem?.startsWith(".") ? problem.slice(1) : problem && `The event${problem}`;
}

/** Whether a value is an event: all required fields have the right types. Unknown fields are allowed. */
export function isUniversalEvent(value: unknown): value is UniversalEvent {
  return hasForm(event, value);
}

/** Whether a value has a form. `T`: the type that the form describes. */
export function hasForm<T>(form: Form, value: unknown): value is T {
  return problemOf(form, value) === undefined;
}

/** The problem of a value, with a path, such as `.item.status is missing`. Undefined if there is none. */
function problemOf(form: Form, value: unknown): string | undefined {
  if (value === undefined) return " is missing";
  switch (form.kind) {
    case "null-or":
      return value === null ? undefined : problemOf(form.of, value);
    case "list":
      return Array.isArray(value) ? listProblem(form.of, value) : wrong(value, "an array");
    case "object":
      return isObject(value) ? fieldProblem(form.fields, value) : wrong(value, "an object");
    case "tagged": {
      if (!isObject(value)) return wrong(value, "an object");
      const { type } = value;
      const chosen =
        typeof type === "string" && Object.hasOwn(form.types, type) ? form.types[type] : undefined;
      if (chosen) return problemOf(chosen, value);
      const names = `one of: ${Object.keys(form.types).join(", ")}`;
      return type === undefined ? ".type is missing" : `.type${wrong(type, names)}`;
    }
    case "any":
      return undefined;
    case "true":
      return value === true ? undefined : wrong(value, "true");
    case "boolean":
      return typeof value === "boolean" ? undefined : wrong(value, "true or false");
    case "number":
      return Number.isFinite(value) ? undefined : wrong(value, "a number");
    case "whole": {
      const { min = Number.NEGATIVE_INFINITY } = form;
      const fits = typeof value === "number" && Number.isSafeInteger(value) && value >= min;
      return fits
        ? undefined
        : wrong(value, Number.isFinite(min) ? `a whole number from ${min}` : "a whole number");
    }
    case "string":
      if (typeof value !== "string") return wrong(value, form.expects ?? "a string");
      return form.pattern === undefined || form.pattern.test(value)
        ? undefined
        : wrong(value, form.expects ?? "another text");
    case "word":
      return typeof value === "string" && form.words.includes(value)
        ? undefined
        : wrong(value, form.words.map((each) => `"${each}"`).join(" or "));
    default:
      return form satisfies never;
  }
}

/** Stops at the first wrong entry: a sparse array may claim to have billions of entries. */
function listProblem(of: Form, values: readonly unknown[]): string | undefined {
  for (let at = 0; at < values.length; at++) {
    const problem = problemOf(of, values[at]);
    if (problem !== undefined) return `[${at}]${problem}`;
  }
  return undefined;
}

function fieldProblem(fields: Forms, value: Readonly<Record<string, unknown>>): string | undefined {
  for (const name in fields) {
    const form = fields[name];
    const field = value[name];
    if (!form || (field === undefined && form.isOptional)) continue;
    const problem = problemOf(form, field);
    if (problem !== undefined) return `.${name}${problem}`;
  }
  return undefined;
}

/** Characters of a wrong value that a message quotes. */
const QUOTED = 40;

function wrong(value: unknown, expects: string): string {
  const found = typeof value === "string" ? JSON.stringify(value.slice(0, QUOTED)) : describe(value);
  return ` is ${found}: it must be ${expects}`;
}
