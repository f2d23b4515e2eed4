// Limits the cost of checking a tool's JSON Schema. Patterns of foreign schemas never run.
import type { Schema } from "@cfworker/json-schema";
import { isObject } from "../../core/checks.ts";

/** Characters of schemas that one check may reach by references. Each level of references can double them. */
export const MAX_REFERRED = 5_000_000;

/** The same limit for the trial with an empty object. A folder may hold many schemas. */
export const MAX_TRIAL = 200_000;

/** Nested schemas, including duplicates: the validator reads schemas below an `$id` twice per level. */
const MAX_SCHEMAS = 20_000;

/** Marks a foreign schema. A global symbol: `loadAgents` is in another bundle. */
const FOREIGN = Symbol.for("agentwire.foreign-schema");

/** Keywords that are dropped with the patterns. They would reject valid inputs without the patterns. */
const WITH_PATTERNS = [
  "pattern",
  "patternProperties",
  "not",
  "oneOf",
  "if",
  "contains",
  "unevaluatedProperties",
  "unevaluatedItems",
] as const;

/** Marks a schema from a file or a server. Its patterns could block this process, so they never run. */
export function markForeign(schema: unknown): void {
  if (isObject(schema)) Object.defineProperty(schema, FOREIGN, { value: true });
}

export function isForeign(schema: unknown): boolean {
  return isObject(schema) && Reflect.get(schema, FOREIGN) === true;
}

/** Wraps the map that the validator fills. The map throws above the limit. */
export function cappedMap<Known extends object>(known: Known): Known {
  let left = MAX_SCHEMAS;
  return new Proxy(known, {
    set: (target, uri, schema) => {
      if (--left < 0) throw new Error(`it has more than ${MAX_SCHEMAS} schemas`);
      return Reflect.set(target, uri, schema);
    },
  });
}

/** Wraps the map of referenced schemas for one check. The map throws above the limit. */
export function counted<Known extends Readonly<Record<string, unknown>>>(known: Known, limit: number): Known {
  let left = limit;
  return new Proxy(known, {
    get: (_, uri: string) => {
      const schema = known[uri];
      left -= JSON.stringify(schema)?.length ?? 0;
      if (left < 0) throw new Error("its references expand to too many characters");
      return schema;
    },
  });
}

export function dropPatterns(schemas: readonly (Schema | boolean)[]): void {
  const all = schemas.filter(isObject);
  if (!all.some((each) => "pattern" in each || "patternProperties" in each)) return;
  for (const each of all) {
    if ("patternProperties" in each) delete each["additionalProperties"]; // without patterns, it would reject valid fields
    for (const keyword of WITH_PATTERNS) delete each[keyword];
  }
}
