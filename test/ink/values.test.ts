import { expect, test } from "vitest";
import { readable } from "../../src/ink/parts/values.ts";

test.each([
  [{ command: "ls", "file.path-1": 2, größe: true }, "command: ls\nfile.path-1: 2\ngröße: true"],
  [{ "x: 1\ncommand": "rm" }, '"x: 1\\ncommand": rm'],
  [{ "two words": "a\nb", "": 1 }, '"two words":\na\nb\n"": 1'],
  ["as it is", "as it is"],
  [[1], "[\n  1\n]"],
  [null, ""],
])("%j is read as %j", (value, text) => {
  expect(readable(value)).toBe(text);
});
