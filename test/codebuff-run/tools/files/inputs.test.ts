import { expect, test } from "vitest";
import { HANDLED } from "../../../../src/codebuff-run/calls/builtins.ts";
import { schemaOf } from "../../../../src/codebuff-run/calls/tool-schema.ts";

const check = (name: "str_replace" | "read_files", input: object) =>
  schemaOf(HANDLED[name].parameters, name).check(input);

test.each([[{ old: "a", new: "" }], [{ oldString: "a", newString: "" }]])(
  "str_replace takes %j",
  async (replacement) => {
    expect(await check("str_replace", { path: "a", replacements: [replacement] })).toEqual({
      input: { path: "a", replacements: [{ ...replacement, allowMultiple: false }] },
    });
  },
);

test.each([
  [{ old: "", new: "b" }],
  [{ oldString: "", newString: "b" }],
  [{ old: "a" }],
  [{ old: "a", newString: "b" }],
  [{}],
])("str_replace refuses %j", async (replacement) => {
  expect(await check("str_replace", { path: "a", replacements: [replacement] })).toHaveProperty("issues");
});

test.each([["a"], [{ path: "a" }], [{ path: "a", offset: 1, limit: 1 }]])(
  "read_files takes %j",
  async (part) => {
    expect(await check("read_files", { paths: [part] })).toEqual({ input: { paths: [part] } });
  },
);

test.each([[""], [{ path: "" }], [{ path: "a", offset: 0 }], [{ path: "a", limit: 1.5 }], [1]])(
  "read_files refuses %j",
  async (part) => {
    expect(await check("read_files", { paths: [part] })).toHaveProperty("issues");
  },
);
