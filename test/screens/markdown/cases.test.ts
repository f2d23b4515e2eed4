import { describe, expect, it } from "vitest";
import type { MarkdownBlock } from "../../../src/screens/markdown/blocks.ts";
import { markdownReader } from "../../../src/screens/markdown/reader.ts";
import { inlineSketch, settledOf, sketchOf } from "../support/sketch.ts";

type Cases = readonly (readonly [markdown: string, sketch: string])[];

function promises(title: string, cases: Cases): void {
  describe(title, () => {
    it.each(cases)("%j is %s", (markdown, sketch) => {
      expect(sketchOf(settledOf(markdown))).toBe(sketch);
    });
  });
}

promises("headings", [
  ["# one", "h1[one]"],
  ["###### six", "h6[six]"],
  ["####### seven", "p[####### seven]"],
  ["#none", "p[#none]"],
  ["#", "h1[]"],
  ["  ## two ##  ", "h2[two]"],
  ["# C#", "h1[C#]"],
  ["# a *b* `c`", "h1[a i(b) c(c)]"],
  ["\\# none", "p[# none]"],
  ["text\n# one\ntext", "p[text] h1[one] p[text]"],
  ["one\n===", "h1[one]"],
  ["two\n---", "h2[two]"],
  ["two\nlines\n  -", "h2[two lines]"],
  ["    # code", "code[# code]"],
  ["===", "p[===]"],
]);

promises("paragraphs and rules", [
  ["one\ntwo", "p[one two]"],
  ["one\n\n\ntwo", "p[one] p[two]"],
  ["  one\n      two", "p[one two]"],
  ["one  \ntwo", "p[one/two]"],
  ["one\\\ntwo", "p[one/two]"],
  ["one\r\n\r\ntwo\rthree", "p[one] p[two three]"],
  ["***", "rule"],
  ["- - -", "rule"],
  [" _____ ", "rule"],
  ["--", "p[--]"],
  ["--a", "p[--a]"],
  ["one\n***\ntwo", "p[one] rule p[two]"],
  ["", ""],
  ["\n \n\t\n", ""],
]);

promises("code", [
  ["```\none\n\n two\n```", "code[one// two]"],
  ["```ts title=x\na\n```\nb", "code:ts[a] p[b]"],
  ["~~~\n```\n~~~", "code[```]"],
  ["````\n```\n````", "code[```]"],
  ["```\nnever closed", "code[never closed]"],
  ["```\n```", "code[]"],
  ["```", "code[]"],
  ["```\n\n\n```", "code[/]"],
  ["``` a`b", "p[``` a`b]"],
  ["  ```\n   one\n  two\n  ```", "code[ one/two]"],
  ["    one\n\n      two\n\n\nthree", "code[one//  two] p[three]"],
  ["\tone", "code[one]"],
  ["```\n\tone\n \ttwo\n```", "code[\tone/ \ttwo]"],
  ["- ```\n\tone\n  ```", "ul(code[  one])"],
  ["text\n    more", "p[text more]"],
  ["text\n```\ncode\n```\ntext", "p[text] code[code] p[text]"],
  ["```\n    ```\n```", "code[    ```]"],
]);

promises("quotes", [
  ["> one\n> two", "q(p[one two])"],
  ["> one\ntwo", "q(p[one two])"],
  [">one\n\n> two", "q(p[one]) q(p[two])"],
  ["> # one\n> - two", "q(h1[one] ul(p[two]))"],
  ["> > one\n> two", "q(q(p[one two]))"],
  ["> ```\n> code\ntext", "q(code[code]) p[text]"],
  [">     code", "q(code[code])"],
  [">", "q()"],
  ["text\n> one", "p[text] q(p[one])"],
  ["> one\n---", "q(p[one]) rule"],
  [">\tone", "q(p[one])"],
]);

promises("lists", [
  ["- one\n- two", "ul(p[one] ; p[two])"],
  ["* one\n\n* two", "ul(p[one] ; p[two])"],
  ["- one\n* two", "ul(p[one]) ul(p[two])"],
  ["1. one\n2. two", "ol1(p[one] ; p[two])"],
  ["3) one\n7) two", "ol3(p[one] ; p[two])"],
  ["1. one\n2) two", "ol1(p[one]) ol2(p[two])"],
  ["- one\n  - two\n    - three\n- four", "ul(p[one] ul(p[two] ul(p[three])) ; p[four])"],
  ["- one\ntwo", "ul(p[one two])"],
  ["- one\n\n  two", "ul(p[one] p[two])"],
  ["- one\n\n two", "ul(p[one]) p[two]"],
  ["- ```\n  code\n  ```", "ul(code[code])"],
  ["-     code", "ul(code[code])"],
  ["-\n  one", "ul(p[one])"],
  ["-\n\n  one", "ul() p[one]"],
  ["- one\n-\n- two", "ul(p[one] ;  ; p[two])"],
  ["-one", "p[-one]"],
  ["text\n- one", "p[text] ul(p[one])"],
  ["text\n2. one", "p[text 2. one]"],
  ["text\n1. one", "p[text] ol1(p[one])"],
  ["text\n*", "p[text *]"],
  ["1234567890. one", "p[1234567890. one]"],
  ["- > one\n  > two", "ul(q(p[one two]))"],
  ["- # one", "ul(h1[one])"],
  ["- a\n - b\n  - c", "ul(p[a] ; p[b] ; p[c])"],
  ["1. a\n\n   - b\n\n     c", "ol1(p[a] ul(p[b] p[c]))"],
  ["- [ ] open\n- [x] done\n- [X] done", "ul(o:p[open] ; x:p[done] ; x:p[done])"],
  ["- [ ]\n- [y] no\n- [ ]none", "ul(p[[ ]] ; p[[y] no] ; p[[ ]none])"],
  ["1. [x] done", "ol1(x:p[done])"],
  ["[x] no task", "p[[x] no task]"],
  ["- - - one", "ul(ul(ul(p[one])))"],
  ["- one\n\n\n- two\n\n\ntext", "ul(p[one] ; p[two]) p[text]"],
]);

promises("tables", [
  ["| a | b |\n|---|---|\n| 1 | 2 |", "t:--[a|b / 1|2]"],
  ["a | b\n:-|-:\n1 | 2", "t:lr[a|b / 1|2]"],
  ["| a |\n| :-: |", "t:c[a]"],
  ["| a | b |\n|---|", "p[| a | b | |---|]"],
  ["| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |", "t:--[a|b / 1| / 1|2 | 3]"],
  ["| a \\| b |\n|---|\n| `x \\| y` |", "t:-[a | b / c(x | y)]"],
  ["| *a* | [b](c) |\n|-|-|", "t:--[i(a)|a(c|b)]"],
  ["text\n| a |\n|---|\n| 1 |\n\ntext", "p[text] t:-[a / 1] p[text]"],
  ["| a |\n|---|\n> quote", "t:-[a] q(p[quote])"],
  ["| a |\n|---|\nplain", "t:-[a / plain]"],
  ["> | a |\n> |---|\n> | 1 |", "q(t:-[a / 1])"],
  ["a\n---", "h2[a]"],
]);

promises("emphasis", [
  ["*a* _b_ **c** __d__ ~~e~~ ~f~", "p[i(a) i(b) b(c) b(d) s(e) s(f)]"],
  ["***a***", "p[i(b(a))]"],
  ["**a *b* c**", "p[b(a i(b) c)]"],
  ["*a **b** c*", "p[i(a b(b) c)]"],
  ["*a **b***", "p[i(a b(b))]"],
  ["***a** b*", "p[i(b(a) b)]"],
  ["a*b*c", "p[ai(b)c]"],
  ["a_b_c", "p[a_b_c]"],
  ["* a *", "ul(p[a *])"],
  ["2 * 3 * 4", "p[2 * 3 * 4]"],
  ["**a", "p[**a]"],
  ["**a*", "p[*i(a)]"],
  ["*a _b* c_", "p[i(a _b) c_]"],
  ["\\*a\\*", "p[*a*]"],
  ["**a**b", "p[b(a)b]"],
  ['**"a"**b', 'p[**"a"**b]'],
  ["*a*b* c", "p[i(a)b* c]"],
  ["foo******bar*********baz", "p[foo******bar*********baz]"],
  ["~~~a~~~ b", "code:a~~~[]"],
  ["a ~~~b~~~", "p[a ~~~b~~~]"],
  ["~5 and ~10", "p[~5 and ~10]"],
  ["*foo**bar*", "p[i(foo**bar)]"],
  ["**foo*bar**", "p[b(foo*bar)]"],
  ["**中文**字", "p[b(中文)字]"],
]);

promises("code spans", [
  ["`a`", "p[c(a)]"],
  ["`` a`b ``", "p[c(a`b)]"],
  ["` `", "p[c( )]"],
  ["`a\nb`", "p[c(a b)]"],
  ["`a", "p[`a]"],
  ["``a`", "p[``a`]"],
  ["`a``b`", "p[c(a``b)]"],
  ["\\`a`", "p[`a`]"],
  ["`\\`a", "p[c(\\)a]"],
  ["*a `b*`", "p[*a c(b*)]"],
  ["`<b>` <b>", "p[c(<b>) <b>]"],
]);

promises("links and images", [
  ["[a](b)", "p[a(b|a)]"],
  ["[a](<b c> 'd')", "p[a(b c|a)]"],
  ['[a](b "c\\"d")', "p[a(b|a)]"],
  ["[a]()", "p[a(|a)]"],
  ["[a](b(c)d)", "p[a(b(c)d|a)]"],
  ["[a](b\\)c)", "p[a(b)c|a)]"],
  ["[a] (b)", "p[[a] (b)]"],
  ["[a](b c)", "p[[a](b c)]"],
  ["[a](b", "p[[a](b]"],
  ["[*a*](b)", "p[a(b|i(a))]"],
  ["*[a*](b)", "p[*a(b|a*)]"],
  ["[a [b](c)](d)", "p[[a a(c|b)](d)]"],
  ["![a *b*](c)", "p[img(c|a b)]"],
  ["[![a](b)](c)", "p[a(c|img(b|a))]"],
  ["![a [b](c)](d)", "p[img(d|a b)]"],
  ["\\[a](b)", "p[[a](b)]"],
  ["!\\[a](b)", "p[![a](b)]"],
  ["[a]\n\n[a]: b", "p[[a]] p[[a]: b]"],
  ["[`]`](a)", "p[a(a|c(]))]"],
  ["[a](javascript:b)", "p[a(javascript:b|a)]"],
]);

promises("addresses", [
  ["<https://a.b/c>", "p[a(https://a.b/c|https://a.b/c)]"],
  ["<mailto:a@b.c>", "p[a(mailto:a@b.c|mailto:a@b.c)]"],
  ["<a@b.c>", "p[a(mailto:a@b.c|a@b.c)]"],
  ["<ftp://a.b>", "p[<ftp://a.b>]"],
  ["see https://a.b/c_d_e?f=*g*.", "p[see a(https://a.b/c_d_e?f=*g|https://a.b/c_d_e?f=*g)*.]"],
  ["(https://a.b/(c))", "p[(a(https://a.b/(c)|https://a.b/(c)))]"],
  ["**https://a.b**", "p[b(a(https://a.b|https://a.b))]"],
  ["[https://a.b](https://c.d)", "p[a(https://c.d|https://a.b)]"],
  ["xhttps://a.b", "p[xhttps://a.b]"],
  ["https://", "p[https://]"],
  ["a@b.c!", "p[a(mailto:a@b.c|a@b.c)!]"],
  ["a@b", "p[a@b]"],
  ["a@b.ca@b.c", "p[a(mailto:a@b.ca|a@b.ca)@b.c]"],
  ["-a@b.c", "p[a(mailto:-a@b.c|-a@b.c)]"],
  ["x_a@b.c", "p[x_a@b.c]"],
  ["_a@b.c_", "p[i(a(mailto:a@b.c|a@b.c))]"],
  ["https://a.b。", "p[a(https://a.b|https://a.b)。]"],
]);

promises("HTML and entities", [
  ["<div>\n*a*\n</div>", "p[<div> i(a) </div>]"],
  ["a <b onclick=x>", "p[a <b onclick=x>]"],
  ["<!-- a -->", "p[<!-- a -->]"],
  ["&amp; &lt;b&gt; &#65; &#x41;", "p[& <b> A A]"],
  ["&unknown; &amp", "p[&unknown; &amp]"],
  ["&#27;[2J &#0;", "p[\ufffd[2J \ufffd]"],
  ["`&amp;`", "p[c(&amp;)]"],
]);

describe("a long image that is all in its address", () => {
  const url = (length: number): string => `data:image/png;base64,${"QUJD".repeat(length / 4)}`;

  it.each([2_000, 5_000, 10_000, 100_000])("of %d characters is one", (length) => {
    const blocks = settledOf(`- before ![an *image*](${url(length)}) after **it**\n`);
    expect(inlineOf(blocks)).toEqual([`before img(${url(length)}|an image) after b(it)`]);
  });

  it("is the text beside it while it comes", () => {
    const reader = markdownReader();
    reader.push(`before ![an image](${url(50_000)}`);
    expect(sketchOf(reader.open)).toBe("p[before an image]");
    reader.push(") after");
    expect(sketchOf([...reader.settled, ...reader.open])).toBe(
      `p[before img(${url(50_000)}|an image)] +p[ after]`,
    );
  });

  it("is text if it has no end", () => {
    const text = `![an image](${url(50_000)} and more`;
    expect(inlineOf(settledOf(text)).join("")).toBe(text);
    expect(inlineOf(settledOf(text.slice(0, -9))).join("")).toBe(text.slice(0, -9));
    expect(inlineOf(settledOf(`${text.slice(0, -9)}\nb`)).join("")).toBe(`${text.slice(0, -9)} b`);
  });

  it("is text if it is longer than any image may be", () => {
    const reader = markdownReader();
    reader.push(`![an image](${url(2_100_000)}`);
    expect(reader.settled.length).toBeGreaterThan(200);
  });
});

/** The texts of paragraphs, at the top and in items: a part of each. */
function inlineOf(blocks: readonly MarkdownBlock[]): string[] {
  return [blocks.map(textOf).join("")];
}

function textOf(block: MarkdownBlock): string {
  if (block.type === "list") return block.items.flatMap(({ blocks }) => blocks.map(textOf)).join("");
  return block.type === "paragraph" ? inlineSketch(block.content) : "";
}
