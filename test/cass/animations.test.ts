import { describe, expect, test } from "vitest";
import type { AnimationFrame } from "../../src/cass/response.ts";
import { readReply } from "../../src/cass/tags/animations.ts";
import { animationsOf, textOf } from "../../src/testing/cass/tags.ts";
import { REPLY_ROWS } from "./reply-rows.ts";

const gesture = (name: string, fields: Partial<AnimationFrame> = {}): AnimationFrame => ({
  type: "gesture",
  name,
  ...fields,
});
const emote = (name: string, fields: Partial<AnimationFrame> = {}): AnimationFrame => ({
  type: "emote",
  name,
  ...fields,
});

/** `name@offset`, or the name alone. */
const places = (reply: ReturnType<typeof readReply>): readonly string[] =>
  reply.animations.map(({ name, offset }) => (offset === undefined ? name : `${name}@${offset}`));

describe("the reply that is shown", () => {
  test.each(REPLY_ROWS)(
    "is read from `raw`: $row: $raw",
    ({ raw, text, v2 = text, v1 = v2, reasoning = [], animations = [] }) => {
      for (const sent of [v2, v1]) {
        const reply = readReply({ text: sent, raw });
        expect(reply).toMatchObject({ text, reasoning });
        expect(
          reply.animations.map(({ name, intensity, offset }) => `${name}:${intensity}@${offset}`),
        ).toEqual(animations);
      }
    },
  );

  test.each(REPLY_ROWS)(
    "is the same for the text of each server version: $row: $raw",
    ({ raw, text, reasoning = [] }) => {
      for (const reading of ["v1", "v2", "v2-plain"] as const) {
        expect(readReply({ text: textOf(raw, reading), raw })).toMatchObject({ text, reasoning });
      }
    },
  );

  test("is read from `text` without a `raw`; indentation and offsets are lost", () => {
    const row = REPLY_ROWS.find(({ row }) => row === 12);
    expect(readReply({ text: row?.v2 ?? "", animations: [gesture("nod")] })).toEqual({
      text: "if x:\n return 1",
      reasoning: [],
      animations: [{ index: 0, type: "gesture", name: "nod", intensity: 1 }],
    });
    for (const { raw, text, v2 = text, reasoning = [] } of REPLY_ROWS) {
      if (raw !== row?.raw) expect(readReply({ text: v2, raw: null })).toMatchObject({ text, reasoning });
    }
  });

  test.each([
    {
      because: "`raw` holds several rounds",
      raw: "Let me <gesture:nod> see.\nI  found it.",
      text: "I found it.",
    },
    { because: "`raw` has another text", raw: "a  c", text: "a b" },
    { because: "`raw` is empty", raw: "", text: "a b" },
    {
      because: "the server removed more than tags from `raw`",
      raw: "a  <weather>x</weather> b",
      text: "a b",
    },
  ])("is read from `text` when $because", ({ raw, text }) => {
    expect(readReply({ text, raw })).toMatchObject({ text });
  });

  test.each([
    "<record_self_observation>x</record_self_observation>",
    "<record_user_observation>",
    "<create_roadmap_item/>",
    "<observe a='b > c'>",
    "<hold>",
    "</hold>",
    "<note\n>",
    "<intend />",
    "<stake>",
    "<test>",
    "<narrate>",
    "<mark:milestone id='1'>",
    "<mark:milestone>x</mark:milestone>",
    "<thread:create>",
    "<thread:link>",
    "<thread:resolve>",
    "<question:add>",
    "<question:resolve>",
    "<remember_person>",
    "<remember_relationship>",
  ])("is read from `text` if `raw` holds %s, which some servers remove with its content", (tag) => {
    const text = `a b${tag}`; // leaked, as it does behind a relay
    const raw = `a  b${tag}`;
    expect(readReply({ text, raw }).text).toBe(readReply({ text }).text);
  });

  test.each([
    { by: "a newer server, which removes the milestone", text: "a  z", shown: "a  z" },
    {
      by: "a relay, which leaks the milestone",
      text: 'a <mark:milestone id="m1">big</mark> z',
      shown: "a z",
    },
  ])("is read from `text` if `raw` holds a milestone: text of $by", ({ text, shown }) => {
    expect(readReply({ text, raw: 'a <mark:milestone id="m1">big</mark> z' }).text).toBe(shown);
  });

  test.each(["<tests>", "<notebook>", "<TEST>", "<holding:x>", "<thread:delete>", "<thread>", "note>"])(
    "is read from `raw` if it holds %s, which no server removes",
    (tag) => {
      expect(readReply({ text: `a b${tag}`, raw: `a  b${tag}` }).text).toBe(`a  b${tag}`);
    },
  );

  test("is read from `raw` if `text` differs only in white space", () => {
    const raw = "a:\n\n\n\n\tb\u00a0 c\r\n";
    expect(readReply({ text: "a: b c", raw }).text).toBe(raw.trim());
  });

  test("is read from `raw` whether or not the server left a mark in `text`", () => {
    expect(readReply({ text: "a <mark:x>b</mark> c", raw: "a   <mark:x>b</mark>c" }).text).toBe("a   c");
    expect(readReply({ text: "a c", raw: "a   <mark:x>b</mark>c" }).text).toBe("a   c");
  });
});

describe("the animations of a reply", () => {
  test("are the server's list; their offsets and order come from `raw`", () => {
    const raw = "<emote:happy>A <gesture:nod:.5>B";
    expect(
      readReply({
        text: "A B",
        raw,
        animations: [
          { ...gesture("nod", { intensity: 0.5, delay: 0 }), index: 0 } as AnimationFrame,
          { ...emote("happy", { intensity: 0.25, delay: 0.5 }), index: 1 } as AnimationFrame,
        ],
      }).animations,
    ).toEqual([
      { index: 0, type: "emote", name: "happy", intensity: 0.25, delay: 0.5, offset: 0 },
      { index: 1, type: "gesture", name: "nod", intensity: 0.5, delay: 0, offset: 2 },
    ]);
  });

  test.each([undefined, null])("come from the tags in `text` if the server's list is %s", (animations) => {
    expect(readReply({ text: "Hi <emote:thinking> you", animations })).toEqual({
      text: "Hi you",
      reasoning: [],
      animations: [{ index: 0, type: "emote", name: "thinking", intensity: 1, offset: 3 }],
    });
  });

  test("are none if the server's list is empty, even if `text` has tags", () => {
    expect(readReply({ text: "a <gesture:wave> b", raw: null, animations: [] }).animations).toEqual([]);
  });

  test("of one type and name match their tags in order", () => {
    const raw = "a <gesture:x> b <emote:x> c <gesture:x> d";
    const animations = [gesture("x", { delay: 0 }), gesture("x", { delay: 0.5 }), emote("x", { delay: 1 })];
    const reply = readReply({ text: "a b c d", raw, animations });
    expect(reply.animations.map(({ type, delay, offset }) => [type, delay, offset])).toEqual([
      ["gesture", 0, 2],
      ["emote", 1, 4],
      ["gesture", 0.5, 6],
    ]);
  });

  test("include a listed animation in reasoning, without an offset", () => {
    const raw = "a <think>b <emote:happy></think> c <emote:happy> d";
    const reply = readReply({ text: raw, raw, animations: [emote("happy"), emote("happy")] });
    expect(reply.text).toBe("a c d");
    expect(places(reply)).toEqual(["happy", "happy@4"]);
    expect(readReply({ text: raw }).animations).toHaveLength(1);
  });

  test("without a tag follow their predecessor in the list, without an offset", () => {
    const raw = "a <emote:love> b <gesture:nod> c";
    const animations = [gesture("talk"), gesture("nod"), gesture("gone"), emote("love"), emote("lost")];
    expect(places(readReply({ text: "a b c", raw, animations }))).toEqual([
      "talk",
      "love@2",
      "lost",
      "nod@4",
      "gone",
    ]);
  });

  test("with a `position` use it as the offset, limited to the text", () => {
    const at = (position: number) => gesture("wave", { position });
    const animations = [at(3), at(99), at(-1), at(1.5), at(Number.NaN), at(Number.POSITIVE_INFINITY)];
    const { animations: placed } = readReply({ text: "abcde", animations });
    expect(placed.map(({ offset }) => offset)).toEqual([0, 1, undefined, undefined, 3, 5]);
    expect(placed.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("use the offset of their tag in `text` rather than `position`", () => {
    const reply = readReply({
      text: "Hello! <gesture:wave> you",
      animations: [gesture("wave", { position: 20 })],
    });
    expect(reply).toEqual({
      text: "Hello! you",
      reasoning: [],
      animations: [{ index: 0, type: "gesture", name: "wave", intensity: 1, offset: 7 }],
    });
  });

  test.each([
    { intensity: 0, becomes: 0 },
    { intensity: 5, becomes: 5 },
    { intensity: -1, becomes: -1 },
    { intensity: undefined, becomes: 1 },
    { intensity: null, becomes: 1 },
    { intensity: Number.NaN, becomes: 1 },
    { intensity: Number.POSITIVE_INFINITY, becomes: 1 },
    { intensity: Number.NEGATIVE_INFINITY, becomes: 1 },
  ])(
    "have the intensity $becomes if the server sends $intensity, whatever the tag says",
    ({ intensity, becomes }) => {
      const { animations } = readReply({
        text: "<gesture:wave:0.5>",
        animations: [gesture("wave", { intensity })],
      });
      expect(animations).toEqual([
        { index: 0, type: "gesture", name: "wave", intensity: becomes, offset: 0 },
      ]);
    },
  );

  test.each([null, undefined, Number.NaN, Number.POSITIVE_INFINITY])(
    "have no delay if the server sends %s",
    (delay) => {
      const { animations } = readReply({ text: "a", animations: [gesture("wave", { delay })] });
      expect(animations).toEqual([{ index: 0, type: "gesture", name: "wave", intensity: 1 }]);
    },
  );

  test("have unique indexes, even if the indexes of several rounds repeat", () => {
    const rounds = ["Let me check. <gesture:point>", "I found it. <emote:excited>"];
    const sent = rounds.flatMap((round) => animationsOf(round, "v2"));
    expect(sent.map((each) => each["index"])).toEqual([0, 0]);
    const animations = sent.map((each) => gesture(String(each["name"]), { ...each }));
    const reply = readReply({ text: "I found it.", raw: rounds.join("\n"), animations });
    expect(reply.animations.map(({ index, name }) => [index, name])).toEqual([
      [0, "point"],
      [1, "excited"],
    ]);
  });

  test("may be named like a property of every object", () => {
    const reply = readReply({
      text: "a <emote:__proto__> b <gesture:constructor> c",
      animations: [gesture("constructor"), emote("__proto__"), gesture("toString")],
    });
    expect(places(reply)).toEqual(["__proto__@2", "toString", "constructor@4"]);
  });
});
