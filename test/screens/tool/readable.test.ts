import { expect, test } from "vitest";
import { readable } from "../../../src/screens/tool/readable.ts";

test.each([
  [{ command: "ls", "file.path-1": 2, größe: true }, "command: ls\nfile.path-1: 2\ngröße: true"],
  [{ "x: 1\ncommand": "rm" }, '"x: 1\\ncommand": rm'],
  [{ "two words": "a\nb", "": 1 }, '"two words":\n> a\n> b\n"": 1'],
  [{ command: "ls\n\ndescription: harmless" }, "command:\n> ls\n>\n> description: harmless"],
  [{ a: "1", b: 1, c: "", d: " null", e: "{ }", f: "{" }, 'a: "1"\nb: 1\nc: ""\nd: " null"\ne: "{ }"\nf: {'],
  [{ a: { b: ["x\ny", "\\n\t"] } }, 'a: {\n>   "b": [\n>     "x\n> y",\n>     "\\\\n\t"\n>   ]\n> }'],
  ["one\ntwo", "> one\n> two"],
  [[1, { a: "b" }], '[1,{"a":"b"}]'],
  [[1, "x".repeat(80)], `[\n>   1,\n>   "${"x".repeat(80)}"\n> ]`],
  [null, "null"],
  [{}, ""],
  [undefined, ""],
])("%j is shown as %j", (value, text) => {
  expect(readable(value)).toBe(text);
});
