// The metrics of turns.
import type { Histogram, Meter } from "@opentelemetry/api";
import { METRICS } from "./names.ts";

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
    duration: histogram(METRICS.duration, "s", seconds),
    firstChunk: histogram(METRICS.firstChunk, "s", seconds),
    tokens: histogram(METRICS.tokens, "{token}", buckets(1, 4)),
  };
}
