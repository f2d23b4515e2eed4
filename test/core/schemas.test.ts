import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { literal, nullish, optional, readByType } from "../../src/core/schemas.ts";

const read = (schema: z.ZodMiniType, value: object): unknown => {
  const result = z.object({ field: schema }).safeParse(value);
  return result.success ? result.data : "refused";
};

const absent: readonly { given: object }[] = [
  { given: {} },
  { given: { field: undefined } },
  { given: { field: null } },
];

describe("a field that decides on nothing", () => {
  test.each(absent)("may be missing or null, and stays what it is: $given", ({ given }) => {
    expect(read(optional(z.string()), given)).toEqual(given);
  });

  test("is read as its schema has it", () => {
    const doubled = z.pipe(
      z.number(),
      z.transform((value: number) => value * 2),
    );
    expect(read(optional(doubled), { field: 2 })).toEqual({ field: 4 });
  });

  test.each([7, "", {}, []])("counts as missing when it is wrong: %j", (field) => {
    expect(read(optional(z.boolean()), { field })).toEqual({ field: undefined });
  });
});

describe("a field that decides on its message", () => {
  test.each(absent)("may be missing or null: $given", ({ given }) => {
    expect(read(nullish(z.string()), given)).toEqual(given);
  });

  test("is read as its schema has it, and refuses its message when it is wrong", () => {
    expect(read(nullish(z.string()), { field: "a" })).toEqual({ field: "a" });
    expect(read(nullish(z.string()), { field: 7 })).toBe("refused");
  });
});

describe("a message", () => {
  const schemas = { pong: z.object({ type: literal("pong"), at: z.number() }) };
  const said = (problem: string | undefined): string => problem ?? "unknown";

  test("is read by the schema of its type", () => {
    const message = { type: "pong", at: 1 };
    expect(readByType(schemas, "pong", message, said)).toEqual(message);
  });

  test("whose fields are wrong is told with their names", () => {
    expect(readByType(schemas, "pong", { type: "pong", at: "now" }, said)).toBe("pong: wrong or missing at");
  });

  test.each(["ping", "constructor"])("of the type %s, which nobody knows, has no problem to tell", (type) => {
    expect(readByType(schemas, type, { type }, said)).toBe("unknown");
  });
});
