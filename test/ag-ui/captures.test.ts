import { readdir, readFile } from "node:fs/promises";
import { isUniversalEvent, type UniversalEvent } from "agentwire/universal";
import { expect, test } from "vitest";
import { ofType } from "./support/judge.ts";
import { mapped } from "./support/mapped.ts";

interface Captured {
  readonly name: string;
  readonly events: readonly UniversalEvent[];
}

/** To be replaced by `capturedStreams` of test/helpers/captured-streams.ts. */
async function streamsToSwap(): Promise<readonly Captured[]> {
  const root = new URL("../fixtures/universal/", import.meta.url);
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
  return Promise.all(
    names.map(async (name) => {
      const lines = (await readFile(new URL(name, root), "utf8")).trimEnd().split("\n");
      return { name, events: lines.map((line): unknown => JSON.parse(line)).filter(isUniversalEvent) };
    }),
  );
}

test("every captured stream gives runs that the other side accepts, with the same text", async () => {
  const streams = await streamsToSwap();
  expect(streams.length).toBeGreaterThan(5);
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
