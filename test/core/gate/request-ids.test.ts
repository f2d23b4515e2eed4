import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestIds } from "../../../src/core/gate/request-ids.ts";

const made = (natives: readonly string[]): readonly string[] => {
  const ids = new RequestIds();
  return natives.map((native) => ids.make(native));
};

test("an id is the server's own the first time, and the server's own with a number when it comes again", () => {
  expect(made(["a", "a", "b", "a", "b"])).toEqual(["a", "a~2", "b", "a~3", "b~2"]);
});

test("an id of the server that looks like one with a number gets a number too", () => {
  expect(made(["a~2", "a", "a", "a~2", "~1"])).toEqual(["a~2~2", "a", "a~2", "a~2~3", "~1~2"]);
});

test("no id comes twice, whatever the server calls its requests", () => {
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

test("no id comes twice after thousands of others, nor one that was guessed from the running number", () => {
  const others = Array.from({ length: 6_000 }, (_, at) => `other-${at}`);
  const natives = ["mcp_shell", ...others, "new", "new", "new~2", "new~3", "mcp_shell", ...others];
  expect(new Set(made(natives)).size).toBe(natives.length);
});

test("a long id is not remembered, and gets a number at once", () => {
  const long = "x".repeat(201);
  expect(made([long, long])).toEqual([`${long}~2`, `${long}~3`]);
});
