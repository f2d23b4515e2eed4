import { expect, test } from "vitest";
import { capturedStreams } from "../helpers/captured-streams.ts";
import { share } from "../helpers/runs.ts";
import { assertMapped, turnsOf } from "./turns.ts";

test("the events of every capture become chunks that the SDK accepts, with the same text, and nothing stays open", async () => {
  const streams = await capturedStreams();
  const turns = streams.flatMap(({ name, events }) => turnsOf(events).map((turn) => ({ name, turn })));
  expect(turns.length).toBeGreaterThan(20);
  const step = Math.max(1, Math.floor(turns.length / share(400)));
  for (const [at, { name, turn }] of turns.entries())
    if (at % step === 0)
      await assertMapped(turn).catch((cause: unknown) => Promise.reject(new Error(name, { cause })));
});
