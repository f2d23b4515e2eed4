import { expect, test } from "vitest";
import { capturedStreams } from "../helpers/captured-streams.ts";
import { PATIENCE } from "../helpers/runs.ts";
import { textIn, thoughts, translated } from "./translated.ts";

test("the SDK accepts what each captured stream says, and the text is the same", {
  timeout: PATIENCE,
}, async () => {
  for (const { name, events } of await capturedStreams())
    await translated(events, (world) => {
      expect([name, world.text]).toEqual([name, textIn(events, "text")]);
      expect([name, thoughts(world)]).toEqual([name, textIn(events, "reasoning")]);
    });
});
