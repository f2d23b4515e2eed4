import type { BrokenBy } from "./broken-by.ts";
import { brokenCalls } from "./broken-calls.ts";
import { brokenItems } from "./broken-items.ts";
import { brokenShapes } from "./broken-shapes.ts";
import { brokenStreams } from "./broken-streams.ts";

/** Transcripts with one mistake each, by what the mistake breaks. */
export const broken: Required<BrokenBy> = {
  ...brokenStreams,
  ...brokenItems,
  ...brokenCalls,
  ...brokenShapes,
};
