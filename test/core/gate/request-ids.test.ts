import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestIds } from "../../../src/core/gate/request-ids.ts";

const made = (natives: readonly string[]): readonly string[] => {
  const ids = new RequestIds();
  return natives.map((native) => ids.make(native));
};

test("a request keeps the server's id, and a repeated id gets a number", () => {
  expect(made(["a", "a", "b", "a", "b"])).toEqual(["a", "a~2", "b", "a~3", "b~2"]);
});

test("a server's id that looks numbered gets a number too", () => {
  expect(made(["a~2", "a", "a", "a~2", "~1"])).toEqual(["a~2~2", "a", "a~2", "a~2~3", "~1~2"]);
});

test("ids are unique, whatever ids the server uses", () => {
  const native = fc.oneof(
    fc.constantFrom("a", "a~2", "a~3", "a~2~2", "", "~", "~2"),
    fc.stringMatching(/^[a~]{0,3}[0-9]{0,2}$/),
    fc.nat(6_000).map((n) => `other-${n}`),
  );
  fc.assert(
    fc.property(fc.array(native, { maxLength: 8_000, size: "max" }), (natives) => {
      expect(new Set(made(natives)).size).toBe(natives.length);
    }),
    { seed: 28, numRuns: 30 },
  );
});

test("ids are unique after thousands of others, even if the server guesses the numbered form", () => {
  const others = Array.from({ length: 6_000 }, (_, at) => `other-${at}`);
  const natives = ["mcp_shell", ...others, "new", "new", "new~2", "new~3", "mcp_shell", ...others];
  expect(new Set(made(natives)).size).toBe(natives.length);
});

test("a long id is not remembered, and gets a number at once", () => {
  const long = "x".repeat(201);
  expect(made([long, long])).toEqual([`${long}~2`, `${long}~3`]);
});
