import fc from "fast-check";
import { common, createLowlight } from "lowlight";
import { describe, expect, it } from "vitest";
import { highlightWith } from "../../src/screens/highlight.ts";

const lowlight = createLowlight(common);
const highlight = highlightWith(lowlight);

const sketchOf = (code: string, language: string): string | undefined =>
  highlight(code, language)
    ?.map(({ text, kind }) => (kind === "plain" ? text : `${kind}(${text})`))
    .join("");

describe("highlighted code", () => {
  it("has the kinds of its pieces", () => {
    expect(sketchOf('const a = "b"; // c', "ts")).toBe('keyword(const) a = string("b"); comment(// c)');
    expect(sketchOf("class A extends B {}", "js")).toBe("keyword(class) type(A) keyword(extends) type(B) {}");
    expect(sketchOf("def f(x):\n  return 5", "PYTHON")).toBe(
      "keyword(def) name(f)(x):\n  keyword(return) number(5)",
    );
    expect(sketchOf("`a \u0024{b} c`", "js")).toBe("string(`a )\u0024{b}string( c`)");
  });

  it("is the same text in all common languages", () => {
    const code = fc.string({ unit: fc.constantFrom(..."abc \n\t(){}[]<>\"'`$#/*-+=.;:&\\0123é😀") });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(common)), code, (language, text) => {
        const pieces = highlight(text, language);
        expect(pieces?.map((piece) => piece.text).join("")).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it.each(["", "no-such-language", "constructor", "__proto__"])("is plain in the language %j", (language) => {
    expect(highlight("a", language)).toBeUndefined();
  });

  it("is plain above the limit", () => {
    expect(highlight("a".repeat(20_000), "js")).toBeDefined();
    expect(highlight("a".repeat(20_001), "js")).toBeUndefined();
  });

  it("is plain if the instance fails, or changes the text", () => {
    const failing = (tree: () => never[] | { type: string; value: string }[]) =>
      highlightWith({ registered: () => true, highlight: () => ({ children: tree() }) })("a", "js");
    expect(
      failing(() => {
        throw new Error("a bad grammar");
      }),
    ).toBeUndefined();
    expect(failing(() => [{ type: "text", value: "b" }])).toBeUndefined();
    expect(failing(() => [{ type: "text", value: "a" }])).toEqual([{ text: "a", kind: "plain" }]);
  });

  it("is plain if it is nested very deeply", () => {
    let node: { type: string; value?: string; children?: (typeof node)[] } = { type: "text", value: "a" };
    for (let level = 0; level < 300; level += 1) node = { type: "element", children: [node] };
    const deep = highlightWith({ registered: () => true, highlight: () => ({ children: [node] }) });
    expect(deep("a", "js")).toBeUndefined();
  });
});
