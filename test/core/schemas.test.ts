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

describe("an optional field without effect on the message's meaning", () => {
  test.each(absent)("may be missing or null, and stays unchanged: $given", ({ given }) => {
    expect(read(optional(z.string()), given)).toEqual(given);
  });

  test("is parsed by its schema", () => {
    const doubled = z.pipe(
      z.number(),
      z.transform((value: number) => value * 2),
    );
    expect(read(optional(doubled), { field: 2 })).toEqual({ field: 4 });
  });

  test.each([7, "", {}, []])("counts as missing if it is invalid: %j", (field) => {
    expect(read(optional(z.boolean()), { field })).toEqual({ field: undefined });
  });
});

describe("an optional field that affects the message's meaning", () => {
  test.each(absent)("may be missing or null: $given", ({ given }) => {
    expect(read(nullish(z.string()), given)).toEqual(given);
  });

  test("is parsed by its schema, and makes its message invalid if it is invalid", () => {
    expect(read(nullish(z.string()), { field: "a" })).toEqual({ field: "a" });
    expect(read(nullish(z.string()), { field: 7 })).toBe("refused");
  });
});

describe("a message", () => {
  const schemas = { pong: z.object({ type: literal("pong"), at: z.number() }) };
  const said = (problem: string | undefined): string => problem ?? "unknown";

  test("is parsed by the schema of its type", () => {
    const message = { type: "pong", at: 1 };
    expect(readByType(schemas, "pong", message, said)).toEqual(message);
  });

  test("with invalid fields is reported with their names", () => {
    expect(readByType(schemas, "pong", { type: "pong", at: "now" }, said)).toBe("pong: wrong or missing at");
  });

  test.each(["ping", "constructor"])("of the unknown type %s is reported without a problem", (type) => {
    expect(readByType(schemas, type, { type }, said)).toBe("unknown");
  });
});
