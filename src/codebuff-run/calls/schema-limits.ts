// What a tool's JSON Schema may cost to check; patterns of foreign schemas never run.
import type { Schema } from "@cfworker/json-schema";
import { isObject } from "../../core/checks.ts";

/**
 * Characters of schemas that the references of one check may lead to. References that lead to two others each double the work with every
 * level, so a small schema could take hours.
 */
export const MAX_REFERRED = 5_000_000;

/** The same, for the trial of a schema with an empty object, which few references apply to. A folder may have many schemas. */
export const MAX_TRIAL = 200_000;

/** Schemas within one, also counted twice: the validator reads those below an `$id` twice, which doubles with every level. */
const MAX_SCHEMAS = 20_000;

/** On a schema that is not the caller's. A name of all bundles: the loader of files is in another one. */
const FOREIGN = Symbol.for("agentwire.foreign-schema");

/** The keywords that go from the checks of a foreign schema with patterns: without the patterns, the others would refuse what fits. */
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

/** Marks a schema that was read from a file or a server: its patterns, which could block this process, are never run. */
export function markForeign(schema: unknown): void {
  if (isObject(schema)) Object.defineProperty(schema, FOREIGN, { value: true });
}

export function isForeign(schema: unknown): boolean {
  return isObject(schema) && Reflect.get(schema, FOREIGN) === true;
}

/** Takes what the validator finds. Throws when it is too much. */
export function limited<Known extends object>(known: Known): Known {
  let left = MAX_SCHEMAS;
  return new Proxy(known, {
    set: (target, uri, schema) => {
      if (--left < 0) throw new Error(`it has more than ${MAX_SCHEMAS} schemas`);
      return Reflect.set(target, uri, schema);
    },
  });
}

/** The schemas that references lead to, for one check. Throws when they lead to too much. */
export function counted<Known extends Readonly<Record<string, unknown>>>(known: Known, limit: number): Known {
  let left = limit;
  return new Proxy(known, {
    get: (_, uri: string) => {
      const schema = known[uri];
      left -= JSON.stringify(schema)?.length ?? 0;
      if (left < 0) throw new Error("its references lead to too much");
      return schema;
    },
  });
}

export function dropPatterns(schemas: readonly (Schema | boolean)[]): void {
  const all = schemas.filter(isObject);
  if (!all.some((each) => "pattern" in each || "patternProperties" in each)) return;
  for (const each of all) {
    if ("patternProperties" in each) delete each["additionalProperties"]; // those that no pattern names
    for (const keyword of WITH_PATTERNS) delete each[keyword];
  }
}
