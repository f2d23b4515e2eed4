import { describe, expect, it } from "vitest";
import { markdownReader } from "../../../src/screens/markdown/reader.ts";
import { shownOf, sketchOf } from "../support/sketch.ts";

describe("what is shown of a text that still comes", () => {
  it.each([
    // Marks without their other half are closed
    ["a **bol", "p[a b(bol)]"],
    ["a *it", "p[a i(it)]"],
    ["a ***bo", "p[a i(b(bo))]"],
    ["a ~~go", "p[a s(go)]"],
    ["a `co", "p[a c(co)]"],
    ["a ``co`", "p[a c(co)]"],
    ["**a *b", "p[b(a i(b))]"],
    ["# a **b", "h1[a b(b)]"],
    ["> a *b", "q(p[a i(b)])"],
    ["- a *b", "ul(p[a i(b)])"],
    // A mark that is half typed is not shown
    ["a **", "p[a ]"],
    ["**bold*", "p[b(bold)]"],
    ["**bold**", "p[b(bold)]"],
    ["a `", "p[a ]"],
    ["a\\", "p[a]"],
    ["*", ""],
    ["``", ""],
    ["##", ""],
    // What is rather no mark stays
    ["2*3", "p[2*3]"],
    ["about ~5 min", "p[about ~5 min]"],
    ["a [b", "p[a [b]"],
    // Links
    ["[a](https://b", "p[a]"],
    ["see [*a*](", "p[see i(a)]"],
    ["![alt](data:image/png;base64,AA", "p[alt]"],
    // Blocks
    ["```", "code[]"],
    ["```ts\nlet a", "code:ts[let a]"],
    ["```ts\nlet a\n", "code:ts[let a]"],
    ["```ts\nlet a\n``", "code:ts[let a]"],
    ["text\n--", "p[text]"],
    ["text\n=", "p[text]"],
    ["text\n-", "p[text]"],
    ["- [x] don", "ul(x:p[don])"],
    ["- [x]", "ul(x:)"],
    ["1", "p[1]"],
    ["1. one", "ol1(p[one])"],
    // Tables
    ["| a | b |", "p[| a | b |]"],
    ["| a | b |\n|--", "p[| a | b |]"],
    ["| a | b |\n|--|--", "p[| a | b |]"],
    ["| a | b |\n|--|--|\n", "t:--[a|b]"],
    ["| a | b |\n|--|--|\n| 1 | **2", "t:--[a|b / 1|b(2)]"],
  ])("%j is %s", (text, sketch) => {
    expect(sketchOf(shownOf(text))).toBe(sketch);
  });

  it("settles a block as soon as nothing can change it", () => {
    const reader = markdownReader();
    const settledAfter = (text: string): string => {
      reader.push(text);
      return sketchOf(reader.settled);
    };
    expect(settledAfter("# a")).toBe("");
    expect(settledAfter("\n")).toBe("h1[a]");
    expect(settledAfter("b\n")).toBe("h1[a]");
    expect(settledAfter("\n")).toBe("h1[a] p[b]");
    expect(settledAfter("```\nc\n```")).toBe("h1[a] p[b]");
    expect(settledAfter("\n")).toBe("h1[a] p[b] code[c]");
    expect(settledAfter("- d\n\n")).toBe("h1[a] p[b] code[c]");
    expect(settledAfter("e\n")).toBe("h1[a] p[b] code[c] ul(p[d])");
  });

  it("keeps the array of settled blocks, and gives the same `open` until more text comes", () => {
    const reader = markdownReader();
    const { settled } = reader;
    reader.push("a\n\nb");
    const { open } = reader;
    expect(reader.open).toBe(open);
    reader.push("");
    expect(reader.open).toBe(open);
    reader.push("c");
    expect(reader.open).not.toBe(open);
    expect(sketchOf(reader.open)).toBe("p[bc]");
    expect(reader.settled).toBe(settled);
  });

  it("has nothing open after the end", () => {
    const reader = markdownReader();
    reader.push("a **b");
    reader.end();
    expect(reader.open).toEqual([]);
    expect(sketchOf(reader.settled)).toBe("p[a **b]");
  });
});
