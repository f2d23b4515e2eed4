import { describe, expect, test } from "vitest";
import { fieldIssues } from "../../src/testing/shape.ts";

const SHAPES = { part: "type:text|image size?:whole" };

/** The path and the wanted type of each issue. */
const issuesOf = (value: object, shape: string) =>
  fieldIssues({ ...value }, shape, SHAPES).map(({ path, expected }) => `${path.join(".")}: ${expected}`);

describe("a shape finds", () => {
  test.each<[what: string, shape: string, value: object, issues: readonly string[]]>([
    ["a field that is missing", "a:string b?:string", {}, ["a: string"]],
    ["a field of another type", "a:string", { a: 1 }, ["a: string"]],
    ["null where it is not allowed", "a?:string b:string|null", { a: null, b: null }, ["a: string"]],
    ["a text outside the allowed words", "a:open|closed", { a: "ajar" }, ["a: open|closed"]],
    ["an empty text", "a:filled b:string", { a: "", b: "" }, ["a: filled"]],
    [
      "a number that is fractional or negative",
      "a:whole b:amount",
      { a: 1.5, b: -1 },
      ["a: whole", "b: amount"],
    ],
    ["an invalid time", "a:moment b:moment", { a: "2026-03-14T10:00:00Z", b: "now" }, ["b: moment"]],
    ["a value that is not a list", "a:string[]", { a: "b" }, ["a: array"]],
    ["an item of a list", "a:string[]", { a: ["b", 1] }, ["a.1: string"]],
    [
      "a nested field",
      "a:part[]",
      { a: [{ type: "text", size: -1 }, 5] },
      ["a.0.size: whole", "a.1: object"],
    ],
    ["no problem in extra fields", "", { a: 1 }, []],
    ["that a prototype's field is missing", "toString:string", {}, ["toString: string"]],
  ])("%s", (_what, shape, value, issues) => {
    expect(issuesOf(value, shape)).toEqual(issues);
  });
});
