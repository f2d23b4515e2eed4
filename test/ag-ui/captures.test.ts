import { expect, test } from "vitest";
import { capturedStreams } from "../helpers/captured-streams.ts";
import { ofType } from "./support/judge.ts";
import { mapped } from "./support/mapped.ts";

test("every captured stream gives runs that the other side accepts, with the same text", async () => {
  const streams = await capturedStreams();
  expect(streams.length).toBeGreaterThan(200);
  let turns = 0;
  for (const { events } of streams) {
    const all = await mapped(events);
    turns += ofType(all, "RUN_STARTED").length;
    const text = ofType(all, "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta);
    for (const event of events)
      if (event.type === "item.delta" && event.data.part?.type === "text" && event.data.delta !== "")
        expect(text).toContain(event.data.delta);
  }
  expect(turns).toBeGreaterThan(streams.length / 2);
});
