import { setImmediate } from "node:timers/promises";
import { collectGarbage } from "./cpu.ts";

/** Bytes that are reachable, once everything that has just happened is over. */
export async function heapUsed(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    await setImmediate();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}
