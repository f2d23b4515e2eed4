// The metrics of turns.
import type { Histogram, Meter } from "@opentelemetry/api";
import { METRIC_DURATION, METRIC_TIME_TO_FIRST_CHUNK, METRIC_TOKENS } from "./names.ts";

export interface Instruments {
  readonly duration: Histogram;
  readonly firstChunk: Histogram;
  readonly tokens: Histogram;
}

/** The buckets that the conventions advise: 14 of them, each `factor` times as large as the bucket before. */
const buckets = (first: number, factor: number): number[] =>
  Array.from({ length: 14 }, (_, power) => first * factor ** power);

export function makeInstruments(meter: Meter): Instruments {
  const histogram = (name: string, unit: string, explicitBucketBoundaries: number[]): Histogram =>
    meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries } });
  const seconds = buckets(0.01, 2);
  return {
    duration: histogram(METRIC_DURATION, "s", seconds),
    firstChunk: histogram(METRIC_TIME_TO_FIRST_CHUNK, "s", seconds),
    tokens: histogram(METRIC_TOKENS, "{token}", buckets(1, 4)),
  };
}
