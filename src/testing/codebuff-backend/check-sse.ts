// Checks the streaming options of a script.
import { InvalidMockInput } from "../names.ts";
import type { BackendSse } from "./switches.ts";

const COUNTS = ["cutAfter", "endAfter", "errorAfter", "badJsonAfter", "stallAfter"] as const;

/** @throws InvalidMockInput for a number that cannot be meant */
export function checkSse(sse: BackendSse): void {
  const { chunkBytes } = sse;
  if (chunkBytes !== undefined && !isWhole(chunkBytes, 1))
    throw new InvalidMockInput("`chunkBytes` is no size.", "Give a whole number of 1 or more.");
  for (const name of COUNTS)
    if (sse[name] !== undefined && !isWhole(sse[name], 0))
      throw new InvalidMockInput(`\`${name}\` is no number of frames.`, "Give a whole number of 0 or more.");
}

function isWhole(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least;
}
