/// <reference types="vite/types/importMeta.d.ts" />
import type { UniversalEvent } from "agentwire/universal";
import { expect } from "vitest";

// By Vite, not by `node:fs`: these tests run in a browser as well.
const FILES = import.meta.glob<string>("../fixtures/universal/**/*.jsonl", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The events of `test/fixtures/universal/<name>.jsonl`. */
export function goldenEvents(name: string): readonly unknown[] {
  const text = FILES[`../fixtures/universal/${name}.jsonl`];
  if (text === undefined) throw new Error(`There is no golden file "${name}".`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/**
 * Compares events with a golden file. Ids that the client makes at random are replaced: `ids` maps each to the name in the file.
 */
export function expectGolden(
  name: string,
  events: readonly UniversalEvent[],
  ids: Readonly<Record<string, string>> = {},
): void {
  let text = JSON.stringify(events);
  for (const [id, fixed] of Object.entries(ids)) text = text.replaceAll(id, fixed);
  expect(JSON.parse(text)).toEqual(goldenEvents(name));
}
