import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readReply } from "../../src/cass/tags/animations.ts";
import { clean, parseTags } from "../../src/cass/tags/tags.ts";
import { animationsOf, textOf } from "../../src/testing/cass/tags.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { workOf } from "./support/work.ts";

const TAGS = [
  "<gesture:wave>",
  "<emote:happy:.5>",
  "<emote:thinking>",
  "<gesture:think>",
  "<gesture:think:0.5>",
  "</gesture:think>",
  "<gesture:thinking>",
  "</gesture:thinking>",
  "<think>",
  "</think>",
  "<thinking>",
  "</thinking>",
  "<mark:x>",
  '<mark:milestone id="m1">',
  "</mark>",
  "</mark:x>",
  "<memory:x>",
  "</emote:happy>",
  "<GESTURE:nod/>",
  "<gesture:x:1.>",
];
const WORDS = ["a", "b", "😀", "é", "\ud83d", "```"];
const SPACES = [" ", "  ", "\t", "\n", "\r\n", "\r", "\n\n", "\u00a0", "\u2028", "\ufeff"];
/** What tags are made of, to be put together the wrong way. */
const PARTS = [
  ...["<", ">", "</", "/>", "/", ":", "1", "-", "."],
  ...["gesture:", "emote:", "ges", "ture:", "think", "king", "mark:", "mark", "memory:x", "wave", "GESTURE:"],
];

const soup = fc.string({ unit: fc.constantFrom(...TAGS, ...WORDS, ...SPACES, ...PARTS), maxLength: 40 });
const text = fc.oneof(
  { arbitrary: soup, weight: 8 },
  fc.string({ unit: fc.constantFrom(...TAGS, ...SPACES, "a"), maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...PARTS, "<gesture:x>"), maxLength: 30 }),
  fc.string({ unit: "binary" }),
);

describe("any text", () => {
  test(
    "is unchanged by a second cleaning, and so is its reasoning",
    () => {
      fc.assert(
        fc.property(text, (input) => {
          const { text, reasoning } = parseTags(input);
          for (const cleaned of [text, ...reasoning]) {
            expect(parseTags(cleaned)).toMatchObject({ text: cleaned, reasoning: [], animations: [] });
          }
        }),
        runs(3_000),
      );
    },
    PATIENCE,
  );

  test(
    "is covered by spans without a gap, and its text spans make up the clean text",
    () => {
      fc.assert(
        fc.property(text, (input) => {
          const { text, spans } = parseTags(input);
          let end = 0;
          let previous: string | undefined;
          for (const span of spans) {
            expect(span.start).toBe(end);
            expect(span.end).toBeGreaterThan(span.start);
            expect(span.kind).not.toBe(previous);
            end = span.end;
            previous = span.kind;
          }
          expect(end).toBe(input.length);
          const shown = spans.filter(({ kind }) => kind === "text");
          expect(shown.map((span) => input.slice(span.start, span.end)).join("")).toBe(text);
        }),
        runs(3_000),
      );
    },
    PATIENCE,
  );

  test(
    "loses only white space, tags and reasoning",
    () => {
      fc.assert(
        fc.property(text, (input) => {
          const { text, reasoning, spans } = parseTags(input);
          const of = (wanted: string) =>
            spans.map(({ kind, start, end }) => (kind === wanted ? input.slice(start, end) : "")).join("");
          expect(of("space").trim()).toBe("");
          expect(text).toBe(text.trim());
          if (!input.includes("<")) expect(text).toBe(input.trim());
          const thought = reasoning.join("").replace(/\s/g, "").length;
          expect(thought).toBeLessThanOrEqual(of("reasoning").replace(/\s/g, "").length);
        }),
        runs(2_000),
      );
    },
    PATIENCE,
  );

  test(
    "has animations at ascending offsets within the clean text",
    () => {
      fc.assert(
        fc.property(text, (input) => {
          const { text, animations } = parseTags(input);
          let least = 0;
          for (const { offset, intensity, name } of animations) {
            expect(offset).toBeGreaterThanOrEqual(least);
            expect(offset).toBeLessThanOrEqual(text.length);
            expect(Number.isFinite(intensity)).toBe(true);
            expect(name).not.toBe("");
            least = offset;
          }
        }),
        runs(2_000),
      );
    },
    PATIENCE,
  );

  test(
    "is read in a reply, as text or raw, with any animations",
    () => {
      const number = fc.oneof(fc.double(), fc.constantFrom(null, undefined, Number.NaN, -1, 1e9));
      const animation = fc.record(
        {
          type: fc.constantFrom("gesture" as const, "emote" as const),
          name: fc.constantFrom("wave", "happy", "thinking", "x", "__proto__"),
          intensity: number,
          delay: number,
          position: number,
        },
        { requiredKeys: ["type", "name"] },
      );
      const animations = fc.option(fc.array(animation, { maxLength: 8 }), { nil: undefined });
      fc.assert(
        fc.property(text, fc.option(text), animations, (text, raw, animations) => {
          const reply = readReply({ text, raw, animations });
          expect([clean(text), clean(raw ?? "")]).toContain(reply.text);
          if (animations) expect(reply.animations).toHaveLength(animations.length);
          expect(reply.animations.map(({ index }) => index)).toEqual([...reply.animations.keys()]);
          for (const { offset = 0, intensity, delay = 0 } of reply.animations) {
            expect(offset).toBeGreaterThanOrEqual(0);
            expect(offset).toBeLessThanOrEqual(reply.text.length);
            expect(Number.isInteger(offset)).toBe(true);
            expect(Number.isFinite(intensity) && Number.isFinite(delay)).toBe(true);
          }
        }),
        runs(2_000),
      );
    },
    PATIENCE,
  );
});

/** What a model says that knows its tags: words, white space, and whole tags. */
const spoken = fc
  .array(
    fc.oneof(
      fc.constantFrom(...WORDS, " ", "  ", "\n", "\n\n"),
      fc.constantFrom(
        "<gesture:wave>",
        "<emote:happy:0.5>",
        "<emote:thinking>",
        "<gesture:nod:.5>",
        "<b>",
        "1 < 2",
      ),
      fc.constantFrom("a <gesture:think>b <gesture:wave> c</gesture:think> d", "x <mark:y>z</mark> y"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("a reply that a server has cleaned", () => {
  test.each(["v1", "v2", "v2-plain"] as const)(
    "is matched with its raw text (%s), which restores indentation, reasoning and offsets",
    (reading) => {
      fc.assert(
        fc.property(spoken, (raw) => {
          const whole = parseTags(raw);
          const sent = animationsOf(raw, reading).map((each) => ({
            type: each["type"] === "emote" ? ("emote" as const) : ("gesture" as const),
            name: String(each["name"]),
          }));
          const reply = readReply({ text: textOf(raw, reading), raw, animations: sent });
          expect(reply).toMatchObject({ text: whole.text, reasoning: whole.reasoning });
          const seen = reply.animations.flatMap(({ name, offset }) =>
            offset === undefined ? [] : [{ name, offset }],
          );
          expect(seen).toEqual(whole.animations.map(({ name, offset }) => ({ name, offset })));
        }),
        runs(1_000),
      );
    },
    PATIENCE,
  );
});

describe("repeated text", () => {
  const pieces = fc.array(fc.constantFrom(...TAGS, ...SPACES, ...PARTS, "a"), { minLength: 1, maxLength: 5 });

  test(
    "takes time in proportion to its length",
    () => {
      fc.assert(
        fc.property(pieces, pieces, (start, repeated) => {
          const unit = repeated.join("");
          const input = (times: number): string =>
            start.join("") + unit.repeat(times * Math.ceil(2_000 / unit.length));
          const [once, twice, fourTimes] = [1, 2, 4].map((times) => {
            const text = input(times);
            return workOf(() => readReply({ text, raw: `${text} `, animations: [] }));
          });
          // The ends take some work of their own, whatever the length.
          expect(twice).toBeLessThan(2 * (once ?? 0) * 1.1 + 400);
          expect(fourTimes).toBeLessThan(4 * (once ?? 0) * 1.1 + 800);
        }),
        runs(150),
      );
    },
    PATIENCE,
  );

  test(
    "needs no deeper stack for more repetitions",
    () => {
      const opening = fc.constantFrom(
        "<think>",
        "<gesture:think>a",
        "<gesture:",
        "<",
        "<ges<gesture:x>",
        "<mark:x>",
      );
      const closing = fc.constantFrom("</think>", "</gesture:think>b", "x>", ">", "ture:nod>", "</mark>");
      fc.assert(
        fc.property(opening, closing, fc.nat(20_000), (open, close, extra) => {
          const depth = 20_000 + extra;
          const input = open.repeat(depth) + close.repeat(depth);
          expect(parseTags(input).spans.at(-1)?.end).toBe(input.length);
        }),
        runs(10),
      );
    },
    PATIENCE,
  );
});
