import fc from "fast-check";
import { expect, test } from "vitest";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { transcripts, wildEvents } from "../universal/support/arbitrary.ts";
import { textIn, thoughts, translated } from "./translated.ts";

test(
  "the SDK accepts what any transcript says, the text is the same, and no call stays open",
  { timeout: PATIENCE },
  () =>
    fc.assert(
      fc.asyncProperty(transcripts, (events) =>
        translated(events, (world) => {
          expect(world.text).toBe(textIn(events, "text"));
          expect(thoughts(world)).toBe(textIn(events, "reasoning"));
        }),
      ),
      runs(200),
    ),
);

test("the SDK accepts what any events in any order say", { timeout: PATIENCE }, () =>
  fc.assert(
    fc.asyncProperty(wildEvents, (events) => translated(events, () => {})),
    runs(200),
  ),
);
