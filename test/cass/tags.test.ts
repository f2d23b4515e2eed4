import { describe, expect, test } from "vitest";
import { clean, type ParsedTags, parseTags } from "../../src/cass/tags/tags.ts";
import { LEAKS } from "../../src/testing/cass/response.ts";
import { workOf } from "../properties/support/work.ts";
import { REPLY_ROWS } from "./reply-rows.ts";

/** `name:intensity@offset` */
const animationsIn = ({ animations }: ParsedTags): readonly string[] =>
  animations.map(({ name, intensity, offset }) => `${name}:${intensity}@${offset}`);

describe("a text with tags is read", () => {
  test.each(REPLY_ROWS)("$row: $raw", ({ raw, text, reasoning = [], animations = [] }) => {
    const parsed = parseTags(raw);
    expect(parsed.text).toBe(text);
    expect(parsed.reasoning).toEqual(reasoning);
    expect(animationsIn(parsed)).toEqual(animations);
    expect(clean(raw)).toBe(text);
  });
});

describe("tags that servers leak are removed", () => {
  test("all tags that the mock leaks", () => {
    expect(clean(`Hi${LEAKS} there`)).toBe("Hi there");
  });

  test.each([
    "<gesture:wave>",
    "<emote:happy:.25>",
    "<GESTURE:wave>",
    "<Emote:Happy:1>",
    "</gesture:wave>",
    "</emote:happy:1>",
    "<gesture:wave/>",
    "<gesture:wave />",
    "<gesture:wave:0.5/>",
    "<gesture:wave:>",
    "<emote:happy:0.5.5>",
    "<emote:happy: 0.5 >",
    "<emote:happy:very: much>",
    "<gesture:über_2>",
    "<memory:summarize>",
    "<MEMORY:x>",
    "</memory:x>",
    "<memory:x/>",
    "<mark:self-insight>",
    "<MARK:Insight>",
    "<mark:insight/>",
    '<mark:milestone id="m1">',
    '<mark:milestone\nid="m1" x/y>',
    '<MARK:milestone id="m1"/>',
    "</mark>",
    "</mark:insight>",
    "</think>",
    "<think>",
    "<thinking:0.5>",
    "<think/>",
    "<gesture:thinking />",
    "</gesture:Thinking>",
  ])("%s", (tag) => {
    expect(clean(`a ${tag} b`)).toBe("a b");
    expect(clean(`a${tag}b`)).toBe("ab");
  });
});

test("a tag ends at the first `>`", () => {
  expect(clean("a <emote:happy:1> 2 > 1>")).toBe("a 2 > 1>");
});

describe("text that only looks like a tag is kept", () => {
  test.each([
    "<b>",
    "<gesture>",
    "<gesture:>",
    "<gesture::1>",
    "<gesture:wave hi>",
    "<gesture: wave>",
    "< gesture:wave>",
    "<gesture:wave >",
    "<gesture:wave-hand>",
    "<gesture:wave/hand>",
    "<gesture:wave:1\n>",
    "<gesture:wave:1\r>",
    "<gesture:wave",
    "gesture:wave>",
    "<ge\u017fture:wave>", // a long s, which some take for an s
    "<thin\u212a>", // and a Kelvin sign
    "<thinker>",
    "<think about>",
    "<emote>",
    "<memory>",
    "<mark>",
    "<mark:x1>",
    "<mark:>",
    '<mark:insight id="m1">',
    '<mark:milestones id="m1">',
    "</mark:x y>",
    "<marked:x>",
    "<hold>x</hold>",
    "<>",
    "<<>>",
    "1 < 2 > 1",
  ])("%j", (text) => {
    expect(clean(`a ${text} b`)).toBe(`a ${text} b`);
    expect(parseTags(text).animations).toEqual([]);
  });
});

describe("animations are the tags that a server would play", () => {
  test.each([
    { raw: "<gesture:wave><emote:happy>", animations: ["wave:1@0", "happy:1@0"] },
    {
      raw: "<emote:happy:0><emote:happy:5><emote:happy:.5>",
      animations: ["happy:0@0", "happy:5@0", "happy:0.5@0"],
    },
    { raw: "<emote:Happy><EMOTE:happy>", animations: ["Happy:1@0"] },
    {
      raw: "<gesture:think> <emote:think> <gesture:thinking> <gesture:Think>",
      animations: ["think:1@0", "thinking:1@0", "Think:1@0"],
    },
    { raw: "<gesture:thinking>plan</gesture:thinking> a", animations: ["thinking:1@0"] },
    {
      raw: "</gesture:wave><gesture:wave/><gesture:wave:1.><gesture:wave:-1><gesture:wave:1e1>",
      animations: [],
    },
    { raw: "<memory:wave><mark:wave>", animations: [] },
    { raw: `<emote:happy:${"9".repeat(400)}>`, animations: ["happy:1@0"] },
    { raw: "<emote:happy:1234567890123456789012>", animations: ["happy:1.2345678901234568e+21@0"] },
    { raw: "a <mark:x>b <emote:happy> c</mark> d", animations: ["happy:1@2"] },
    { raw: "a<think>b<emote:happy></think>c<emote:love>", animations: ["love:1@2"] },
  ])("$raw", ({ raw, animations }) => {
    expect(animationsIn(parseTags(raw))).toEqual(animations);
  });

  test("each animation has its type", () => {
    expect(parseTags("<emote:happy:0.5>a<gesture:nod>").animations).toEqual([
      { type: "emote", name: "happy", intensity: 0.5, offset: 0 },
      { type: "gesture", name: "nod", intensity: 1, offset: 1 },
    ]);
  });

  test("an offset counts UTF-16 units, and points behind the tag", () => {
    const { text, animations } = parseTags("  😀 <gesture:wave> 😎");
    expect(text).toBe("😀 😎");
    expect(animations.map(({ offset }) => text.slice(offset))).toEqual(["😎"]);
  });
});

describe("reasoning", () => {
  test.each([
    { raw: "<think>a</think>b", text: "b", reasoning: ["a"] },
    { raw: "<thinking>a</thinking>b", text: "b", reasoning: ["a"] },
    { raw: "<gesture:thinking>a</gesture:thinking>b", text: "b", reasoning: ["a"] },
    { raw: "<gesture:think:0.5>a</gesture:think>b", text: "b", reasoning: ["a"] },
    { raw: "<THINK:1>a</think:2>b", text: "b", reasoning: ["a"] },
    { raw: "<Gesture:Think>a</gesture:THINK>b", text: "b", reasoning: ["a"] },
    { raw: "<emote:thinking>a</emote:thinking>b", text: "ab", reasoning: [] },
    { raw: "<emote:think>a</emote:think>b", text: "ab", reasoning: [] },
    { raw: "<memory:think>a</memory:think>b", text: "ab", reasoning: [] },
    { raw: "<think/>a</think>b", text: "ab", reasoning: [] },
    { raw: "<think>a</gesture:think>b", text: "ab", reasoning: [] },
    { raw: "<think>a</thinking>b", text: "ab", reasoning: [] },
    { raw: "</think>a<think>b", text: "ab", reasoning: [] },
    { raw: "<think>a</think><think>b</think>c", text: "c", reasoning: ["a", "b"] },
    { raw: "<think>a<think>b</think>c</think>d", text: "d", reasoning: ["ac", "b"] },
    { raw: "<think>a<thinking>b</think>c</thinking>d", text: "cd", reasoning: ["ab"] },
    { raw: "<think>a</gesture:think>b</think>c", text: "c", reasoning: ["ab"] },
    {
      raw: "<gesture:think>a<think>b<thinking>c</think>d</thinking>e</gesture:think>f",
      text: "f",
      reasoning: ["ade", "bc"],
    },
    { raw: "<think>a<think>b</think>c", text: "ac", reasoning: ["b"] },
    { raw: "<think>a</think>b</think>c", text: "bc", reasoning: ["a"] },
    { raw: "<think> \n </think>a<think></think>", text: "a", reasoning: [] },
    { raw: "<think>\n  a <emote:happy> b\n</think> c", text: "c", reasoning: ["a b"] },
    { raw: "<think>x\n    a\n\n<gesture:nod>\n\n  b</think>", text: "", reasoning: ["x\n    a\n\n  b"] },
    { raw: "<think>a <mark:x>b</mark> c</think>d", text: "d", reasoning: ["a c"] },
    { raw: "<think>a<mark:x>b</think>c</mark>d", text: "d", reasoning: ["a"] },
    { raw: "a <think>b</think> c", text: "a c", reasoning: ["b"] },
    { raw: "a\n<think>\nb\n</think>\nc", text: "a\nc", reasoning: ["b"] },
  ])("$raw", ({ raw, text, reasoning }) => {
    expect(parseTags(raw)).toMatchObject({ text, reasoning });
  });
});

describe("a mark is removed with its text", () => {
  test.each([
    { raw: "a<mark:x>b</mark>c", text: "ac" },
    { raw: "a<mark:x>b</mark:x>c", text: "ac" },
    { raw: "a<MARK:X>b\nb</Mark>c", text: "ac" },
    { raw: "a<mark:x>b <i>b</i></mark>c", text: "ac" },
    { raw: "a<mark:x>b<mark:y>c</mark>d", text: "abd" },
    { raw: "a<mark:x>b</mark>c</mark>d", text: "acd" },
    { raw: "a<mark:x>b<mark:y>c</mark>d</mark>e", text: "abde" },
    { raw: "a</mark>b<mark:x>c", text: "abc" },
    { raw: "a<mark:x/>b</mark>c", text: "abc" },
    { raw: 'a<mark:milestone id="m1">b</mark>c', text: "ac" },
    { raw: 'a<mark:milestone id="m1">b</mark:milestone>c', text: "ac" },
    { raw: 'a<mark:milestone id="m1"/>b</mark>c', text: "abc" },
  ])("$raw", ({ raw, text }) => {
    expect(clean(raw)).toBe(text);
  });
});

describe("white space is removed next to a removed tag, and nowhere else", () => {
  test.each([
    { raw: "a <gesture:nod>b", text: "a b" },
    { raw: "a<gesture:nod> b", text: "a b" },
    { raw: "a <gesture:nod> <emote:happy> b", text: "a b" },
    { raw: "a <gesture:nod><emote:happy> b", text: "a b" },
    { raw: "a  <gesture:nod>  b", text: "a   b" },
    { raw: "a\t<gesture:nod>\tb", text: "a\t\tb" },
    { raw: "a <gesture:nod>\tb", text: "a \tb" },
    { raw: "a\t<gesture:nod> b", text: "a\t b" },
    { raw: "a  b <gesture:nod>", text: "a  b" },
    { raw: "a  b  c", text: "a  b  c" },
    { raw: "    <gesture:nod> b\nc", text: "b\nc" },
    { raw: "a\n    <gesture:nod> b", text: "a\n    b" },
    { raw: "a\n<gesture:nod>    b", text: "a\n    b" },
    { raw: "a  <gesture:nod> \t\nb", text: "a\nb" },
    { raw: "a <gesture:nod>\r\nb", text: "a\r\nb" },
    { raw: "a  \nb", text: "a  \nb" },
    { raw: "a <gesture:nod> b  \nc", text: "a b  \nc" },
    { raw: "a\r<gesture:nod>\nb", text: "a\r\nb" },
    { raw: "a\n<gesture:nod>\nb", text: "a\nb" },
    { raw: "a\n  <gesture:nod>  \n  b", text: "a\n  b" },
    { raw: "a\r\n<gesture:nod>\r\nb", text: "a\r\nb" },
    { raw: "a\n\n<gesture:nod>\n\nb", text: "a\n\nb" },
    { raw: "a\n\n<gesture:nod>\nb", text: "a\n\nb" },
    { raw: "a\n<gesture:nod>\n\nb", text: "a\n\nb" },
    { raw: "a\n \t\n<gesture:nod>\n \nb", text: "a\n \t\nb" },
    { raw: "a\n\n\n<gesture:nod>\n\nb", text: "a\n\n\nb" },
    { raw: "a\n\n<gesture:nod>\n\n\nb", text: "a\n\n\nb" },
    { raw: "a\n\n<gesture:nod>\n\n<emote:happy>\n\nb", text: "a\n\nb" },
    { raw: "a\n\n<gesture:nod>\nb\n\nc", text: "a\n\nb\n\nc" },
    { raw: "a\n\n\nb<gesture:nod>\n\n\nc", text: "a\n\n\nb\n\n\nc" },
    { raw: "a\n\nb\n<gesture:nod>\n\nc", text: "a\n\nb\n\nc" },
    { raw: "a\n<gesture:nod>", text: "a" },
    { raw: "\n\n <gesture:nod>\n\n a \n", text: "a" },
    { raw: "\ufeff \u00a0a\u2003\n", text: "a" },
    { raw: " <gesture:nod> ", text: "" },
    { raw: "", text: "" },
    {
      raw: "```py\nif x:\n    y = 1  # <gesture:nod> two\n\n\n\tz\n```",
      text: "```py\nif x:\n    y = 1  # two\n\n\n\tz\n```",
    },
  ])("$raw", ({ raw, text }) => {
    expect(clean(raw)).toBe(text);
  });
});

describe("tags that form where something was removed are removed too, and play nothing", () => {
  test.each([
    { raw: "a<ges<gesture:wave>ture:nod>b", text: "ab", names: ["wave"] },
    { raw: "<ge<ges<gesture:wave>ture:nod>sture:point>", text: "", names: ["wave"] },
    { raw: "a<<gesture:wave>gesture:wave>b", text: "ab", names: ["wave"] },
    { raw: "<b <gesture:wave>>", text: "<b >", names: ["wave"] },
    { raw: "<gesture:a<gesture:wave>b<i>c>", text: "<gesture:ab<i>c>", names: ["wave"] },
    { raw: "<gesture:a:1<gesture:wave>b<i>c>", text: "<gesture:a:1b<i>c>", names: ["wave"] },
    { raw: "<ges<gesture:wave>tu<emote:happy>re:nod>", text: "", names: ["wave", "happy"] },
    { raw: "<i>gest<gesture:wave>ure:nod>", text: "<i>gesture:nod>", names: ["wave"] },
    { raw: "<gest<think>x</think>ure:wave>", text: "", names: [] },
    { raw: "<gest<mark:a>x</mark>ure:wave>", text: "", names: [] },
    { raw: "<gest<think>ure:wave>", text: "", names: [] },
    { raw: "<thi<gesture:wave>nk>a</think>b", text: "ab", names: ["wave"] },
    { raw: "a <gesture:x: <gesture:wave> 1> b", text: "a b", names: ["wave"] },
    { raw: "<gesture:<gesture:wave> nod>", text: "<gesture: nod>", names: ["wave"] },
  ])("$raw", ({ raw, text, names }) => {
    const parsed = parseTags(raw);
    expect(parsed.text).toBe(text);
    expect(parsed.animations.map(({ name }) => name)).toEqual(names);
    expect(clean(text)).toBe(text);
  });

  test("in reasoning as well", () => {
    expect(parseTags("<think>a<ges<gesture:wave>ture:nod>b</think>").reasoning).toEqual(["ab"]);
  });
});

test("`spans` classify each part of the raw text", () => {
  const raw = "Hi <gesture:wave> <think>p<emote:love>q</think>you <mark:x>m</mark> <b>";
  const { text, spans } = parseTags(raw);
  expect(text).toBe("Hi you <b>");
  expect(spans.map(({ kind, start, end }) => [kind, raw.slice(start, end)])).toEqual([
    ["text", "Hi "],
    ["tag", "<gesture:wave>"],
    ["space", " "],
    ["tag", "<think>"],
    ["reasoning", "p"],
    ["tag", "<emote:love>"],
    ["reasoning", "q"],
    ["tag", "</think>"],
    ["text", "you "],
    ["tag", "<mark:x>"],
    ["mark", "m"],
    ["tag", "</mark>"],
    ["space", " "],
    ["text", "<b>"],
  ]);
  expect(parseTags("").spans).toEqual([]);
});

/** Texts of one unit over and over, behind a start of one: each has cost somebody a second pass. */
const ENDLESS: readonly { readonly unit: string; readonly start?: string }[] = [
  { unit: "<gesture:think>" },
  { unit: "</gesture:think>" },
  { unit: "<" },
  { unit: ">" },
  { unit: " " },
  { unit: "<gesture:wave>" },
  { unit: `<gesture:wave>${" ".repeat(40)}` },
  { start: " ", unit: "<gesture:wave>" },
  { start: "\n", unit: "<gesture:wave>\n" },
  { unit: "<gesture:wave> " },
  { unit: "<gesture:wave>\n\n" },
  { unit: "<think></gesture:think>" },
  { start: "<think>", unit: "</gesture:think>" },
  { start: "<think>", unit: "</think>" },
  { start: "a<think>", unit: "</think>b" },
  { start: "<think>", unit: "</think><thinking>" },
  { unit: "<mark:x>" },
  { unit: "<mark:x></mark>" },
  { start: "<mark:x>", unit: "</mark>" },
  { unit: "<gesture:<gesture:x>" },
  { unit: "<gesture:<gesture:x>>" },
  { unit: "<gesture:<think></think>" },
  { start: "<<gesture:wave>", unit: "x:nod>" },
  { start: "<ges<gesture:wave>", unit: "ture:nod>" },
  { start: "<gesture:wave:", unit: "1" },
  { start: "<gesture:", unit: "w" },
  { start: "<gesture:wave", unit: " " },
  { start: "<mark:", unit: "-" },
];

const KB = 1_024;
const LENGTH = 128 * KB;

describe("reading takes work in proportion to the length of the text", () => {
  test.each(ENDLESS)("for $start and repetitions of $unit", ({ unit, start = "" }) => {
    // The start once, so that all the rest belongs to it, and over and over.
    for (const length of start === "" ? [0] : [1, LENGTH / 2]) {
      const text = repeated(start, length) + repeated(unit, LENGTH - length);
      // What is closed at the end is read as a tag there.
      for (const input of [text, `${text}>`]) {
        expect(workOf(() => parseTags(input))).toBeLessThan(20 * input.length);
      }
    }
  });

  test.each(["<gesture:think>", "<", `<gesture:wave>${" ".repeat(40)}`])("for a megabyte of %j", (unit) => {
    const input = repeated(unit, KB * KB);
    expect(workOf(() => parseTags(input))).toBeLessThan(20 * input.length);
  });
});

/** As often as it fits, and once at least. */
function repeated(unit: string, length: number): string {
  return unit.repeat(Math.max(Math.floor(length / Math.max(unit.length, 1)), 1));
}
