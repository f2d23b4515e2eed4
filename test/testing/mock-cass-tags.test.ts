import { describe, expect, test } from "vitest";
import { animationsOf, type TagReading, textOf } from "../../src/testing/cass/tags.ts";
import { PythonFloat } from "../../src/testing/server/python-json.ts";

/** What the model says, what the later server makes of it, and the older one where that is something else. */
const TEXTS: readonly { readonly raw: string; readonly v2: string; readonly v1?: string }[] = [
  { raw: "Hello! <gesture:wave> <emote:happy:0.8>", v2: "Hello!" },
  { raw: "Hello! <gesture:wave> there", v2: "Hello! there" },
  { raw: "<emote:happy>A <gesture:nod:.5>B", v2: "A B" },
  {
    raw: "<gesture:think>secret plan</gesture:think> <gesture:wave> hi",
    v2: "<gesture:think>secret plan</gesture:think> hi",
    v1: "secret plan</gesture:think> hi",
  },
  { raw: "hm <emote:thinking> ok", v2: "hm <emote:thinking> ok", v1: "hm ok" },
  { raw: "<gesture:think:0.5> Hmm", v2: "<gesture:think:0.5> Hmm", v1: "Hmm" },
  { raw: "<GESTURE:wave> hi </gesture:point>", v2: "<GESTURE:wave> hi </gesture:point>" },
  { raw: "x <emote:love:1.> y <emote:happy:-1> z", v2: "x <emote:love:1.> y <emote:happy:-1> z" },
  { raw: "a <gesture:wave/> b", v2: "a <gesture:wave/> b" },
  { raw: "<gesture:moonwalk:2> ok <memory:summarize>", v2: "ok <memory:summarize>" },
  { raw: "héllo <gesture:über> wörld", v2: "héllo wörld" },
  { raw: "if x:\n    return 1  <gesture:nod>", v2: "if x:\n return 1" },
  { raw: "a <b>bold</b> 1 < 2 <gesture:wave hi>", v2: "a <b>bold</b> 1 < 2 <gesture:wave hi>" },
  { raw: "<gesture:wave>", v2: "" },
  { raw: "<think>plan</think> Yes", v2: "<think>plan</think> Yes" },
  {
    raw: "<gesture:think>Try <emote:excited> this</gesture:think> Ok",
    v2: "<gesture:think>Try this</gesture:think> Ok",
    v1: "Try this</gesture:think> Ok",
  },
  { raw: "x <mark:insight>aha</mark> y", v2: "x y", v1: "x <mark:insight>aha</mark> y" },
  {
    raw: "x <MARK:Big-Insight>aha</MARK:Big-Insight> y",
    v2: "x y",
    v1: "x <MARK:Big-Insight>aha</MARK:Big-Insight> y",
  },
  { raw: "x <mark:insight> y </mark:insight>", v2: "x", v1: "x <mark:insight> y </mark:insight>" },
  { raw: "x </mark:insight> y", v2: "x y", v1: "x </mark:insight> y" },
  { raw: "<mark:a> b <mark:c>d</mark> e", v2: "b e", v1: "<mark:a> b <mark:c>d</mark> e" },
  {
    raw: "Hi</gesture:think> there <gesture:think>end",
    v2: "Hi</gesture:think> there <gesture:think>end",
    v1: "Hi</gesture:think> there end",
  },
  { raw: "<gesture:wave", v2: "<gesture:wave" },
  { raw: "a\n \n\n\nb", v2: "a\n\nb" },
  {
    raw: "a <hold topic='x'>kept\nto myself</hold> b",
    v2: "a  b",
    v1: "a <hold topic='x'>kept\nto myself</hold> b",
  },
  { raw: "a <test>legitimate</test>", v2: "a", v1: "a <test>legitimate</test>" },
  { raw: "a <record_self_observation>I am</record_self_observation>", v2: "a", v1: "a" },
  {
    raw: "a <thread:create>b</thread:create><question:add/>",
    v2: "a",
    v1: "a <thread:create>b</thread:create><question:add/>",
  },
  { raw: "a <notes>b</notes> <note>unclosed", v2: "a <notes>b</notes> <note>unclosed" },
];

describe("the response text on each server", () => {
  test.each(TEXTS)("of $raw", ({ raw, v2, v1 = v2 }) => {
    expect(textOf(raw, "v2")).toBe(v2);
    expect(textOf(raw, "v1")).toBe(v1);
    expect(textOf(raw, "positions")).toBe(raw);
  });

  test("loses only gestures and emotes in onboarding and behind the relay", () => {
    const raw = "<gesture:wave>Hi <mark:a>b</mark> <hold>c</hold>";
    expect(textOf(raw, "v2-plain")).toBe("Hi <mark:a>b</mark> <hold>c</hold>");
  });

  test("loses all closing tags and memory tags in the older pipeline", () => {
    const raw = "<gesture:think>plan</gesture:think> <emote:thinking> Hi <memory:summarize>!";
    expect(textOf(raw, "legacy")).toBe("plan Hi !");
  });
});

/** `wave:1@0` and so on: the index, and by that the delay. */
function shown(raw: string, reading: TagReading): readonly string[] {
  return animationsOf(raw, reading).map(({ type, name, intensity, index, delay }) => {
    if (!(intensity instanceof PythonFloat && delay instanceof PythonFloat)) throw new Error("no floats");
    expect(delay.value).toBe(Number(index) * 0.5);
    return `${type} ${name}:${intensity.value}@${index}`;
  });
}

describe("animations", () => {
  test("list all gestures first, then all emotes, with unchanged names", () => {
    const raw = "<emote:happy>A <gesture:nod:.5>B <gesture:über:5> <emote:Odd:0>";
    const all = ["gesture nod:0.5@0", "gesture über:5@1", "emote happy:1@2", "emote Odd:0@3"];
    expect(shown(raw, "v2")).toEqual(all);
    expect(shown(raw, "v1")).toEqual(all);
  });

  test("include a think gesture only on the older server, and a think emote on both servers", () => {
    const raw = "<gesture:think:0.5> <gesture:thinking> <emote:think>";
    expect(shown(raw, "v2")).toEqual(["gesture thinking:1@0", "emote think:1@1"]);
    expect(shown(raw, "v2-plain")).toEqual(["gesture thinking:1@0", "emote think:1@1"]);
    expect(shown(raw, "v1")).toEqual(["gesture think:0.5@0", "gesture thinking:1@1", "emote think:1@2"]);
  });

  test("ignore text that is not a valid tag", () => {
    const raw = "<GESTURE:wave> <gesture:wave/> <gesture:a b> <emote:x:1.> <emote:x:-1> </emote:x> <gesture:";
    expect(shown(raw, "v2")).toEqual([]);
  });

  test("use known names only, in text order and with a talk gesture, in the older pipeline", () => {
    expect(shown("<emote:Happy> <gesture:moonwalk> <gesture:WAVE:2>", "legacy")).toEqual([
      "gesture talk:1@0",
      "emote happy:1@1",
      "gesture wave:2@2",
    ]);
    expect(shown("<emote:love> <gesture:talk>", "legacy")).toEqual(["emote love:1@0", "gesture talk:1@1"]);
  });

  test("give their positions in the text on the documented server", () => {
    expect(animationsOf("Hello! <gesture:wave> 😀<emote:happy:0.8>", "positions")).toEqual([
      { type: "gesture", name: "wave", position: 7 },
      { type: "emote", name: "happy", position: 24 },
    ]);
  });
});
